package org.tutti.link;

/// How long a packet and its acknowledgement take, learned from those that were sent once (Jacobson; Karn).
final class RoundTrip {
  private static final int HOLE_PARTS = 4; // as long as nothing was measured
  private static final int JITTER_PARTS = 32;
  private static final int TIMEOUT_FACTOR_MAX = 16;

  private final long least;
  private long mean;
  private long deviation;
  private boolean measured;

  /// @param least the shortest timeout in nanoseconds
  RoundTrip(long least) {
    this.least = least;
  }

  void measure(long nanos) {
    if (!measured) {
      measured = true;
      mean = nanos;
      deviation = nanos / 2;
      return;
    }
    deviation += (Math.abs(nanos - mean) - deviation) / 4;
    mean += (nanos - mean) / 8;
  }

  /// After how long without any news packets are sent again.
  ///
  /// @param doublings how often that was in vain
  long timeoutNanos(int doublings) {
    long longest = least * TIMEOUT_FACTOR_MAX;
    return Math.min(longest, Math.clamp(mean + 4 * deviation, least, longest) << doublings);
  }

  /// After how long a packet is missing that is not acknowledged although later ones are.
  long holeNanos() {
    long usual = measured ? mean + Math.max(deviation, least / JITTER_PARTS) : least / HOLE_PARTS;
    return Math.min(usual, timeoutNanos(0));
  }
}
