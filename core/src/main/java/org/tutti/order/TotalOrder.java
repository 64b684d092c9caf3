package org.tutti.order;

import org.tutti.MemberId;
import org.tutti.effect.Timer;
import org.tutti.wire.Malformed;

/// Decides which batch stands at which place of one primary view's history. It decides nothing else: batches are kept
/// in the [Log], what may be delivered is [Stability]'s, what becomes of a view's end is the view change's.
///
/// An instance serves one view. Every ordering passes one contract suite.
///
/// @param <M> the ordering's sealed messages
public interface TotalOrder<M> {
  /// A batch is here, this member's own ones included; a sender's batches come in order.
  ///
  /// @param rank the sender's rank in the view
  /// @param seq  the batch's number
  void arrived(int rank, long seq);

  /// A message of the ordering came from a member of the view, in this view.
  ///
  /// @param from    who sent it
  /// @param message what it says
  /// @throws Malformed when it says what no member of the view could
  void receive(MemberId from, M message) throws Malformed;

  /// A timer has run out.
  ///
  /// @param timer its key
  void expire(Timer timer);

  /// A run of inputs ends: time to say in one message what it decided.
  void flush();

  /// Where the decisions go.
  @FunctionalInterface
  interface Places {
    /// Gives the next place to a batch.
    ///
    /// @param rank the sender's rank in the view
    /// @param seq  the batch's number
    void place(int rank, long seq);
  }
}
