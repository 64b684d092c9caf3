package org.tutti;

import java.time.Duration;
import org.tutti.pack.FixedDegree;
import org.tutti.pack.HillClimb;
import org.tutti.pack.NaturalPacking;

/// How a member packs its own multicasts into batches, which are ordered, acknowledged and delivered as one. Each
/// member of a group chooses for itself. A way of one's own is an implementation of this and of [Policy].
@FunctionalInterface
public interface Packing {
  /// A policy for one membership.
  ///
  /// @return one with a state of its own
  Policy begin();

  /// A batch leaves when none of this member is on the way any more: at low load no message waits, at high load batches
  /// grow by themselves. No message waits longer than 2 ms. The default.
  ///
  /// @return natural packing
  static Packing natural() {
    return NaturalPacking.standard();
  }

  /// As [#natural()], with another longest wait.
  ///
  /// @param delayMax the longest wait, up to a minute
  /// @return natural packing
  static Packing natural(Duration delayMax) {
    return new NaturalPacking(delayMax.toNanos());
  }

  /// A batch leaves when it has so many messages, or when the first one has waited too long.
  ///
  /// @param degree   how many messages; 1 for no packing
  /// @param delayMax the longest wait, up to a minute
  /// @return packing of a fixed degree
  static Packing fixed(int degree, Duration delayMax) {
    return new FixedDegree(degree, delayMax.toNanos());
  }

  /// The degree is raised or lowered by one every 50 ms, depending on what the last step did to the throughput; no
  /// message waits longer than 2 ms.
  ///
  /// @return adaptive packing after Bartoli and others
  static Packing hillClimb() {
    return HillClimb.standard();
  }

  /// As [#hillClimb()], with other numbers.
  ///
  /// @param interval  the time between two steps, positive
  /// @param degreeMax the highest degree
  /// @param bytesMax  a batch leaves, too, when it is so long
  /// @param delayMax  the longest wait, up to a minute
  /// @return adaptive packing after Bartoli and others
  static Packing hillClimb(Duration interval, int degreeMax, int bytesMax, Duration delayMax) {
    return new HillClimb(interval.toNanos(), degreeMax, bytesMax, delayMax.toNanos());
  }

  /// Decides when a batch leaves: when it has so many messages or bytes as the policy allows now, or the group's
  /// configuration, when its first message has waited too long, or when the policy says so. Called by the engine thread
  /// once per run of inputs and once per batch, never per message; it must not block and reads no clock.
  interface Policy {
    /// The packing degree: how many messages a batch has at most from now on.
    ///
    /// @return at least 1; [Integer#MAX_VALUE] for no limit but the group's
    int messagesMax();

    /// How long a batch is at most from now on; a longer message travels alone.
    ///
    /// @return at least 1; [Integer#MAX_VALUE] for no limit but the group's
    int bytesMax();

    /// The longest time that a message may wait for company.
    ///
    /// @return nanoseconds, not negative
    long delayNanosMax();

    /// Whether a batch that is neither full nor old leaves now.
    ///
    /// @param batchesOnTheWay this member's batches that have left and are not delivered here yet
    /// @param ageNanos        how long the first message has been waiting
    /// @return whether it leaves
    boolean closes(int batchesOnTheWay, long ageNanos);

    /// What became of those before.
    ///
    /// @param nowNanos the time, from any origin
    /// @param messages how many of this member's messages have been delivered here in this membership
    void delivered(long nowNanos, long messages);
  }
}
