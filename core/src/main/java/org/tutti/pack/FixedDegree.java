package org.tutti.pack;

import org.tutti.Packing;

/// Sends when there are so many messages, whatever is on the way, or when the first one has waited too long: what the
/// adaptive policies are measured against (section 5.1 of the paper).
///
/// @param degree        how many messages a batch has
/// @param delayNanosMax the longest wait of a message, in nanoseconds
record FixedDegree(int degree, long delayNanosMax) implements Packing.Policy {
  @Override
  public int messagesMax() {
    return degree;
  }

  @Override
  public int bytesMax() {
    return Integer.MAX_VALUE;
  }

  @Override
  public boolean closes(int batchesOnTheWay, long ageNanos) {
    return false;
  }

  @Override
  public void delivered(long nowNanos, long messages) {}
}
