package org.tutti.link;

/// How long a packet and its acknowledgement take, learned from those that were sent once (Jacobson; Karn).
final class RoundTrip {
  private static final int HOLE_PARTS = 4; // as long as nothing was measured
  private static final int JITTER_PARTS = 32;
  private static final int TIMEOUT_FACTOR_MAX = 16;
  private static final long BEST_NANOS = 10_000_000_000L; // a route may become longer

  private final long least;
  private long mean;
  private long deviation;
  private boolean measured;
  private long best = Long.MAX_VALUE; // of unloaded ones since bestSince, and in the period before it
  private long bestBefore = Long.MAX_VALUE;
  private long bestSince;

  /// @param least the shortest timeout in nanoseconds
  RoundTrip(long least) {
    this.least = least;
  }

  /// @param unloaded whether little was on the way, so that it did not wait for other packets
  void measure(long now, long nanos, boolean unloaded) {
    if (unloaded) {
      if (now - bestSince > BEST_NANOS) {
        bestBefore = best;
        best = Long.MAX_VALUE;
        bestSince = now;
      }
      best = Math.min(best, nanos);
    }
    if (!measured) {
      measured = true;
      mean = nanos;
      deviation = nanos / 2;
      return;
    }
    deviation += (Math.abs(nanos - mean) - deviation) / 4;
    mean += (nanos - mean) / 8;
  }

  /// How long it takes on the average, the last ones counting most; below 0 when nothing was measured.
  long meanNanos() {
    return measured ? mean : -1;
  }

  /// How much longer packets take than the fastest ones did in the last seconds.
  ///
  /// @param oldest how long one has been on the way that is not acknowledged
  long queueingNanos(long oldest) {
    return beyondBest(Math.max(mean, oldest));
  }

  /// How much longer a time is than the fastest packets took; 0 when nothing was measured.
  long beyondBest(long nanos) {
    long fastest = bestNanos();
    return fastest == 0 ? 0 : Math.max(0, nanos - fastest);
  }

  /// How long the fastest packets took; 0 when nothing was measured.
  long bestNanos() {
    long fastest = Math.min(best, bestBefore);
    return fastest == Long.MAX_VALUE ? 0 : fastest;
  }

  /// Whether a packet can be acknowledged that soon: not faster than the fastest ones.
  boolean isPossible(long nanos) {
    return nanos >= Math.min(best, bestBefore);
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
