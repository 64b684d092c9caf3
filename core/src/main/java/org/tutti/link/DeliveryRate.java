package org.tutti.link;

/// How many bytes a path carries in a time, learned from what was acknowledged between the sending of a packet and its
/// own acknowledgement: the most of the last 10 to 20 seconds in which the path was busy.
///
/// Cardwell, Cheng, Gunn, Yeganeh and Jacobson, "BBR: congestion-based congestion control", Communications of the ACM
/// 60(2), 2017. As there, a packet behind which nothing waited tells that the path carries as much, and not that it
/// carries no more.
final class DeliveryRate {
  private static final long PERIOD_NANOS = 10_000_000_000L; // a path may become slower

  private double most; // bytes a nanosecond, since the period began
  private double mostBefore; // in the period before it
  private long since;

  /// @param bytes that were acknowledged
  /// @param nanos in which they were
  /// @param busy  whether more waited all the time
  void measure(long now, long bytes, long nanos, boolean busy) {
    if (busy && now - since > PERIOD_NANOS) {
      mostBefore = most;
      most = 0;
      since = now;
    }
    if (nanos > 0) {
      most = Math.max(most, (double) bytes / nanos);
    }
  }

  /// How much it carries in a time; 0 when nothing was measured.
  long bytesIn(long nanos) {
    return (long) (Math.max(most, mostBefore) * nanos);
  }
}
