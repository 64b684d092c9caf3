package org.tutti.order;

import java.time.Duration;
import java.util.function.IntPredicate;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.wire.Malformed;

/// Decides which batch stands at which place of one primary view's history. It decides nothing else: batches are kept
/// in the [Log], what may be delivered is [Stability]'s, what becomes of a view's end is the view change's.
///
/// The contract, within one view. (1) *One order:* the places that any two members give are prefixes of one sequence.
/// (2) *First in, first out:* a sender's batches are placed in the order of their numbers, without a gap. (3)
/// *Integrity:* each batch is placed once, and only if its sender sent it. (4) *Liveness:* as long as all members talk
/// to each other, every batch is placed at all. (5) *Arrived first:* a place beyond one whose batch has not arrived
/// here is given only by an ordering that decides nothing beyond a switch (see [#retire]). (6) *Causes first:* a batch
/// that arrives before another at every member, and has the lower stamp, is placed before it. Every ordering passes one
/// contract suite.
///
/// An instance serves one view, or the part of a view between two switches. Constructors send nothing.
///
/// @param <M> the ordering's sealed messages
public interface TotalOrder<M> {
  /// A batch is here, this member's own ones included; a sender's batches come in order.
  ///
  /// @param rank  the sender's rank in the view
  /// @param seq   the batch's number
  /// @param stamp the sender's [Clock] when it sent the batch; a sender's stamps rise, and the clock here has seen it
  void arrived(int rank, long seq, long stamp);

  /// A message of the ordering came from a member of the view, in this view.
  ///
  /// @param from    who sent it
  /// @param message what it says
  /// @throws Malformed when it says what no member of the view could; then nothing was changed
  void receive(MemberId from, M message) throws Malformed;

  /// A timer has run out.
  ///
  /// @param timer its key
  default void expire(Effects.Timer timer) {
    throw new IllegalArgumentException("no timer " + timer);
  }

  /// The failure detector has changed its opinion of a member.
  default void suspicionChanged() {}

  /// A run of inputs ends: time to say in one message what it decided.
  void flush();

  /// The group has switched to another ordering at this member: places are not wanted any more. The instance lives on
  /// until every member has switched, and goes on to answer those that have not; it must not lead anybody to a place
  /// behind the one at which this member switched.
  default void retire() {}

  /// Fails when an invariant does not hold.
  void check();

  /// Where the decisions go.
  @FunctionalInterface
  interface Places {
    /// Gives the next place to a batch.
    ///
    /// @param rank the sender's rank in the view
    /// @param seq  the batch's number
    void place(int rank, long seq);
  }

  /// Where a [TotalOrder] works: one primary view at one member.
  ///
  /// @param self       this member's rank in the view
  /// @param view       the view
  /// @param indexFirst the index of the first place that this ordering decides
  /// @param quorum     which ranks make a quorum of the view
  /// @param clock      the member's; it outlives the view, and has seen the stamp of every batch that arrived
  /// @param suspects   the failure detector's present opinion of a rank; it may be wrong in both directions
  /// @param heartbeat  a living member is heard at least this often, as long as no message is lost
  record Context(
      int self,
      View view,
      long indexFirst,
      Stability.Quorum quorum,
      Clock clock,
      IntPredicate suspects,
      Duration heartbeat) {}
}
