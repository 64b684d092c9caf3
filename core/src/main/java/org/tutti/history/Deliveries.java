package org.tutti.history;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.durable.Journal;
import org.tutti.durable.Position;
import org.tutti.durable.Restart;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;

/// Between the history and the application: gives messages their positions, remembers what of each sender is delivered,
/// keeps deliveries back while the state is on the way, and enters in the [SenderLedger] what has become of this
/// member's own.
///
/// What is delivered before it has a place goes the same way, held back like the rest while the state is on the way. A
/// state contains a view's history up to the view's beginning and nothing else, because whoever went into the view
/// without waiting had nothing delivered that its cut did not contain.
public final class Deliveries implements ViewHistory.Deliverer {
  private static final int MARKS_MAX = 1024;

  /// What waits for the state.
  private sealed interface Held {
    record Ordered(long index, Batch batch, boolean again) implements Held {}

    record Early(Batch batch) implements Held {}

    record SubsetMulticast(Batch batch) implements Held {}

    record Changed(View view) implements Held {}
  }

  private final SenderLedger ledger;
  private final GroupUser user;
  private final int catchUpBytesMax;
  private final boolean stateful; // the application starts over with a state
  private final @Nullable Journal journal;
  private final Map<MemberId, Long> marks =
      new LinkedHashMap<>(); // sender -> number behind its last batch that has its place
  private final EarlyMarks early = new EarlyMarks();
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private long heldBytes;
  private long positionNext;
  private long beginIndex; // where deliveries begin once the state is here
  private StateTransfer.@Nullable Start started; // where the state ends that is coming
  private long deliveredNext; // index behind what was delivered, or is held back
  private long handed; // batches that the user got, ever
  private long handedFirst; // those from this index on came without a gap
  private long handedNext; // index behind them
  private long consumedSaid; // only rises, unless deliveries begin anew
  private long positionFirst; // what is before is with the application, even if its batch is not
  private boolean synced;
  private @Nullable Replay replay; // what comes before all that is held back is in this member's own log
  private @Nullable View shown; // the last view that the user was told of
  private boolean serving; // as the user was told

  /// Begins before the first view.
  ///
  /// @param ledger  of what this member multicasts
  /// @param user    gets what is delivered
  /// @param terms   on which this member takes part
  /// @param synced  whether it has the state: a founder has
  /// @param journal has to know when deliveries begin anew; or null
  public Deliveries(SenderLedger ledger, GroupUser user, Terms terms, boolean synced, @Nullable Journal journal) {
    this.journal = journal;
    this.ledger = ledger;
    this.user = user;
    this.catchUpBytesMax = terms.member().catchUpBytesMax();
    this.stateful = terms.stateTransfer();
    this.synced = synced;
  }

  /// Whether this member has the state.
  ///
  /// @return whether what is decided is delivered at once
  public boolean isSynced() {
    return synced;
  }

  @Override
  public long deliveredNext() {
    return deliveredNext;
  }

  /// Every application has consumed all below an index.
  @Override
  public void consumedByAll(long index) {
    ledger.consumedByAll(index);
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
    if (ledger.isOwn(batch)) {
      ledger.placed(batch);
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
    if (ledger.isOwn(batch)) {
      ledger.decided(index, batch, batch.positions() == 0 ? -1 : positionNext);
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

  /// A view was installed.
  ///
  /// @param view the view
  public void changed(View view) {
    forgetMarks(view);
    early.forgetAllBut(view);
    if (isShowing()) {
      show(view);
    } else {
      held.add(new Held.Changed(view));
    }
    if (!view.primary()) {
      ledger.tellUndecided();
    }
  }

  private void show(View view) {
    shown = view;
    serving &= view.primary();
    user.install(view);
  }

  /// Tells the user that nothing is missing in a primary view, once each time that this has become so.
  public void tellCaughtUp() {
    if (!serving && synced && shown != null && shown.primary()) {
      serving = true;
      user.caughtUp(positionNext);
    }
  }

  /// Whether the user is shown what happens as it happens, and nothing of before is kept back.
  ///
  /// @return whether it is
  public boolean isShowing() {
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
  /// Views that were held back are not shown, but the user is told if it did not go straight to this one.
  ///
  /// @param index where the state ends
  /// @param next  the primary view that begins there
  public void restart(long index, View next) {
    synced = false;
    serving = false;
    replay = null;
    if (stateful) {
      early.clear(); // the state takes the place of all that was delivered; who keeps that must not get it again
    }
    showAbsence(next, forgetHeld(next));
    deliveredNext = index;
    beginIndex = index;
    beginHanding(index);
    consumedSaid = Math.min(consumedSaid, index);
    ledger.restarted(index);
    if (journal != null) {
      journal.restarted(index);
    }
  }

  /// If the user's last view is primary, others have got there what this one has not. So it is shown that it did not go
  /// on from that view, by one in which it is alone (Prefix Delivery). The same if the last one has a branch, and this
  /// member left it for a view that is not shown: others may have gone on in the branch.
  private void showAbsence(View next, boolean skipsView) {
    if (shown != null && (shown.primary() || skipsView)) {
      MemberId self = ledger.self();
      int voters = next.isObserver(self) ? 0 : 1;
      show(new View(next.id().before(self), List.of(self), voters, false, List.of(shown.id()), shown.version()));
      ledger.tellUndecided();
    }
  }

  /// What was held back the user has never got.
  ///
  /// @param next the view that it is shown then
  /// @return whether an earlier view was among it
  private boolean forgetHeld(View next) {
    boolean skipsView = false;
    for (Held waiting : held) {
      if (waiting instanceof Held.Early(Batch batch)) {
        early.remove(batch.sender(), batch.seq());
      }
      skipsView |= waiting instanceof Held.Changed(View view) && !view.id().equals(next.id());
    }
    held.clear();
    heldBytes = 0;
    return skipsView;
  }

  /// No state is on the way, and none will be before the next primary view; it will contain what was held back. So the
  /// user is shown that it is cut off. A member that replays its log waits for no state: it keeps what follows the log,
  /// and shows the view after that.
  ///
  /// @param view the view just installed
  public void stranded(View view) {
    if (!isShowing() && replay == null) {
      showAbsence(view, forgetHeld(view));
      show(view);
    }
  }

  // ---- restart ---------------------------------------------------------------------------------------------------

  /// After a restart: hands the application again, as fast as it takes it, what lies between its own durable state and
  /// the place from which the members of the last primary view may hold different things. Until it is over this member
  /// has not got the state.
  private final class Replay {
    private final Restart from;
    private final long bytesMax; // handed over before all of it is taken
    private final long end;
    private long next;

    Replay(Restart from, Position begin, long bytesMax) {
      this.from = from;
      this.bytesMax = bytesMax;
      this.end = from.stable().index();
      this.next = Math.min(end, begin.index());
    }

    /// Goes on.
    ///
    /// @return whether it is over
    boolean step() {
      if (next < end && isTaken()) {
        for (long bytes = 0; next < end && bytes < bytesMax; next++) {
          Batch batch = from.at(next);
          hand(next, batch, false);
          bytes += batch.payload().remaining();
        }
      }
      return next == end;
    }
  }

  /// Goes on after a restart, where the application's own state ends; what all hold beyond that follows with [#replay].
  /// An application without one waits for a state.
  ///
  /// @param restart  what stable storage had kept
  /// @param position what the application says, if it does
  /// @param bytesMax so much is handed over before all of it is taken
  public void resume(Restart restart, OptionalLong position, long bytesMax) {
    Position from = restart.from();
    deliveredNext = restart.stable().index();
    if (from != null) {
      replay = new Replay(restart, from, bytesMax);
      deliveredNext = Math.max(deliveredNext, from.index());
      positionNext = from.position();
      positionFirst = position.orElse(0);
      marks.putAll(from.start().marks());
      beginHanding(from.index());
      user.begin(from.index(), Math.max(from.position(), positionFirst));
    }
  }

  /// Delivers more of this member's own log, if that is what it is at.
  ///
  /// @return whether it has just come to its end: this member has the state now
  public boolean replay() {
    boolean over = replay != null && replay.step();
    if (over) {
      resumed();
    }
    return over;
  }

  /// What the user gets next is at an index. What it got before it may not have consumed; and that may be more than
  /// what lies before the index, as agreed delivery may have gone on in a minority, without the history.
  private void beginHanding(long index) {
    handedFirst = index;
    handedNext = index;
  }

  private boolean isConsumed() {
    return user.consumed() == handed;
  }

  /// What is written somewhere for the application, which does not take it, is not: the log has it on disk already.
  private boolean isTaken() {
    return user.taken() == handed;
  }

  /// Whether what is handed over is this member's own log, after a restart.
  ///
  /// @return whether it has not got all of it
  public boolean isReplaying() {
    return replay != null;
  }

  /// The index behind what the application got.
  ///
  /// @return the index
  public long handedNext() {
    return handedNext;
  }

  /// The position behind what the application got.
  ///
  /// @return the position
  public long positionNext() {
    return positionNext;
  }

  /// Whether the application's state contains what the history does not.
  ///
  /// @return whether it does
  public boolean isAhead() {
    return stateful && !early.isEmpty();
  }

  /// Where the history of a view begins, for the view's newcomers.
  ///
  /// @return the place
  public StateTransfer.Start start() {
    return new StateTransfer.Start(deliveredNext, positionNext, new LinkedHashMap<>(marks));
  }

  /// Whether a donor can say so: the history stands where the view begins, and has no own batch that was not sent.
  ///
  /// @param start what a donor says
  /// @return whether nothing speaks against it
  public boolean allows(StateTransfer.Start start) {
    return start.index() == beginIndex && start.marks().getOrDefault(ledger.self(), 0L) <= ledger.sentNext();
  }

  /// The donor has said where the history stands: own batches that it contains were delivered while this was away.
  ///
  /// @param start where the history stands
  public void started(StateTransfer.Start start) {
    started = start;
    positionNext = start.position();
    positionFirst = 0;
    marks.clear();
    marks.putAll(start.marks());
    early.placed(marks);
    ledger.contained(marks.getOrDefault(ledger.self(), 0L), beginIndex);
  }

  /// The state is with the application.
  public void complete() {
    if (journal != null) {
      journal.started(Objects.requireNonNull(started));
    }
    started = null;
    user.begin(beginIndex, positionNext);
    resumed();
  }

  /// All that was before is here: what was kept back follows.
  private void resumed() {
    replay = null;
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

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(user.consumed() <= handed, "nothing is consumed that the user did not get");
    ledger.check(deliveredNext);
    Invariant.check(!synced || (held.isEmpty() && started == null), "who has the state keeps nothing back");
    Invariant.check(!synced || replay == null, "who replays its log has not all yet");
    Invariant.check(!held.isEmpty() || heldBytes == 0, "what is kept back is counted");
    Invariant.check(
        !serving || (synced && shown != null && shown.primary()), "who serves has the state, in a primary view");
  }

  /// Which batches were delivered before they had a place, and have none yet: by sender, the numbers beyond its mark. A
  /// sender's window bounds them, and what has its place leaves.
  ///
  /// They outlive a view: a batch that the history of its view does not contain comes again in a later one, under its
  /// old number.
  private static final class EarlyMarks {
    private static final int SENDERS_MAX = 1024;

    private final Map<MemberId, SortedSet<Long>> numbers = new TreeMap<>(); // no set is empty

    /// A batch is delivered.
    ///
    /// @return whether it was not before
    boolean add(MemberId sender, long seq) {
      return numbers.computeIfAbsent(sender, _ -> new TreeSet<>()).add(seq);
    }

    /// A batch has its place, or was not delivered after all.
    ///
    /// @return whether it had been delivered
    boolean remove(MemberId sender, long seq) {
      SortedSet<Long> of = numbers.get(sender);
      boolean had = of != null && of.remove(seq);
      if (had && of.isEmpty()) {
        numbers.remove(sender);
      }
      return had;
    }

    boolean isEmpty() {
      return numbers.isEmpty();
    }

    /// The history contains all batches below these numbers.
    void placed(Map<MemberId, Long> marks) {
      marks.forEach((sender, next) -> {
        SortedSet<Long> of = numbers.get(sender);
        if (of != null) {
          of.headSet(next).clear();
        }
      });
      numbers.values().removeIf(SortedSet::isEmpty);
    }

    /// Who has gone does not send again. Senders may come back, so a number of them is remembered.
    void forgetAllBut(View view) {
      if (numbers.size() > SENDERS_MAX) {
        numbers.keySet().removeIf(sender -> !view.contains(sender));
      }
    }

    void clear() {
      numbers.clear();
    }
  }
}
