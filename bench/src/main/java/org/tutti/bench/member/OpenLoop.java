package org.tutti.bench.member;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.tutti.Group;

/// Messages come at a fixed rate, whatever the group does, to one member after the other, who multicasts them.
///
/// Times count from when a message was due, so a group that falls behind is seen to (no coordinated omission). Waiting
/// for that moment ends some 40 microseconds late, although the thread asks for the least [TimerSlack], and what has
/// become due is then sent together; a thread that spins would be exact, and take a core from what is measured.
public final class OpenLoop {
  private static final long SECOND = 1_000_000_000L;

  private OpenLoop() {}

  /// Runs for a time.
  ///
  /// @param senders   who multicast in turn
  /// @param bytes     the length of each message
  /// @param perSecond the rate of all together
  /// @param forNanos  how long
  /// @return the times from when a message was due until its sender delivered it, in nanoseconds
  /// @throws InterruptedException when interrupted
  public static Histogram run(List<Group> senders, int bytes, int perSecond, long forNanos)
      throws InterruptedException {
    List<Histogram> times = senders.stream().map(_ -> Times.empty()).toList(); // each for one engine thread
    byte[] payload = new byte[bytes];
    long messages = Math.max(1, (long) (forNanos * (double) perSecond / SECOND));
    CompletableFuture<?>[] last = new CompletableFuture<?>[senders.size()]; // a member's futures complete in order
    TimerSlack.least();
    long start = System.nanoTime();
    for (long i = 0; i < messages; i++) {
      long due = start + (long) (i * ((double) SECOND / perSecond));
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      int turn = (int) (i % senders.size());
      Histogram mine = times.get(turn);
      last[turn] = senders.get(turn).multicast(payload).thenRun(() -> Times.record(mine, System.nanoTime() - due));
    }
    for (CompletableFuture<?> each : last) {
      if (each != null) {
        each.join();
      }
    }
    Histogram all = Times.empty();
    times.forEach(all::add);
    return all;
  }
}
