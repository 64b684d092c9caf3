package org.tutti;

import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/// How a member packs its own multicasts into batches, which are ordered, acknowledged and delivered as one: which
/// policy, and with which numbers. Each member of a group chooses for itself ([MemberConfig.Builder#packing]).
///
/// {@snippet class="ApiExamplesTest" region="packing"}
///
/// Immutable; may be used by any thread and for any number of memberships, each of which has a policy of its own.
/// Implement [Policy] for a custom strategy, and choose it by [#custom].
public sealed interface Packing {
  /// The longest time for which a policy may let a message wait for others.
  Duration DELAY_MAX = Duration.ofMinutes(1);

  /// A batch leaves when none of this member is on the way any more: at low load no message waits, at high load batches
  /// grow by themselves. No message waits longer than 2 ms. The default.
  ///
  /// @return natural packing
  static Packing natural() {
    return natural(Duration.ofMillis(2));
  }

  /// As [#natural()], with another longest wait.
  ///
  /// @param delayMax the longest wait, 0 to [#DELAY_MAX]
  /// @return natural packing
  /// @throws IllegalArgumentException when it is out of its range
  static Packing natural(Duration delayMax) {
    return new Natural(delayMax);
  }

  /// A batch leaves when it has so many messages, or when the first one has waited too long.
  ///
  /// @param degree   how many messages, at least 1; 1 for no packing
  /// @param delayMax the longest wait, 0 to [#DELAY_MAX]
  /// @return packing of a fixed degree
  /// @throws IllegalArgumentException when a number is out of its range
  static Packing fixed(int degree, Duration delayMax) {
    return new Fixed(degree, delayMax);
  }

  /// The degree is raised or lowered by one every 50 ms, between 1 and 1024, depending on what the last step did to the
  /// throughput; no message waits longer than 2 ms. Bartoli and others, *Adaptive Message Packing for Group
  /// Communication Systems*, section 5.3.
  ///
  /// @return adaptive packing
  static Packing hillClimb() {
    // 40 steps in 2 s: the best degrees in the paper are 3 to 28.
    return hillClimb(Duration.ofMillis(50), 1024, Integer.MAX_VALUE, Duration.ofMillis(2));
  }

  /// As [#hillClimb()], with other numbers.
  ///
  /// @param interval  the time between two steps, positive
  /// @param degreeMax the highest degree, at least 1
  /// @param bytesMax  a batch leaves, too, when it is so long; at least 1 byte
  /// @param delayMax  the longest wait, 0 to [#DELAY_MAX]
  /// @return adaptive packing
  /// @throws IllegalArgumentException when a number is out of its range
  static Packing hillClimb(Duration interval, int degreeMax, int bytesMax, Duration delayMax) {
    return new HillClimbing(interval, degreeMax, bytesMax, delayMax);
  }

  /// A custom strategy.
  ///
  /// @param begin makes a policy for one membership; called on the engine thread
  /// @return packing by that policy
  static Packing custom(Supplier<? extends Policy> begin) {
    return new Custom(begin);
  }

  /// The same packing, which tells each change of its degree, as an adaptive one makes them.
  ///
  /// @param degree called on the engine thread with the new degree; must not block
  /// @return this packing, watched
  default Packing watched(IntConsumer degree) {
    return new Watched(this, degree);
  }

  /// What [#natural(Duration)] says.
  ///
  /// @param delayMax the longest wait of a message
  record Natural(Duration delayMax) implements Packing {
    /// Checks the range.
    public Natural {
      requireDelay(delayMax);
    }
  }

  /// What [#fixed(int, Duration)] says.
  ///
  /// @param degree   how many messages a batch has
  /// @param delayMax the longest wait of a message
  record Fixed(int degree, Duration delayMax) implements Packing {
    /// Checks the ranges.
    public Fixed {
      if (degree < 1) {
        throw new IllegalArgumentException("a packing degree is at least 1, not " + degree);
      }
      requireDelay(delayMax);
    }
  }

  /// What [#hillClimb(Duration, int, int, Duration)] says.
  ///
  /// @param interval  the time between two steps, at least
  /// @param degreeMax the highest degree
  /// @param bytesMax  a batch leaves, too, when it is so long
  /// @param delayMax  the longest wait of a message
  record HillClimbing(Duration interval, int degreeMax, int bytesMax, Duration delayMax) implements Packing {
    /// Checks the ranges.
    public HillClimbing {
      if (!interval.isPositive() || degreeMax < 1 || bytesMax < 1) {
        throw new IllegalArgumentException(
            "interval, highest degree and length are positive, not "
                + interval
                + ", "
                + degreeMax
                + " and "
                + bytesMax
                + " bytes");
      }
      requireDelay(delayMax);
    }
  }

  /// What [#custom] says.
  ///
  /// @param begin makes a policy for one membership
  record Custom(Supplier<? extends Policy> begin) implements Packing {}

  /// What [#watched] says.
  ///
  /// @param packing which one
  /// @param degree  told each change
  record Watched(Packing packing, IntConsumer degree) implements Packing {}

  private static void requireDelay(Duration delayMax) {
    if (delayMax.isNegative() || delayMax.compareTo(DELAY_MAX) > 0) {
      throw new IllegalArgumentException("a message waits 0 s to " + DELAY_MAX + " in the packer, not " + delayMax);
    }
  }

  /// Decides when a batch leaves: when it has so many messages or bytes as the policy allows now, or the member's
  /// configuration, when its first message has waited too long, or when the policy says so.
  ///
  /// {@snippet class="ApiExamplesTest" region="policy"}
  ///
  /// Called by the engine thread once per run of inputs and once per batch, never per message; it must not block, and
  /// it reads no clock. An exception stops the node.
  interface Policy {
    /// The packing degree: how many messages a batch has at most from now on.
    ///
    /// @return at least 1; [Integer#MAX_VALUE] for no limit but the member's
    int messagesMax();

    /// How long a batch is at most from now on; a longer message travels alone.
    ///
    /// @return at least 1; [Integer#MAX_VALUE] for no limit but the member's
    int bytesMax();

    /// The longest time that a message may wait for others.
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
