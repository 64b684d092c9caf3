package org.tutti.bench.member;

import org.HdrHistogram.Histogram;

/// How times are recorded.
public final class Times {
  /// Longer times are counted as this.
  public static final long NANOS_MAX = 60_000_000_000L;

  private static final int DIGITS = 3; // significant ones

  private Times() {}

  /// An empty histogram of nanoseconds.
  ///
  /// @return for one thread at a time
  public static Histogram empty() {
    return new Histogram(NANOS_MAX, DIGITS);
  }

  /// Adds a time.
  ///
  /// @param times where
  /// @param nanos how long it took
  public static void record(Histogram times, long nanos) {
    times.recordValue(Math.min(Math.max(nanos, 0), NANOS_MAX));
  }
}
