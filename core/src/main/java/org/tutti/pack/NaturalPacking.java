package org.tutti.pack;

/// Sends at once when nothing is on the way and fills batches while something is: at low load no message waits, at high
/// load batches grow by themselves.
///
/// @param delayNanosMax the longest wait of a message, in nanoseconds
public record NaturalPacking(long delayNanosMax) implements PackingPolicy {
  private static final long DEFAULT_DELAY_NANOS = 2_000_000;

  /// The usual delay of 2 ms at most.
  ///
  /// @return the policy
  public static NaturalPacking standard() {
    return new NaturalPacking(DEFAULT_DELAY_NANOS);
  }

  @Override
  public boolean close(int batchesOnTheWay, long ageNanos) {
    return batchesOnTheWay == 0 || ageNanos >= delayNanosMax;
  }
}
