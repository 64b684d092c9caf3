package org.tutti.engine;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Proposal;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;

/// The history of the last primary view that a member installed. It outlives the view: what is undecided in it waits
/// for a later primary view, and others fetch from it.
final class LastHistory implements KeptHistory {
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

  /// Begins with the first primary view of a group.
  void found(PrimaryHistory first, boolean installed) {
    current = first;
    activate(installed);
  }

  void begin(Proposal proposal) {
    PrimaryHistory next = begin.apply(proposal);
    current = next;
    if (!active) {
      next.stop();
    }
  }

  boolean isActive() {
    return active;
  }

  /// A view that goes on is always a new one, so what is stopped stays so.
  void activate(boolean on) {
    active = on;
    if (!on && current != null) {
      current.stop();
    }
  }

  void suspicionChanged() {
    if (active && current != null) {
      current.suspicionChanged();
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

  /// Whether this member has the state, and everything before a primary view.
  boolean leadsTo(Proposal next) {
    View last = next.lastPrimary();
    return last != null && isOf(last.id()) && deliveries.isSynced() && deliveries.deliveredNext() == next.indexFirst();
  }

  /// The same for a member that leaves and may be ahead of the cut.
  void endIfItFits(View before, Proposal proposal) {
    Cut cut = current == null ? null : proposal.cutOf(current.view().id());
    if (cut != null && fits(cut) && holds(cut)) {
      end(before, proposal);
    }
  }

  // ---- for a view change -----------------------------------------------------------------------------------------

  @Override
  public @Nullable ViewId of() {
    return current == null ? null : current.view().id();
  }

  @Override
  public Knowledge.@Nullable History report() {
    PrimaryHistory history = current;
    return history == null ? null : new Knowledge.History(history.view().id(), history.tail());
  }

  @Override
  public boolean allows(Knowledge.History report) {
    return current == null || !isOf(report.view()) || current.log().allows(report.tail());
  }

  @Override
  public boolean fits(Cut cut) {
    return current != null && current.log().fits(cut, deliveries.deliveredNext());
  }

  @Override
  public boolean holds(Cut cut) {
    return current != null && current.log().holds(cut);
  }

  @Override
  public long missingFrom(Cut cut, int rank) {
    return current == null ? 0 : current.log().missingFrom(cut, rank);
  }

  @Override
  public boolean supplied(ViewId of, int rank, Batch batch) {
    PrimaryHistory history = current;
    return history != null
        && isOf(of)
        && rank < history.view().size()
        && history.view().members().get(rank).equals(batch.sender())
        && history.supplied(rank, batch);
  }

  @Override
  public @Nullable Batch find(ViewId of, int rank, long seq) {
    PrimaryHistory history = current;
    return history != null && isOf(of) ? history.log().find(rank, seq) : null;
  }
}
