package org.tutti.pack;

import org.tutti.Packing;

/// Sends at once when nothing is on the way and fills batches while something is: at low load no message waits, at high
/// load batches grow by themselves. It has no state and measures nothing.
///
/// @param delayNanosMax the longest wait of a message, in nanoseconds
public record NaturalPacking(long delayNanosMax) implements Packing, Packing.Policy {
  /// Checks the range.
  public NaturalPacking {
    PackingInterval.check(delayNanosMax);
  }

  /// The usual delay of 2 ms at most.
  ///
  /// @return the policy
  public static NaturalPacking standard() {
    return new NaturalPacking(PackingInterval.STANDARD_NANOS);
  }

  @Override
  public Policy begin() {
    return this;
  }

  @Override
  public int messagesMax() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int bytesMax() {
    return Integer.MAX_VALUE;
  }

  @Override
  public boolean closes(int batchesOnTheWay, long ageNanos) {
    return batchesOnTheWay == 0;
  }

  @Override
  public void delivered(long nowNanos, long messages) {}
}
