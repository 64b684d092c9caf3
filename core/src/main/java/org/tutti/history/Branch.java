package org.tutti.history;

import java.util.ArrayDeque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Proposal;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;

/// What the members of a view that is not primary multicast among themselves, at one member: a history of its own
/// beside that of the primary views, from which nothing goes over and to which nothing comes. It begins and ends with
/// the view; members that go on together end it by the same cut, and so deliver the same.
///
/// Batches are numbered, and placed, from 0 in each branch. Messages of all services are delivered at their places,
/// which respect causality.
public final class Branch implements ViewHistory.Deliverer {
  private record Outstanding(long index, long cost) {}

  private final MemberId self;
  private final GroupUser user;
  private final Function<View, ViewHistory> open;
  private final ViewHistory.KeptLog kept = new ViewHistory.KeptLog();
  private final ArrayDeque<Outstanding> unconsumed = new ArrayDeque<>(); // own delivered batches, by index
  private boolean active; // its view is installed and not wedged
  private boolean taking; // the user was shown the view, so this member takes part
  private long deliveredNext;
  private long sentNext;
  private long ownDelivered;
  private long ownMessages; // delivered in all branches
  private long handed; // how many batches the user got, of all branches

  /// Begins without a branch.
  ///
  /// @param self this member
  /// @param user gets what is delivered
  /// @param open makes the history of a view
  public Branch(MemberId self, GroupUser user, Function<View, ViewHistory> open) {
    this.self = self;
    this.user = user;
    this.open = open;
  }

  /// What is kept of the branch, as view changes see it.
  ///
  /// @return always the same object
  public KeptHistory kept() {
    return kept;
  }

  /// The branch that goes on here, if one does.
  ///
  /// @return its history, or null
  public @Nullable ViewHistory acting() {
    return active ? kept.current() : null;
  }

  /// A view begins in which members go on although it is not primary.
  ///
  /// @param view  the view
  /// @param shown whether the user knows of it already. Otherwise it waits for a state, and what was before that is
  ///              not shown yet: then this member multicasts and delivers nothing here, but helps the others
  public void begin(View view, boolean shown) {
    deliveredNext = 0;
    sentNext = 0;
    ownDelivered = 0;
    taking = shown;
    active = true;
    kept.set(open.apply(view));
  }

  /// The view is wedged.
  public void stop() {
    ViewHistory current = acting();
    active = false;
    if (current != null) {
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

  /// The view is over: delivers what those who go on together have of it. What the applications have not consumed
  /// does not count in windows any more.
  ///
  /// @param proposal what was agreed
  public void end(Proposal proposal) {
    ViewHistory current = kept.current();
    Cut cut = current == null ? null : proposal.cutOf(current.view().id());
    if (current != null && cut != null && kept.fits(cut) && kept.holds(cut)) {
      current.end(cut);
    }
    consumedByAll(deliveredNext);
    kept.set(null);
  }

  // ---- own multicasts --------------------------------------------------------------------------------------------

  boolean isSending() {
    return active && taking;
  }

  /// The number of this member's next batch.
  long sentNext() {
    return sentNext;
  }

  /// How many of its batches are not delivered yet.
  int undecided() {
    return (int) (sentNext - ownDelivered);
  }

  /// How many of its messages branches have delivered.
  long ownMessages() {
    return ownMessages;
  }

  void send(Batch batch) {
    ViewHistory current = acting();
    if (current != null) {
      sentNext = batch.seq() + 1;
      current.send(batch);
    }
  }

  // ---- deliveries ------------------------------------------------------------------------------------------------

  @Override
  public long deliveredNext() {
    return deliveredNext;
  }

  @Override
  public void deliver(long index, Batch batch) {
    deliveredNext = index + 1;
    if (batch.sender().equals(self)) {
      ownDelivered++;
      ownMessages += batch.count();
      unconsumed.add(new Outstanding(index, SenderLedger.cost(batch)));
      user.decidedInBranch(batch.count());
    }
    if (taking) {
      handed++;
      user.deliverInBranch(batch);
    }
  }

  /// Waits for its place.
  @Override
  public void deliverEarly(Batch batch) {}

  /// What the user has not consumed is what it got last.
  @Override
  public long consumedNext() {
    return Math.max(0, deliveredNext - (handed - user.consumedInBranches()));
  }

  /// Batches are not used again: applications count what they consume in branches, and not by its index.
  @Override
  public long consumedBelow() {
    return 0;
  }

  @Override
  public void giveBack(Batch batch) {
    throw new IllegalStateException("none is below 0");
  }

  @Override
  public void consumedByAll(long index) {
    long cost = 0;
    while (!unconsumed.isEmpty() && unconsumed.peekFirst().index < index) {
      cost += unconsumed.pollFirst().cost;
    }
    if (cost > 0) {
      user.released(cost);
    }
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(!active || kept.current() != null, "a branch that goes on has a history");
    Invariant.check(ownDelivered <= sentNext, "no own batch is delivered that was not sent in the branch");
    Outstanding last = unconsumed.peekLast();
    Invariant.check(last == null || last.index < deliveredNext, "only what a branch has delivered is to be consumed");
    Invariant.check(
        user.consumedInBranches() <= handed, "the application has consumed no more than it got in branches");
    ViewHistory current = kept.current();
    if (current != null) {
      current.check();
    }
  }
}
