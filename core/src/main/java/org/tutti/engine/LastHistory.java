package org.tutti.engine;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Timer;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Proposal;
import org.tutti.order.Cut;
import org.tutti.order.FixedSequencer;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// The history of the last primary view that a member installed. It outlives the view: what is undecided in it waits
/// for a later primary view, and others fetch from it.
final class LastHistory implements Ports.Inward<FixedSequencer.Message> {
  private final Deliveries deliveries;
  private final Function<Proposal, PrimaryHistory> begin;
  private @Nullable PrimaryHistory current;
  private boolean active; // its view is installed and not wedged

  LastHistory(Deliveries deliveries, Function<Proposal, PrimaryHistory> begin) {
    this.deliveries = deliveries;
    this.begin = begin;
  }

  @Nullable PrimaryHistory current() {
    return current;
  }

  void found(PrimaryHistory first) {
    current = first;
    active = true;
  }

  void begin(Proposal proposal) {
    current = begin.apply(proposal);
  }

  boolean isActive() {
    return active;
  }

  void activate(boolean on) {
    active = on;
  }

  /// A message of the ordering to itself.
  @Override
  public void receive(MemberId from, FixedSequencer.Message message) {
    if (active && current != null) {
      try {
        current.order(from, message);
      } catch (Malformed malformed) {
        throw new IllegalStateException("own message: " + message, malformed);
      }
    }
  }

  @Override
  public void expire(Timer timer) {
    if (active && current != null) {
      current.expire(timer);
    }
  }

  private boolean isOf(ViewId view) {
    return current != null && current.view().id().equals(view);
  }

  /// Delivers the cut that ends it, if the proposal has one for this member.
  void end(View before, Proposal proposal) {
    PrimaryHistory ending = current;
    Cut cut = ending == null ? null : proposal.cutOf(ending.view().id());
    if (cut != null && (cut.whole() || before.id().equals(cut.view()))) {
      ending.end(cut);
    }
  }

  /// The same for a member that leaves and may be ahead of the cut.
  void endIfItFits(View before, Proposal proposal) {
    Cut cut = current == null ? null : proposal.cutOf(current.view().id());
    if (cut != null && fits(cut)) {
      end(before, proposal);
    }
  }

  // ---- for a view change -----------------------------------------------------------------------------------------

  Knowledge.@Nullable History report() {
    PrimaryHistory history = current;
    return history == null
        ? null
        : new Knowledge.History(history.view().id(), history.log().tail(history.decidedNext()));
  }

  boolean fits(Cut cut) {
    return current != null && current.log().fits(cut, deliveries.deliveredNext());
  }

  long missingFrom(Cut cut, int rank) {
    return current == null ? 0 : current.log().missingFrom(cut, rank);
  }

  /// Keeps a batch that was fetched.
  ///
  /// @return whether it belongs here
  boolean supplied(ViewId of, int rank, Batch batch) {
    PrimaryHistory history = current;
    return history != null
        && isOf(of)
        && rank < history.view().size()
        && history.view().members().get(rank).equals(batch.sender())
        && history.log().add(rank, batch);
  }

  @Nullable Batch find(ViewId of, int rank, long seq) {
    PrimaryHistory history = current;
    return history != null && isOf(of) ? history.log().find(rank, seq) : null;
  }
}
