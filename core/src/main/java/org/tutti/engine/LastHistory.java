package org.tutti.engine;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Proposal;
import org.tutti.order.Cut;

/// The history of the last primary view that a member installed. It outlives the view: what is undecided in it waits
/// for a later primary view, and others fetch from it.
final class LastHistory {
  private final Deliveries deliveries;
  private final Function<Proposal, PrimaryHistory> begin;
  private final KeptLog kept = new KeptLog();
  private boolean active; // its view is installed and not wedged

  LastHistory(Deliveries deliveries, Function<Proposal, PrimaryHistory> begin) {
    this.deliveries = deliveries;
    this.begin = begin;
  }

  KeptHistory kept() {
    return kept;
  }

  @Nullable PrimaryHistory current() {
    return kept.current();
  }

  /// The history that goes on here, if it does.
  @Nullable PrimaryHistory acting() {
    return active ? kept.current() : null;
  }

  /// Begins with the first primary view of a group.
  void found(PrimaryHistory first, boolean installed) {
    kept.set(first);
    activate(installed);
  }

  void begin(Proposal proposal) {
    PrimaryHistory next = begin.apply(proposal);
    kept.set(next);
    if (!active) {
      next.stop();
    }
  }

  boolean isActive() {
    return active;
  }

  /// A view that goes on is always a new one, so what is stopped stays so.
  void activate(boolean on) {
    PrimaryHistory current = kept.current();
    active = on;
    if (!on && current != null) {
      current.stop();
    }
  }

  void suspicionChanged() {
    PrimaryHistory current = acting();
    if (current != null) {
      current.suspicionChanged();
    }
  }

  /// Delivers the cut that ends it, if the proposal has one for this member.
  void end(View before, Proposal proposal) {
    PrimaryHistory ending = kept.current();
    Cut cut = ending == null ? null : proposal.cutOf(ending.view().id());
    if (cut != null && (cut.whole() || before.id().equals(cut.view()))) {
      ending.end(cut);
    }
  }

  /// Whether this member has the state, and everything before a primary view.
  boolean leadsTo(Proposal next) {
    View last = next.lastPrimary();
    return last != null
        && kept.isOf(last.id())
        && deliveries.isSynced()
        && deliveries.deliveredNext() == next.indexFirst();
  }

  /// The same for a member that leaves and may be ahead of the cut.
  void endIfItFits(View before, Proposal proposal) {
    ViewId of = kept.of();
    Cut cut = of == null ? null : proposal.cutOf(of);
    if (cut != null && kept.fits(cut) && kept.holds(cut)) {
      end(before, proposal);
    }
  }

  void check() {
    PrimaryHistory current = kept.current();
    Invariant.check(!active || current != null, "a history that goes on is there");
    if (current != null) {
      current.check();
    }
  }
}
