package org.tutti.engine;

import org.tutti.Guarantee;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.effect.Timer;
import org.tutti.membership.PrimaryRule;
import org.tutti.order.Cut;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Log;
import org.tutti.order.Stability;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// One primary view's history at one member: the log, who decides its places, and who holds how much of it.
final class PrimaryHistory {
  private final View view;
  private final int self;
  private final Log log;
  private final TotalOrder<FixedSequencer.Message> order;
  private final Stability stability;
  private final Deliveries deliveries;
  private final Effects<Batch> batches;

  PrimaryHistory(
      MemberId self,
      View view,
      long indexFirst,
      Guarantee guarantee,
      PrimaryRule rule,
      Deliveries deliveries,
      Doors doors) {
    this.view = view;
    this.self = view.rankOf(self);
    this.deliveries = deliveries;
    this.batches = doors.batches;
    this.log = new Log(view, indexFirst);
    this.order = new FixedSequencer(self, view, indexFirst, doors.order, log::place);
    this.stability =
        new Stability(this.self, view, indexFirst, guarantee, ranks -> rule.isQuorum(view, ranks), doors.stability);
  }

  /// The protocols' doors; they outlive a view.
  ///
  /// @param batches   for the senders' batches
  /// @param order     for the ordering
  /// @param stability for progress
  record Doors(Effects<Batch> batches, Effects<FixedSequencer.Message> order, Effects<Stability.Message> stability) {}

  View view() {
    return view;
  }

  Log log() {
    return log;
  }

  /// Sends a batch of this member to everybody.
  void send(Batch batch) {
    batches.broadcast(batch);
    boolean next = log.add(self, batch);
    Invariant.check(next, "own batches are sent in order");
    order.arrived(self, batch.seq());
  }

  void batch(MemberId from, Batch batch) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || !log.add(rank, batch)) {
      throw new Malformed("batch out of order");
    }
    order.arrived(rank, batch.seq());
  }

  void order(MemberId from, FixedSequencer.Message message) throws Malformed {
    order.receive(from, message);
  }

  void expire(Timer timer) {
    order.expire(timer);
  }

  void stability(MemberId from, Stability.Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0) {
      throw new Malformed("stability of a stranger");
    }
    stability.receive(rank, message);
  }

  /// Delivers what may be delivered now.
  ///
  /// @return whether anything was
  boolean deliver() {
    order.flush();
    stability.progress(log.heldNext(), deliveries.consumedNext());
    return deliverUpTo(stability.decidedNext());
  }

  private boolean deliverUpTo(long end) {
    boolean any = false;
    while (deliveries.deliveredNext() < end) {
      long index = deliveries.deliveredNext();
      deliveries.deliver(index, log.at(index));
      any = true;
    }
    return any;
  }

  /// Ends a run of inputs: tells the others how far this member is, forgets what all have.
  void flush() {
    stability.progress(log.heldNext(), deliveries.consumedNext());
    stability.flush();
    log.dropBefore(Math.min(stability.heldByAll(), deliveries.deliveredNext()));
    deliveries.consumedByAll(stability.consumedByAll());
  }

  /// What may be delivered, as far as this member knows.
  long decidedNext() {
    return Math.max(deliveries.deliveredNext(), stability.decidedNext());
  }

  /// Delivers the end of this history.
  void end(Cut cut) {
    log.adopt(cut, deliveries.deliveredNext());
    deliverUpTo(cut.end());
  }
}
