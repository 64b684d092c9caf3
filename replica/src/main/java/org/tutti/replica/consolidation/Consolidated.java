package org.tutti.replica.consolidation;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;

/// How a call to several members ended, with the replies and who gave them.
///
/// ```java
/// switch (outcome) {
///   case Consolidated.Success(ByteBuffer chosen, var _) -> use(chosen);
///   case Consolidated.ReducedMembership(ByteBuffer chosen, var _, var departed) -> useWithout(departed, chosen);
///   case Consolidated.Timeout(var _, var replies, var silent) -> report(replies, silent);
///   default -> refuse(outcome);
/// }
/// ```
///
/// Values; the lists and sets are unmodifiable. Replies stand in the order in which they came, at most one of a member.
///
/// @param <R> the type of replies
public sealed interface Consolidated<R> {
  /// All replies that came before the outcome.
  ///
  /// @return in the order in which they came, also those that were not chosen
  List<Reply<R>> replies();

  /// The quorum of all members that were asked is met, the replies are consistent, and all key members have answered.
  ///
  /// @param <R>     the type of replies
  /// @param chosen  the reply of the majority with [Consistency#MAJORITY_EQUAL]; one of the n equal ones with
  ///                [Quorum.Equal]; the last one with [Quorum.Last]; otherwise the first one
  /// @param replies see [Consolidated#replies()]
  record Success<R>(R chosen, List<Reply<R>> replies) implements Consolidated<R> {
    /// Copies the list.
    public Success {
      replies = List.copyOf(replies);
    }
  }

  /// As [Success], but only because members left without having answered: the quorum of those asked cannot be met any
  /// more, that of the remaining ones is.
  ///
  /// @param <R>      the type of replies
  /// @param chosen   as with [Success]
  /// @param replies  see [Consolidated#replies()]
  /// @param departed who left without a reply, not empty
  record ReducedMembership<R>(R chosen, List<Reply<R>> replies, Set<MemberId> departed) implements Consolidated<R> {
    /// Copies the collections.
    public ReducedMembership {
      replies = List.copyOf(replies);
      departed = Consolidator.sorted(departed);
    }
  }

  /// The deadline came before the quorum was met.
  ///
  /// @param <R>     the type of replies
  /// @param chosen  what the rule would have chosen from what is there; null when nothing is, or when that is not
  ///                consistent
  /// @param replies see [Consolidated#replies()]; may be empty
  /// @param silent  who was still waited for; empty when it was not even known whom the call reached
  record Timeout<R>(@Nullable R chosen, List<Reply<R>> replies, Set<MemberId> silent) implements Consolidated<R> {
    /// Copies the collections.
    public Timeout {
      replies = List.copyOf(replies);
      silent = Consolidator.sorted(silent);
    }
  }

  /// The quorum cannot be met: not enough equal replies are possible any more, or all left without a reply.
  ///
  /// @param <R>      the type of replies
  /// @param replies  see [Consolidated#replies()]
  /// @param departed who left without a reply; may be empty
  record InsufficientQuorum<R>(List<Reply<R>> replies, Set<MemberId> departed) implements Consolidated<R> {
    /// Copies the collections.
    public InsufficientQuorum {
      replies = List.copyOf(replies);
      departed = Consolidator.sorted(departed);
    }
  }

  /// The replies contradict the rule's [Consistency], whatever others may still answer; or they do when the deadline
  /// comes.
  ///
  /// @param <R>     the type of replies
  /// @param replies see [Consolidated#replies()]
  record Inconsistent<R>(List<Reply<R>> replies) implements Consolidated<R> {
    /// Copies the list.
    public Inconsistent {
      replies = List.copyOf(replies);
    }
  }

  /// A key member was not asked, left without a reply, or is the only one that is missing when the deadline comes.
  ///
  /// @param <R>     the type of replies
  /// @param replies see [Consolidated#replies()]
  /// @param missing the names of the key members without a reply, not empty; of those that may still answer, too
  record KeyMemberMissing<R>(List<Reply<R>> replies, Set<String> missing) implements Consolidated<R> {
    /// Copies the collections.
    public KeyMemberMissing {
      replies = List.copyOf(replies);
      missing = Consolidator.sorted(missing);
    }
  }
}
