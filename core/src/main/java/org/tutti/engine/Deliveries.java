package org.tutti.engine;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.StateTransfer;
import org.tutti.pack.Batch;

/// Between the history and the application: gives messages their positions, remembers what of each sender is delivered,
/// keeps deliveries back while the state is on the way, and tells this member's senders what became of their messages.
///
/// What is delivered before it has a place goes the same way, held back like the rest while the state is on the way. A
/// state contains a view's history up to the view's beginning and nothing else, because whoever went into the view
/// without waiting had nothing delivered that its cut did not contain.
final class Deliveries implements Deliverer {
  private static final int MARKS_MAX = 1024;

  /// What waits for the state.
  private sealed interface Held {
    record Ordered(long index, Batch batch, boolean again) implements Held {}

    record Early(Batch batch) implements Held {}

    record SubsetMulticast(Batch batch) implements Held {}

    record Changed(View view) implements Held {}
  }

  private record Sent(Batch batch, long cost) {}

  private record Outstanding(long index, long cost) {}

  private final MemberId self;
  private final GroupUser user;
  private final int catchUpBytesMax;
  private final boolean stateful; // the application starts over with a state
  private final StorageProgress written;
  private final Map<MemberId, Long> marks =
      new LinkedHashMap<>(); // sender -> number behind its last batch that has its place
  private final EarlyMarks early = new EarlyMarks();
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long heldBytes;
  private final ArrayDeque<Sent> undecided = new ArrayDeque<>(); // own batches, by number
  private final ArrayDeque<Outstanding> unconsumed = new ArrayDeque<>(); // own delivered batches, by index
  private long ownMessages;
  private long positionNext;
  private long beginIndex; // where deliveries begin once the state is here
  private StateTransfer.@Nullable Start started; // where the state ends that is coming
  private long deliveredNext; // index behind what was delivered, or is held back
  private long handed; // batches that the user got, ever
  private long handedFirst; // those from this index on came without a gap
  private long handedNext; // index behind them
  private long consumedSaid; // only rises, unless deliveries begin anew
  private long sentNext; // number behind this member's last batch
  private long ownPlacedNext; // number behind this member's last batch that the history contains
  private long positionFirst; // what is before is with the application, even if its batch is not
  private boolean synced;
  private boolean replaying; // what comes before all that is held back is in this member's own log
  private @Nullable View shown; // the last view that the user was told of
  private boolean serving; // as the user was told

  Deliveries(MemberId self, GroupUser user, Terms terms, boolean synced, StorageProgress written) {
    this.written = written;
    this.self = self;
    this.user = user;
    this.catchUpBytesMax = terms.member().catchUpBytesMax();
    this.stateful = terms.stateTransfer();
    this.synced = synced;
  }

  boolean isSynced() {
    return synced;
  }

  @Override
  public long deliveredNext() {
    return deliveredNext;
  }

  // ---- own multicasts --------------------------------------------------------------------------------------------

  /// What a batch's messages count in their sender's window.
  static long cost(Batch batch) {
    long cost = GroupUser.MESSAGE_OVERHEAD * (long) batch.count();
    Batch.Messages messages = batch.messages();
    while (messages.hasNext()) {
      cost += messages.next().remaining();
    }
    return cost;
  }

  /// This member has sent a batch.
  void sent(Batch batch) {
    undecided.add(new Sent(batch, cost(batch)));
    sentNext = batch.seq() + 1;
  }

  int undecided() {
    return undecided.size();
  }

  /// The number behind this member's last batch that the history contains.
  long ownPlacedNext() {
    return ownPlacedNext;
  }

  /// Own batches that the history does not contain yet, in order.
  List<Batch> unplaced() {
    return undecided.stream().map(Sent::batch).filter(batch -> batch.seq() >= ownPlacedNext).toList();
  }

  /// Every application has consumed all below an index.
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

  /// How much of this member's window is taken by its batches from an index on.
  long unconsumedFrom(long index) {
    long cost = 0;
    for (Outstanding own : unconsumed) {
      cost += own.index >= index ? own.cost : 0;
    }
    return cost;
  }

  @Override
  public long consumedBelow() {
    return Math.max(handedFirst, handedNext - (handed - user.consumed()));
  }

  @Override
  public void giveBack(Batch batch) {
    user.giveBack(batch.payload());
  }

  // ---- the history goes on ---------------------------------------------------------------------------------------

  /// A batch of a weak service may be delivered, although it has no place yet; does nothing if it was before.
  @Override
  public void deliverEarly(Batch batch) {
    if (!early.add(batch.sender(), batch.seq())) {
      return;
    }
    if (synced) {
      user.deliverEarly(batch);
    } else {
      held.add(new Held.Early(batch));
      heldBytes += batch.payload().remaining();
    }
  }

  /// A multicast to some members may be delivered.
  void deliverSubset(Batch subset) {
    if (synced) {
      user.deliverSubset(subset);
    } else {
      held.add(new Held.SubsetMulticast(subset));
      heldBytes += subset.payload().remaining();
    }
  }

  /// Whether the application, or the room for what is held back, has room for one more.
  boolean hasRoomForSubsets() {
    return synced ? user.takesSubsets() : heldBytes <= catchUpBytesMax;
  }

  @Override
  public void deliver(long index, Batch batch) {
    boolean again = batch.kind().isWeak() && early.remove(batch.sender(), batch.seq());
    deliveredNext = index + 1;
    if (batch.sender().equals(self)) {
      ownPlacedNext = batch.seq() + 1;
    }
    if (synced) {
      hand(index, batch, again);
    } else {
      held.add(new Held.Ordered(index, batch, again));
      heldBytes += again ? 0 : batch.payload().remaining();
    }
  }

  private void hand(long index, Batch batch, boolean again) {
    marks.put(batch.sender(), batch.seq() + 1);
    handed++;
    handedNext = index + 1;
    if (batch.sender().equals(self)) {
      Sent oldest = undecided.pollFirst();
      Invariant.check(oldest != null && oldest.batch.seq() == batch.seq(), "own batches are delivered in their order");
      unconsumed.add(new Outstanding(index, oldest.cost));
      tellDecided(batch, batch.positions() == 0 ? -1 : positionNext);
    }
    long position = positionNext;
    positionNext += batch.positions();
    if (again) {
      user.pass(index, batch, position);
    } else if (batch.positions() > 0 && position < positionFirst) {
      user.deliver(index, batch.without((int) (positionFirst - position)), positionFirst);
    } else {
      user.deliver(index, batch, position);
    }
  }

  /// How many of this member's messages the history contains.
  long ownMessages() {
    return ownMessages;
  }

  private void tellDecided(Batch batch, long position) {
    ownMessages += batch.count();
    if (batch.count() > 0) {
      user.decided(batch.count(), position);
    }
  }

  void changed(View view) {
    forgetMarks(view);
    early.forgetAllBut(view);
    if (isShowing()) {
      show(view);
    } else {
      held.add(new Held.Changed(view));
    }
    if (!view.primary()) {
      tellUndecided();
    }
  }

  private void tellUndecided() {
    int messages = undecided.stream().mapToInt(sent -> sent.batch.count()).sum();
    if (messages > 0) {
      user.undecided(messages);
    }
  }

  private void show(View view) {
    shown = view;
    serving &= view.primary();
    user.install(view);
  }

  /// Tells the user that nothing is missing in a primary view, once each time that this has become so.
  void tellCaughtUp() {
    if (!serving && synced && shown != null && shown.primary()) {
      serving = true;
      user.caughtUp(positionNext);
    }
  }

  /// Whether the user is shown what happens as it happens, and nothing of before is kept back.
  boolean isShowing() {
    return synced || held.isEmpty();
  }

  private void forgetMarks(View view) {
    Iterator<MemberId> oldest = marks.keySet().iterator();
    while (marks.size() > MARKS_MAX && oldest.hasNext()) {
      if (!view.contains(oldest.next())) {
        oldest.remove();
      }
    }
  }

  // ---- state -----------------------------------------------------------------------------------------------------

  /// A state that contains everything below an index is to come: what was held back is contained in it.
  ///
  /// Views that were held back are not shown.
  ///
  /// @param index where the state ends
  /// @param next  the primary view that begins there
  void restart(long index, View next) {
    synced = false;
    serving = false;
    replaying = false;
    if (stateful) {
      early.clear(); // the state takes the place of all that was delivered; who keeps that must not get it again
    }
    forgetHeld();
    showAbsence(next);
    deliveredNext = index;
    beginIndex = index;
    beginHanding(index);
    consumedSaid = Math.min(consumedSaid, index);
    // Agreed delivery may have gone on in a minority, without the history: consumed there, it is consumed.
    List<Outstanding> before = List.copyOf(unconsumed);
    unconsumed.clear();
    before.forEach(own -> unconsumed.add(new Outstanding(Math.min(own.index, index - 1), own.cost)));
    written.restarted(index);
  }

  /// If the user's last view is primary, others have got there what this one has not. So it is shown that it did not go
  /// on from that view, by one in which it is alone (Prefix Delivery).
  private void showAbsence(View next) {
    if (shown != null && shown.primary()) {
      int voters = next.isObserver(self) ? 0 : 1;
      show(new View(next.id().before(self), List.of(self), voters, false, List.of(shown.id())));
      tellUndecided();
    }
  }

  /// What was held back the user has never got.
  private void forgetHeld() {
    for (Held waiting : held) {
      if (waiting instanceof Held.Early(Batch batch)) {
        early.remove(batch.sender(), batch.seq());
      }
    }
    held.clear();
    heldBytes = 0;
  }

  /// No state is on the way, and none will be before the next primary view; it will contain what was held back. So the
  /// user is shown that it is cut off. A member that replays its log waits for no state: it keeps what follows the log,
  /// and shows the view after that.
  ///
  /// @param view the view just installed
  void stranded(View view) {
    if (!isShowing() && !replaying) {
      forgetHeld();
      showAbsence(view);
      show(view);
    }
  }

  // ---- restart ---------------------------------------------------------------------------------------------------

  /// Goes on after a restart, where the application's own state ends; what all hold beyond that follows with [#replay],
  /// then [#resumed]. An application without one waits for a state.
  ///
  /// @param restart  what stable storage had kept
  /// @param position what the application says, if it does
  void resume(Restart restart, OptionalLong position) {
    Position from = restart.from();
    deliveredNext = restart.stable().index();
    replaying = from != null;
    if (from != null) {
      deliveredNext = Math.max(deliveredNext, from.index());
      positionNext = from.position();
      positionFirst = position.orElse(0);
      marks.putAll(from.start().marks());
      beginHanding(from.index());
      user.begin(from.index(), Math.max(from.position(), positionFirst));
    }
  }

  /// A batch that all hold is delivered again.
  ///
  /// @return how many bytes it is
  int replay(long index, Batch batch) {
    hand(index, batch, false);
    return batch.payload().remaining();
  }

  /// What the user gets next is at an index. What it got before it may not have consumed; and that may be more than
  /// what lies before the index, as agreed delivery may have gone on in a minority, without the history.
  private void beginHanding(long index) {
    handedFirst = index;
    handedNext = index;
  }

  boolean isConsumed() {
    return user.consumed() == handed;
  }

  /// The index behind what the application got.
  long handedNext() {
    return handedNext;
  }

  /// The position behind what the application got.
  long positionNext() {
    return positionNext;
  }

  /// Whether the application's state contains what the history does not.
  boolean isAhead() {
    return stateful && !early.isEmpty();
  }

  /// Where the history of a view begins, for the view's newcomers.
  StateTransfer.Start start() {
    return new StateTransfer.Start(deliveredNext, positionNext, new LinkedHashMap<>(marks));
  }

  /// Whether a donor can say so: the history stands where the view begins, and has no own batch that was not sent.
  boolean allows(StateTransfer.Start start) {
    return start.index() == beginIndex && start.marks().getOrDefault(self, 0L) <= sentNext;
  }

  /// The donor has said where the history stands: own batches that it contains were delivered while this was away.
  void started(StateTransfer.Start start) {
    started = start;
    positionNext = start.position();
    positionFirst = 0;
    marks.clear();
    marks.putAll(start.marks());
    early.placed(marks);
    ownPlacedNext = marks.getOrDefault(self, 0L);
    while (!undecided.isEmpty() && undecided.peekFirst().batch.seq() < ownPlacedNext) {
      Sent sent = undecided.remove();
      tellDecided(sent.batch, -1);
      unconsumed.add(new Outstanding(beginIndex - 1, sent.cost));
    }
  }

  void complete() {
    written.started(Objects.requireNonNull(started));
    started = null;
    user.begin(beginIndex, positionNext);
    resumed();
  }

  /// All that was before is here: what was kept back follows.
  void resumed() {
    replaying = false;
    heldBytes = 0;
    while (!held.isEmpty()) {
      switch (held.remove()) {
        case Held.Ordered(long index, Batch batch, boolean again) -> hand(index, batch, again);
        case Held.Early(Batch batch) -> user.deliverEarly(batch);
        case Held.SubsetMulticast(Batch batch) -> user.deliverSubset(batch);
        case Held.Changed(View view) -> show(view);
      }
    }
    synced = true;
  }

  /// What this member says of its consumption. What is held back counts as consumed while there is room for it, so that
  /// a newcomer does not stop the group; and what never came here needs no consuming.
  @Override
  public long consumedNext() {
    if (synced ? isConsumed() : heldBytes <= catchUpBytesMax) {
      consumedSaid = deliveredNext;
    } else if (synced) {
      consumedSaid = Math.max(consumedSaid, consumedBelow());
    }
    return consumedSaid;
  }

  void check() {
    Invariant.check(user.consumed() <= handed, "nothing is consumed that the user did not get");
    Sent oldest = undecided.peekFirst();
    Invariant.check(
        oldest == null || sentNext - oldest.batch.seq() == undecided.size(),
        "own batches whose fate is open are the last ones, without a gap");
    Invariant.check(ownPlacedNext <= sentNext, "no own batch has a place that was not sent");
    Outstanding last = unconsumed.peekLast();
    Invariant.check(
        last == null || (last.index < deliveredNext && unconsumed.getFirst().index <= last.index),
        "only what is delivered is to be consumed");
    Invariant.check(!synced || (held.isEmpty() && started == null), "who has the state keeps nothing back");
    Invariant.check(!synced || !replaying, "who replays its log does not deliver what follows");
    Invariant.check(!held.isEmpty() || heldBytes == 0, "what is kept back is counted");
    Invariant.check(
        !serving || (synced && shown != null && shown.primary()), "who serves has the state, in a primary view");
  }
}
