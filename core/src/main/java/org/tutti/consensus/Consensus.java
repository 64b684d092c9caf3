package org.tutti.consensus;

import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.wire.Malformed;

/// Agrees with the other members of a view on a sequence of values: instance 0, 1, 2 ... of consensus.
///
/// The contract. (1) *Agreement:* no two members decide differently in an instance, not even if one crashes at once.
/// (2) *Validity:* what is decided in an instance was proposed in it by a member. (3) *Integrity:* a member decides
/// each instance once, in order, none left out. (4) *Termination:* while a quorum lives and its members hear each other
/// in time, every member that lives decides whatever anybody has decided; and when all of them wait, another instance
/// is decided. Only (4) depends on time and on the failure detector: (1) to (3) hold whatever is suspected. Every
/// implementation passes one contract suite.
///
/// Constructors send nothing.
///
/// @param <M> the implementation's sealed messages
public interface Consensus<M> {
  /// A message came from another member of the view.
  ///
  /// @param from    who sent it
  /// @param message what it says
  /// @throws Malformed when it says what no member of the view could; then nothing was changed
  void receive(MemberId from, M message) throws Malformed;

  /// The implementation's timer has run out.
  void expire();

  /// The failure detector has changed its opinion of a member.
  void suspicionChanged();

  /// A run of inputs ends: time to ask for values, and to say in few messages what came of it.
  void flush();

  /// Fails when an invariant does not hold.
  void check();

  /// Whoever wants the decisions, at the same member.
  ///
  /// @param <V> the values' type
  interface User<V> {
    /// From now on this member is asked for values. Before the first such call, rank 0 is, from instance 0 on.
    ///
    /// @param before what it proposes, for others, in the instances just before those that it is going to be asked for
    void lead(List<V> before);

    /// A value to propose; asked for the instances in order, until the next [#lead].
    ///
    /// @param instance the instance's number
    /// @return the value, or null when there is nothing to decide now
    @Nullable V propose(long instance);

    /// Whether this member waits for a decision on something that every member could propose.
    ///
    /// @return whether it does
    boolean isWaiting();

    /// The decision of the next instance.
    ///
    /// @param instance the instance's number
    /// @param value    decided for ever, at all members
    void decided(long instance, V value);
  }

  /// Who decides together: the members of one view, as one of them sees it.
  ///
  /// @param self     this member's rank in the view
  /// @param view     the view; nobody comes or goes
  /// @param quorum   which ranks make a quorum; any two quorums share a member
  /// @param suspects the failure detector's present opinion of a rank; it may be wrong in both directions
  /// @param patience how long a member that waits for a decision bears with a silent coordinator at first
  record Panel(int self, View view, Predicate<IntPredicate> quorum, IntPredicate suspects, Duration patience) {}
}
