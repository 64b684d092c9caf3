package org.tutti.sim;

/// A node's own monotonic clock: it starts anywhere and runs at its own rate.
///
/// @param offsetNanos what it shows when the run starts; may be negative
/// @param drift       how much faster than the true time it runs, as a fraction; above -1
record NodeClock(long offsetNanos, double drift) {
  /// What the clock shows at a true time.
  long local(long trueNanos) {
    return offsetNanos + trueNanos + (long) (trueNanos * drift);
  }

  /// The earliest true time at which the clock shows at least a local time.
  long trueTime(long localNanos) {
    long elapsed = localNanos - offsetNanos;
    long guess = (long) (elapsed / (1 + drift));
    while (guess > 0 && local(guess - 1) >= localNanos) {
      guess--;
    }
    while (local(guess) < localNanos) {
      guess++;
    }
    return guess;
  }
}
