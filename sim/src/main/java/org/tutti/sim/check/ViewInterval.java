package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// One member's time in one view: from its installation to that of the member's next view, or to its end.
public final class ViewInterval {
  private final int member;
  private final View view;
  private final boolean waiting;
  private final long start;
  private final List<Delivered> inView = new ArrayList<>();
  private final List<Delivered> onTime = new ArrayList<>();
  private final List<Content> taken = new ArrayList<>();
  private final Set<SubsetId> subsets = new LinkedHashSet<>();
  private final List<SubsetId> subsetsHeld = new ArrayList<>();
  private final List<Content> branched = new ArrayList<>();
  private final List<Long> branchedAt = new ArrayList<>();
  private final boolean shownLate;
  private long nextAt = Long.MAX_VALUE;
  private @Nullable ViewInterval next;

  ViewInterval(int member, View view, boolean waiting, boolean shownLate, long start) {
    this.member = member;
    this.view = view;
    this.waiting = waiting;
    this.shownLate = shownLate;
    this.start = start;
  }

  /// Whose it is.
  ///
  /// @return the member's ordinal in the history
  public int member() {
    return member;
  }

  /// The view.
  ///
  /// @return the view
  public View view() {
    return view;
  }

  /// What the member installed next.
  ///
  /// @return its next stay, or null when it installed no further view
  public @Nullable ViewInterval next() {
    return next;
  }

  /// Whether the member had no state yet, or no longer, when it installed the view.
  ///
  /// @return whether deliveries were yet to begin, or to begin anew
  public boolean isWaiting() {
    return waiting;
  }

  /// Where the member stood when it installed the view.
  ///
  /// @return the index of its next delivery; meaningless while it is waiting
  public long start() {
    return start;
  }

  /// What got its place while this was the member's latest view, in the order in which the application got it.
  ///
  /// @return by place
  public List<Delivered> inView() {
    return Collections.unmodifiableList(inView);
  }

  /// What got its place on time: at a member that was not waiting, in the primary view itself.
  ///
  /// @return by place; nothing in a view that is not primary
  public List<Delivered> onTime() {
    return Collections.unmodifiableList(onTime);
  }

  /// What was delivered on time, with or without a place.
  ///
  /// @return in the order in which the application got it; nothing in a view that is not primary
  public List<Content> taken() {
    return Collections.unmodifiableList(taken);
  }

  void deliver(Delivered delivered) {
    inView.add(delivered);
    if (view.primary() && !waiting) {
      onTime.add(delivered);
      if (!delivered.again()) {
        taken.add(delivered.batch());
      }
    }
  }

  void deliverEarly(Content batch) {
    if (view.primary() && !waiting) {
      taken.add(batch);
    }
  }

  /// Which multicasts to some members were delivered on time.
  Set<SubsetId> subsets() {
    return subsets;
  }

  /// Of which of its own the member was told in the primary view itself that all destinations hold them.
  List<SubsetId> subsetsHeld() {
    return subsetsHeld;
  }

  void deliver(SubsetId subset) {
    if (view.primary() && !waiting) {
      subsets.add(subset);
    }
  }

  void held(SubsetId subset) {
    if (view.primary() && !waiting) { // who waits is shown its views later
      subsetsHeld.add(subset);
    }
  }

  /// Whether the member was in the view earlier than its application was shown, because it was waiting for a state:
  /// then it takes no part in the view's branch.
  ///
  /// @return whether it was
  public boolean isShownLate() {
    return shownLate;
  }

  /// What was delivered in the view's branch.
  ///
  /// @return in order; nothing in a primary view
  public List<Content> branched() {
    return Collections.unmodifiableList(branched);
  }

  /// How much of [#branched] was delivered before the view change that ended the branch.
  ///
  /// @param inDomain whether the next view may be shown later than the member installed it. Then what was delivered in
  ///                 the last moment may be what the view change brought
  /// @return batches; perhaps too few
  int branchedMeanwhile(boolean inDomain) {
    long end = inDomain && !branchedAt.isEmpty() ? Math.min(nextAt, branchedAt.getLast()) : nextAt;
    return (int) branchedAt.stream().filter(at -> at < end).count();
  }

  void deliverInBranch(HistoryEvent.Branched delivered) {
    branched.add(delivered.batch());
    branchedAt.add(delivered.nanos());
  }

  /// The member wants to leave; what it delivers from then on may be what it is left with.
  void leave(long nanos) {
    nextAt = nanos;
  }

  void follow(ViewInterval following, long nanos) {
    nextAt = nanos;
    next = following;
  }
}
