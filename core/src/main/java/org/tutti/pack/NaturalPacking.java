package org.tutti.pack;

import org.tutti.Packing;

/// Sends at once when nothing is on the way and fills batches while something is: at low load no message waits, at high
/// load batches grow by themselves. It has no state and measures nothing.
///
/// @param delayNanosMax the longest wait of a message, in nanoseconds
record NaturalPacking(long delayNanosMax) implements Packing.Policy {
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
