package org.tutti.pack;

import org.tutti.Packing;

/// Sends when there are so many messages, whatever is on the way, or when the first one has waited too long: what the
/// adaptive policies are measured against (section 5.1 of the paper).
///
/// @param degree        how many messages a batch has
/// @param delayNanosMax the longest wait of a message, in nanoseconds
public record FixedDegree(int degree, long delayNanosMax) implements Packing, Packing.Policy {
  /// Checks the ranges.
  public FixedDegree {
    if (degree < 1) {
      throw new IllegalArgumentException("a packing degree is at least 1, not " + degree);
    }
    PackingInterval.check(delayNanosMax);
  }

  @Override
  public Policy begin() {
    return this;
  }

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
