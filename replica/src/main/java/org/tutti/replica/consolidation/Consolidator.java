package org.tutti.replica.consolidation;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;

/// Makes the replies to one call into one outcome, by the rule of a [Consolidation].
///
/// ```java
/// var call = new Consolidator<ByteBuffer>(Consolidation.majority(), System.nanoTime());
/// call.asked(view.members()); // those that the call reached
/// call.reply(member, reply); // as they come
/// call.live(next.members()); // at each view change
/// call.tick(System.nanoTime()); // when the deadline is due
/// Consolidated<ByteBuffer> outcome = call.outcome(); // null while replies are waited for
/// ```
///
/// **Guarantee.** There is an outcome as soon as the rule is met, or cannot be met any more whatever is still answered,
/// and at the latest at the first [#tick] at or after the deadline; it never changes. Each of its replies was given to
/// [#reply] for a member that was asked, at most one for each, and what is chosen is one of them. A
/// [Consolidated.Success] of the quorum of all has a reply of every member that was asked.
///
/// **Members.** Those count whom the call reached ([#asked]); who comes later does not. A member that leaves without a
/// reply is not waited for any more, and a reply of it that comes later is dropped; one that it gave before counts.
/// As long as it is not known whom the call reached, replies are kept, and only the deadline ends the call.
///
/// **Threads**: none, and no clock: the caller gives the time, and calls from one thread at a time.
///
/// Source: see [Consolidation]; the membership that shrinks is that of G. Morgan, P. D. Ezhilchelvan, *Policies for
/// using Replica Groups and their effectiveness over the Internet*, where a client is told of it with the replies.
///
/// @param <R> the type of replies, which are compared by `equals` and must not change once they are given
public final class Consolidator<R> {
  private final Consolidation rule;
  private final long deadline;

  private final Map<MemberId, Reply<R>> replies = new LinkedHashMap<>(); // in the order in which they came
  private final NavigableSet<MemberId> waiting = new TreeSet<>(); // asked, live and silent
  private final NavigableSet<MemberId> departed = new TreeSet<>(); // without a reply
  private int asked; // how many members, or 0 while that is not known
  private @Nullable Consolidated<R> outcome;

  /// Begins a call, of which it is not known yet whom it reaches.
  ///
  /// @param rule     by which it ends
  /// @param nowNanos the time, in nanoseconds from any origin, as that of [System#nanoTime()]
  public Consolidator(Consolidation rule, long nowNanos) {
    this.rule = rule;
    this.deadline = nowNanos + rule.deadline().toNanos();
  }

  /// When the outcome is forced, for whoever sets a timer.
  ///
  /// @return in nanoseconds, on the clock of the constructor's argument
  public long deadlineNanos() {
    return deadline;
  }

  /// How the call ended.
  ///
  /// @return null while replies are waited for; then always the same
  public @Nullable Consolidated<R> outcome() {
    return outcome;
  }

  /// Whom the call reached: with a totally ordered call, the members of the view in which it was delivered. Replies of
  /// others that came before are dropped.
  ///
  /// @param members not empty; repetitions count once
  /// @throws IllegalArgumentException when there are none
  /// @throws IllegalStateException    when this was said before
  public void asked(Collection<MemberId> members) {
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a call asks at least one member");
    }
    if (asked > 0) {
      throw new IllegalStateException("this call asked " + asked + " members already");
    }
    if (outcome == null) {
      waiting.addAll(members);
      asked = waiting.size();
      replies.keySet().retainAll(waiting);
      waiting.removeAll(replies.keySet());
      conclude(false);
    }
  }

  /// A member answered.
  ///
  /// @param member who
  /// @param value  what
  /// @return whether it counts; not when there is an outcome, when the member has answered before, was not asked, or
  ///     has left
  public boolean reply(MemberId member, R value) {
    boolean expected = asked == 0 ? !replies.containsKey(member) : waiting.contains(member);
    if (outcome != null || !expected) {
      return false;
    }
    waiting.remove(member);
    replies.put(member, new Reply<>(member, value));
    conclude(false);
    return true;
  }

  /// Who is live, at a view change. Before [#asked] it says nothing, as whom the call reaches is told there.
  ///
  /// @param members the members of the new view
  public void live(Collection<MemberId> members) {
    if (outcome == null && asked > 0) {
      var gone = new TreeSet<>(waiting);
      gone.removeAll(new TreeSet<>(members));
      waiting.removeAll(gone);
      departed.addAll(gone);
      conclude(false);
    }
  }

  /// A member that was asked will not answer, though it is live: as one that leaves without a reply. Before [#asked] it
  /// says nothing.
  ///
  /// @param member who
  public void silent(MemberId member) {
    if (outcome == null && waiting.remove(member)) {
      departed.add(member);
      conclude(false);
    }
  }

  /// Time has passed. At or after the deadline there is an outcome, if there was none.
  ///
  /// @param nowNanos the time, on the clock of the constructor's argument
  public void tick(long nowNanos) {
    if (outcome == null && nowNanos - deadline >= 0) {
      conclude(true);
    }
  }

  /// Decides, if that is possible now.
  private void conclude(boolean due) {
    if (asked == 0) {
      outcome = due ? timeout() : null;
      return;
    }
    Votes votes = votes();
    NavigableSet<String> keys = missingKeys();
    boolean enough = votes.meet(asked) || reduced(votes);
    if (keyMemberIsGone(keys)) {
      outcome = new Consolidated.KeyMemberMissing<>(votes.replies, keys);
    } else if (!votes.canBecomeConsistent(waiting.size())) {
      outcome = new Consolidated.Inconsistent<>(votes.replies);
    } else if (enough && keys.isEmpty() && votes.areConsistent()) {
      outcome = success(votes);
    } else if (hopeless(votes)) {
      outcome = new Consolidated.InsufficientQuorum<>(votes.replies, departed);
    } else if (due) {
      outcome = late(votes, keys, enough);
    }
  }

  private Votes votes() {
    return new Votes(List.copyOf(replies.values()));
  }

  /// Whether the quorum of those asked is out of reach, and that of those who remain is met.
  private boolean reduced(Votes votes) {
    return !votes.canMeet(asked, waiting.size())
        && !(rule.quorum() instanceof Quorum.Equal)
        && votes.size() > 0
        && votes.meet(asked - departed.size());
  }

  /// Whether no reply can meet a quorum any more, be it a smaller one.
  private boolean hopeless(Votes votes) {
    boolean everybodyLeft = departed.size() == asked;
    boolean tooFewEqual = rule.quorum() instanceof Quorum.Equal && !votes.canMeet(asked, waiting.size());
    return everybodyLeft || tooFewEqual;
  }

  private Consolidated<R> success(Votes votes) {
    R chosen = votes.chosen();
    return votes.meet(asked)
        ? new Consolidated.Success<>(chosen, votes.replies)
        : new Consolidated.ReducedMembership<>(chosen, votes.replies, departed);
  }

  private Consolidated<R> late(Votes votes, NavigableSet<String> keys, boolean enough) {
    if (!enough) {
      return timeout();
    }
    return keys.isEmpty()
        ? new Consolidated.Inconsistent<>(votes.replies)
        : new Consolidated.KeyMemberMissing<>(votes.replies, keys);
  }

  private Consolidated<R> timeout() {
    Votes votes = votes();
    R chosen = votes.size() > 0 && votes.areConsistent() ? votes.chosen() : null;
    return new Consolidated.Timeout<>(chosen, votes.replies, waiting);
  }

  /// The names of the key members without a reply.
  private NavigableSet<String> missingKeys() {
    var missing = new TreeSet<>(rule.keyMembers());
    replies.keySet().forEach(member -> missing.remove(member.name()));
    return missing;
  }

  private boolean keyMemberIsGone(NavigableSet<String> missing) {
    return missing.stream().anyMatch(name -> waiting.stream().noneMatch(member -> member.name().equals(name)));
  }

  static <T> NavigableSet<T> sorted(Collection<T> values) {
    return Collections.unmodifiableNavigableSet(new TreeSet<>(values));
  }

  /// The replies that have come, counted by their values.
  private final class Votes {
    final List<Reply<R>> replies;
    private final Map<R, Integer> counts = new LinkedHashMap<>();
    private int best; // how often the value comes that comes most often

    Votes(List<Reply<R>> replies) {
      this.replies = replies;
      for (Reply<R> reply : replies) {
        best = Math.max(best, counts.merge(reply.value(), 1, Integer::sum));
      }
    }

    int size() {
      return replies.size();
    }

    boolean meet(int members) {
      return canMeet(members, 0);
    }

    boolean canMeet(int members, int more) {
      return (rule.quorum() instanceof Quorum.Equal ? best : size()) + more >= rule.quorum().of(members);
    }

    boolean areConsistent() {
      return canBecomeConsistent(0);
    }

    /// Whether some values of as many more replies, or of fewer, would make them consistent. For a majority it is best
    /// that all of them come, and say what is said most.
    boolean canBecomeConsistent(int more) {
      return switch (rule.consistency()) {
        case ANY -> true;
        case ALL_EQUAL -> counts.size() <= 1;
        case ALL_DIFFERENT -> best <= 1;
        case MAJORITY_EQUAL -> size() == 0 || 2 * (best + more) > size() + more;
      };
    }

    R chosen() {
      boolean byCount = rule.quorum() instanceof Quorum.Equal || rule.consistency() == Consistency.MAJORITY_EQUAL;
      if (rule.quorum() instanceof Quorum.Last) {
        return replies.getLast().value();
      }
      for (Reply<R> reply : replies) {
        if (byCount && counts.getOrDefault(reply.value(), 0) == best) {
          return reply.value();
        }
      }
      return replies.getFirst().value();
    }
  }
}
