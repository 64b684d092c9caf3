package org.tutti.domain;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupMetrics;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.membership.StateChecksum;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;
import org.tutti.user.Notice;
import org.tutti.user.Report;

/// Stands before the user of a group that is in a [Domain]: keeps what happens to the group, in its order, until the
/// domain lets its deliveries pass. It is bounded by the members' windows, because what waits is not consumed.
public final class DomainMember implements GroupUser {
  private sealed interface Waiting {
    record Delivery(long index, Batch batch, long position, long stamp) implements Waiting {}

    record Entry(Domain.Last behind, Runnable upcall) implements Waiting {}

    record Other(@Nullable Batch placed, Runnable upcall) implements Waiting {}
  }

  private final GroupUser user;
  private final Domain domain;
  private final long group;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private int deliveries; // among those that wait
  private long chain; // the highest stamp in the history so far
  private Domain.@Nullable Side side;

  /// Begins outside of the domain.
  ///
  /// @param user   whoever uses the group
  /// @param domain the node's
  /// @param group  the group's name on the wire
  public DomainMember(GroupUser user, Domain domain, long group) {
    this.user = user;
    this.domain = domain;
    this.group = group;
  }

  /// Joins the domain.
  ///
  /// @param of the group
  public void begin(Domain.Side of) {
    side = of;
    domain.add(this);
  }

  long group() {
    return group;
  }

  Domain.Side side() {
    return Objects.requireNonNull(side);
  }

  /// This member multicasts something.
  ///
  /// @param add hands it to the group's packer
  public void multicast(Runnable add) {
    domain.multicast(this, add);
  }

  /// Whether nothing waits.
  ///
  /// @return whether this member could leave
  public boolean isReleased() {
    return waiting.isEmpty() && !domain.isWaiting(this);
  }

  /// What the group has decided and the domain keeps for now. A crash takes it along.
  ///
  /// @return the batches that have their places and wait, in their order
  public List<Batch> keptBack() {
    List<Batch> batches = new ArrayList<>();
    for (Waiting one : waiting) {
      if (one instanceof Waiting.Delivery delivery) {
        batches.add(delivery.batch);
      } else if (one instanceof Waiting.Other other && other.placed != null) {
        batches.add(other.placed);
      }
    }
    return batches;
  }

  /// The lowest stamp that this group's next delivery can have.
  long lowest() {
    if (deliveries > 0) {
      for (Waiting one : waiting) {
        if (one instanceof Waiting.Delivery delivery) {
          return delivery.stamp;
        }
      }
    }
    return Math.max(chain, side().bound());
  }

  /// A delivery of another group waits: if nothing waits here, only the members' clocks can help.
  void askIfIdle(long stamp) {
    if (deliveries == 0) {
      side().ask(stamp);
    }
  }

  /// Lets pass what may pass.
  ///
  /// @return whether anything did
  boolean release() {
    boolean any = false;
    while (!waiting.isEmpty() && isNext(waiting.getFirst())) {
      any = true;
      releaseFirst();
    }
    return any;
  }

  private void releaseFirst() {
    switch (waiting.removeFirst()) {
      case Waiting.Other(_, Runnable upcall) -> upcall.run();
      case Waiting.Entry(_, Runnable upcall) -> upcall.run();
      case Waiting.Delivery(long index, Batch batch, long position, long stamp) -> {
        deliveries--;
        domain.delivered(this, stamp);
        user.deliver(index, batch, position);
      }
    }
  }

  private boolean isNext(Waiting first) {
    return switch (first) {
      case Waiting.Delivery delivery -> domain.isNext(this, delivery.stamp);
      case Waiting.Entry entry -> mayEnter(entry.behind);
      case Waiting.Other _ -> true;
    };
  }

  /// Whether nothing that is multicast in this group from now on comes before what the node's other groups had
  /// delivered when this member came in. Until then they waited for nothing here, so they may be far ahead of the
  /// clocks of its members.
  private boolean mayEnter(Domain.Last behind) {
    long lowest = Math.max(chain, side().bound());
    if (lowest > behind.stamp() || lowest == behind.stamp() && group >= behind.group()) {
      return true;
    }
    side().ask(behind.stamp());
    return false;
  }

  /// From here on deliveries are in time. The domain looks at it at the end of the run of inputs: only then the other
  /// groups wait for this one.
  private void enter(Runnable upcall) {
    waiting.add(new Waiting.Entry(domain.last(), upcall));
  }

  private void inOrder(Runnable upcall) {
    inOrder(null, upcall);
  }

  private void inOrder(@Nullable Batch placed, Runnable upcall) {
    if (waiting.isEmpty()) {
      upcall.run();
    } else {
      waiting.add(new Waiting.Other(placed, upcall));
    }
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    chain = Math.max(chain, batch.stamp());
    if (!side().isInTime()) {
      inOrder(batch, () -> user.deliver(index, batch, position)); // late: no other group waited for it
      return;
    }
    deliveries++;
    waiting.add(new Waiting.Delivery(index, batch, position, chain));
  }

  /// What needs no place waits for nothing but what is before it in its group; order among groups is promised for
  /// totally ordered messages.
  @Override
  public void deliverEarly(Batch batch) {
    inOrder(() -> user.deliverEarly(batch));
  }

  /// No other group waits for a branch.
  @Override
  public void deliverInBranch(Batch batch) {
    inOrder(() -> user.deliverInBranch(batch));
  }

  @Override
  public void subsetDecided(long number, GroupUser.SubsetOutcome fate) {
    inOrder(() -> user.subsetDecided(number, fate));
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    chain = Math.max(chain, batch.stamp());
    inOrder(batch, () -> user.pass(index, batch, position));
  }

  @Override
  public void begin(long index, long position) {
    enter(() -> user.begin(index, position));
  }

  @Override
  public void install(View view) {
    if (view.primary() && side().isInTime()) {
      enter(() -> user.install(view));
    } else {
      inOrder(() -> user.install(view));
    }
  }

  @Override
  public void caughtUp(long position) {
    inOrder(() -> user.caughtUp(position));
  }

  @Override
  public void status(Report status) {
    user.status(status);
  }

  @Override
  public void position(long next) {
    user.position(next);
  }

  @Override
  public void notice(Notice notice) {
    user.notice(notice);
  }

  @Override
  public void looked(List<Wait> behind) {
    user.looked(behind);
  }

  @Override
  public void peers(List<GroupMetrics.Peer> seen) {
    user.peers(seen);
  }

  @Override
  public SortedMap<String, Long> whiteboardPut() {
    return user.whiteboardPut();
  }

  @Override
  public void whiteboard(Map<MemberId, SortedMap<String, Long>> values) {
    user.whiteboard(values); // waits for nothing
  }

  /// In line, because its caller may know what has become of its multicasts.
  @Override
  public void localCall(Event.LocalCall call) {
    inOrder(() -> user.localCall(call));
  }

  @Override
  public void ordering(Ordering ordering) {
    inOrder(() -> user.ordering(ordering));
  }

  @Override
  public void confirmed(long questions, long position) {
    inOrder(() -> user.confirmed(questions, position));
  }

  @Override
  public void decided(int messages, long position) {
    inOrder(() -> user.decided(messages, position));
  }

  @Override
  public void decidedInBranch(int messages) {
    inOrder(() -> user.decidedInBranch(messages));
  }

  @Override
  public void undecided(int messages) {
    inOrder(() -> user.undecided(messages));
  }

  @Override
  public void giveBack(ByteBuffer payload) {
    user.giveBack(payload);
  }

  @Override
  public void released(long cost) {
    inOrder(() -> user.released(cost)); // or it would be for members of a view that is not shown yet
  }

  @Override
  public long consumed() {
    return user.consumed();
  }

  @Override
  public long taken() {
    return user.taken();
  }

  @Override
  public long consumedInBranches() {
    return user.consumedInBranches();
  }

  /// What waits is not delivered any more.
  @Override
  public void closed(End end) {
    domain.remove(this);
    waiting.clear();
    user.closed(end);
  }

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    inOrder(() -> user.stateRequested(transfer, newcomer));
  }

  @Override
  public void stateWanted(long transfer) {
    inOrder(() -> user.stateWanted(transfer));
  }

  @Override
  public void stateKnown(long transfer, ByteBuffer token) {
    inOrder(() -> user.stateKnown(transfer, token));
  }

  @Override
  public void stateCancelled(long transfer) {
    inOrder(() -> user.stateCancelled(transfer));
  }

  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    inOrder(() -> user.stateOffered(transfer, donor, index, position));
  }

  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
    inOrder(() -> user.stateChunk(transfer, chunk, end));
  }

  @Override
  public void stateInterrupted(long transfer) {
    inOrder(() -> user.stateInterrupted(transfer));
  }

  void check() {
    int count = 0;
    long last = 0;
    for (Waiting one : waiting) {
      if (one instanceof Waiting.Delivery delivery) {
        Invariant.check(
            last <= delivery.stamp && delivery.stamp <= chain, "a group's deliveries are stamped in their order");
        last = delivery.stamp;
        count++;
      }
    }
    Invariant.check(deliveries == count, "deliveries that wait are counted");
  }
}
