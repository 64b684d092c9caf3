package org.tutti.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.tutti.Group;

/// Messages come at a fixed rate, whatever the group does, to one member after the other, who multicasts them.
///
/// Times count from when a message was due, so a group that falls behind is seen to (no coordinated omission).
final class OfferedLoad {
  private OfferedLoad() {}

  /// Runs for a time.
  ///
  /// @param ensemble  the group; all its members multicast in turn
  /// @param bytes     the length of each message
  /// @param perSecond the rate of all members together
  /// @param forNanos  how long
  /// @return the times from when a message was due until its sender delivered it, in nanoseconds
  static Histogram run(Ensemble ensemble, int bytes, int perSecond, long forNanos) throws InterruptedException {
    List<Group> senders = ensemble.members().stream().map(Ensemble.Member::group).toList();
    List<Histogram> times = new ArrayList<>(); // each is written by its member's engine thread
    senders.forEach(sender -> times.add(new Histogram(Numbers.TIME_NANOS_MAX, Numbers.DIGITS)));
    byte[] payload = new byte[bytes];
    long messages = Math.max(1, forNanos * perSecond / 1_000_000_000L);
    List<CompletableFuture<?>> last = new ArrayList<>();
    long start = System.nanoTime();
    for (long i = 0; i < messages; i++) {
      long due = start + i * 1_000_000_000L / perSecond;
      for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
        LockSupport.parkNanos(due - now);
      }
      int turn = (int) (i % senders.size());
      Histogram mine = times.get(turn);
      CompletableFuture<?> recorded =
          senders
              .get(turn)
              .multicast(payload)
              .thenRun(() -> mine.recordValue(Math.min(System.nanoTime() - due, Numbers.TIME_NANOS_MAX)));
      if (messages - i <= senders.size()) {
        last.add(recorded); // a member's futures complete in order
      }
    }
    CompletableFuture.allOf(last.toArray(CompletableFuture<?>[]::new)).join();
    var all = new Histogram(Numbers.TIME_NANOS_MAX, Numbers.DIGITS);
    times.forEach(all::add);
    return all;
  }
}
