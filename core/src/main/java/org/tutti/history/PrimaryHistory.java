package org.tutti.history;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Proposal;
import org.tutti.order.Cut;

/// The history of primary views at one member: that of the last one which it installed. It outlives the view: what is
/// undecided in it waits for a later primary view, and others fetch from it. ([Branch] is its counterpart in views that
/// are not primary.)
public final class PrimaryHistory {
  private final Deliveries deliveries;
  private final Function<Proposal, ViewHistory> begin;
  private final ViewHistory.KeptLog kept = new ViewHistory.KeptLog();
  private boolean active; // its view is installed and not wedged

  /// Begins without a view.
  ///
  /// @param deliveries where the history goes
  /// @param begin      makes the history of a view that was agreed
  public PrimaryHistory(Deliveries deliveries, Function<Proposal, ViewHistory> begin) {
    this.deliveries = deliveries;
    this.begin = begin;
  }

  /// What is kept of it, as view changes see it.
  ///
  /// @return always the same object
  public KeptHistory kept() {
    return kept;
  }

  /// The history of the last primary view, even if that is over here.
  ///
  /// @return the history, or null before the first primary view
  public @Nullable ViewHistory current() {
    return kept.current();
  }

  /// The history that goes on here, if it does.
  ///
  /// @return the history, or null
  public @Nullable ViewHistory acting() {
    return active ? kept.current() : null;
  }

  /// Begins with the first primary view of a group, or with what an earlier life had kept.
  ///
  /// @param first     its history
  /// @param installed whether it goes on here
  public void found(ViewHistory first, boolean installed) {
    kept.set(first);
    activate(installed);
  }

  /// A primary view begins.
  ///
  /// @param proposal what was agreed
  public void begin(Proposal proposal) {
    ViewHistory next = begin.apply(proposal);
    kept.set(next);
    if (!active) {
      next.stop();
    }
  }

  /// Whether the history goes on here.
  ///
  /// @return whether its view is installed, and not wedged
  public boolean isActive() {
    return active;
  }

  /// A view that goes on is always a new one, so what is stopped stays so.
  ///
  /// @param on whether the history, or the one that begins next, goes on
  public void activate(boolean on) {
    ViewHistory current = kept.current();
    active = on;
    if (!on && current != null) {
      current.stop();
    }
  }

  /// The failure detector's opinion has changed.
  public void suspicionChanged() {
    ViewHistory current = acting();
    if (current != null) {
      current.suspicionChanged();
    }
  }

  /// Delivers the cut that ends it, if the proposal has one for this member.
  ///
  /// @param before   the view that is left
  /// @param proposal what was agreed
  public void end(View before, Proposal proposal) {
    ViewHistory ending = kept.current();
    Cut cut = ending == null ? null : proposal.cutOf(ending.view().id());
    if (cut != null && (cut.whole() || before.id().equals(cut.view()))) {
      ending.end(cut);
    }
  }

  /// Whether this member has the state, and everything before a primary view.
  ///
  /// @param next the view, as it was agreed
  /// @return whether nothing is missing here
  public boolean leadsTo(Proposal next) {
    View last = next.lastPrimary();
    return last != null
        && kept.isOf(last.id())
        && deliveries.isSynced()
        && deliveries.deliveredNext() == next.indexFirst();
  }

  /// The same for a member that leaves and may be ahead of the cut.
  ///
  /// @param before   the view that is left
  /// @param proposal what was agreed
  public void endIfItFits(View before, Proposal proposal) {
    ViewId of = kept.of();
    Cut cut = of == null ? null : proposal.cutOf(of);
    if (cut != null && kept.fits(cut) && kept.holds(cut)) {
      end(before, proposal);
    }
  }

  /// Fails when an invariant does not hold.
  public void check() {
    ViewHistory current = kept.current();
    Invariant.check(!active || current != null, "a history that goes on is there");
    if (current != null) {
      current.check();
    }
  }
}
