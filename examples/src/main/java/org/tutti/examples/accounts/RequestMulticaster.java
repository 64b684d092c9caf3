package org.tutti.examples.accounts;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.tutti.Group;
import org.tutti.Outcome;

/// Multicasts clients' requests, and keeps count of those that were on the way when this replica was cut off from the
/// primary view. What becomes of them is known when it is back: the history contains them already, or they are sent
/// again. Clients need not wait for that: they ask another replica, and whichever copy comes second is known by its
/// number.
final class RequestMulticaster {
  private final Group group;
  private final AtomicLong undecided = new AtomicLong();
  private final AtomicLong decided = new AtomicLong();

  RequestMulticaster(Group group) {
    this.group = group;
  }

  void submit(byte[] request) throws InterruptedException {
    group
        .multicast(request)
        .thenAccept(outcome -> {
          if (outcome instanceof Outcome.Undecided(CompletableFuture<Outcome> later)) {
            undecided.incrementAndGet();
            later.thenRun(decided::incrementAndGet);
          }
        });
  }

  /// How many requests were undecided when this replica was cut off.
  long undecided() {
    return undecided.get();
  }

  /// Of how many of them the outcome is known meanwhile.
  long decided() {
    return decided.get();
  }
}
