package org.tutti.replica.consolidation;

/// How many replies a call needs.
///
/// | quorum | replies | it is met, of m members |
/// | --- | --- | --- |
/// | [First] | one | by 1 |
/// | [Last] | all; the one that came last is chosen | by m |
/// | [All] | all | by m |
/// | [Majority] | more than half of the members | by m / 2 + 1, rounded down |
/// | [Percentage] | a part of the members | by m * percent / 100, rounded up |
/// | [Equal] | n that are equal | by n, whatever m is |
public sealed interface Quorum {
  /// The first reply.
  record First() implements Quorum {}

  /// The replies of all, of which the last one counts.
  record Last() implements Quorum {}

  /// The replies of all.
  record All() implements Quorum {}

  /// The replies of more than half of the members.
  record Majority() implements Quorum {}

  /// The replies of a part of the members.
  ///
  /// @param percent how many of a hundred members, 1 to 100; rounded up to whole members
  record Percentage(int percent) implements Quorum {
    /// Checks the range.
    public Percentage {
      if (percent < 1 || percent > 100) {
        throw new IllegalArgumentException("a percentage of members is 1 to 100, not " + percent);
      }
    }
  }

  /// As many equal replies.
  ///
  /// @param replies how many, at least 1
  record Equal(int replies) implements Quorum {
    /// Checks the range.
    public Equal {
      if (replies < 1) {
        throw new IllegalArgumentException("a quorum has at least 1 reply, not " + replies);
      }
    }
  }

  /// How many replies meet this quorum.
  ///
  /// @param members how many members there are, at least 1
  /// @return at least 1; more than `members` when an [Equal] asks for more than there are
  default int of(int members) {
    return switch (this) {
      case First _ -> 1;
      case Last _, All _ -> members;
      case Majority _ -> members / 2 + 1;
      case Percentage(int percent) -> (int) (((long) members * percent + 99) / 100);
      case Equal(int replies) -> replies;
    };
  }
}
