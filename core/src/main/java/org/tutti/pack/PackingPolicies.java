package org.tutti.pack;

import java.util.function.IntConsumer;
import org.tutti.Packing;
import org.tutti.Packing.Policy;

/// Finds the policy that a [Packing] says.
final class PackingPolicies {
  private PackingPolicies() {}

  /// A policy for one membership.
  ///
  /// @return one with a state of its own
  static Policy begin(Packing packing) {
    return switch (packing) {
      case Packing.Natural natural -> new NaturalPacking(natural.delayMax().toNanos());
      case Packing.Fixed fixed -> new FixedDegree(fixed.degree(), fixed.delayMax().toNanos());
      case Packing.HillClimbing limits -> new HillClimb(limits);
      case Packing.Custom custom -> custom.begin().get();
      case Packing.Watched watched -> new WatchedPolicy(begin(watched.packing()), watched.degree());
    };
  }

  /// Tells each change of the degree.
  private static final class WatchedPolicy implements Policy {
    private final Policy policy;
    private final IntConsumer told;
    private int degree;

    WatchedPolicy(Policy policy, IntConsumer told) {
      this.policy = policy;
      this.told = told;
    }

    @Override
    public int messagesMax() {
      return policy.messagesMax();
    }

    @Override
    public int bytesMax() {
      return policy.bytesMax();
    }

    @Override
    public long delayNanosMax() {
      return policy.delayNanosMax();
    }

    @Override
    public boolean closes(int batchesOnTheWay, long ageNanos) {
      return policy.closes(batchesOnTheWay, ageNanos);
    }

    @Override
    public void delivered(long nowNanos, long messages) {
      policy.delivered(nowNanos, messages);
      int now = policy.messagesMax();
      if (now != degree) {
        degree = now;
        told.accept(now);
      }
    }
  }
}
