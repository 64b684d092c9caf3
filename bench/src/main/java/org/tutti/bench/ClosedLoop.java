package org.tutti.bench;

import java.util.concurrent.ExecutionException;
import org.HdrHistogram.Histogram;
import org.tutti.Group;

/// One member multicasts, waits until it has delivered the message itself, and multicasts the next one.
final class ClosedLoop {
  private ClosedLoop() {}

  /// Runs for a time.
  ///
  /// @param sender   who multicasts
  /// @param bytes    the length of each message
  /// @param forNanos how long
  /// @return the times from `multicast` to the future's completion as seen by the waiting thread, in nanoseconds
  static Histogram run(Group sender, int bytes, long forNanos) throws InterruptedException {
    var times = new Histogram(Numbers.TIME_NANOS_MAX, Numbers.DIGITS);
    byte[] payload = new byte[bytes];
    long before = System.nanoTime();
    long end = before + forNanos;
    while (before < end) {
      once(sender, payload);
      long now = System.nanoTime();
      times.recordValue(Math.min(now - before, Numbers.TIME_NANOS_MAX));
      before = now;
    }
    return times;
  }

  /// One multicast.
  static void once(Group sender, byte[] payload) throws InterruptedException {
    try {
      sender.multicast(payload).get();
    } catch (ExecutionException failure) {
      throw new IllegalStateException("a multicast failed", failure);
    }
  }
}
