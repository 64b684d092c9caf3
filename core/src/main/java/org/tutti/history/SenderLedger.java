package org.tutti.history;

import java.util.ArrayDeque;
import java.util.List;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;

/// What this member has multicast in primary views, and what became of it: which batches the history does not contain
/// yet, which are delivered and not consumed by all, and what the application was told of them.
///
/// A batch goes from *undecided* (sent, its fate open) to *unconsumed* (in the history, still taking room in the
/// sender's window), and is gone when every application has consumed it. It is placed when the history contains it
/// here; it stays undecided until the application gets it.
public final class SenderLedger {
  private record Sent(Batch batch, long cost) {}

  private record Outstanding(long index, long cost) {}

  private final MemberId self;
  private final GroupUser user;
  private final ArrayDeque<Sent> undecided = new ArrayDeque<>(); // by number
  private final ArrayDeque<Outstanding> unconsumed = new ArrayDeque<>(); // by index
  private long sentNext; // number behind the last batch
  private long placedNext; // number behind the last batch that the history contains
  private long messages; // that the history contains

  /// Begins with nothing.
  ///
  /// @param self this member
  /// @param user told what becomes of its messages
  /// @param next the number of its first batch: behind those that it has sent in earlier memberships of the same life,
  ///             as the group may remember them
  public SenderLedger(MemberId self, GroupUser user, long next) {
    this.self = self;
    this.user = user;
    this.sentNext = next;
  }

  /// What a batch's messages count in their sender's window.
  static long cost(Batch batch) {
    long cost = GroupUser.MESSAGE_OVERHEAD * (long) batch.count();
    Batch.Messages messages = batch.messages();
    while (messages.hasNext()) {
      cost += messages.next().remaining();
    }
    return cost;
  }

  MemberId self() {
    return self;
  }

  boolean isOwn(Batch batch) {
    return batch.sender().equals(self);
  }

  // ---- a batch's way ---------------------------------------------------------------------------------------------

  /// This member has sent a batch.
  void sent(Batch batch) {
    Invariant.check(batch.seq() == sentNext, "own batches are numbered without a gap");
    undecided.add(new Sent(batch, cost(batch)));
    sentNext = batch.seq() + 1;
  }

  /// The history contains a batch of this member.
  void placed(Batch batch) {
    placedNext = batch.seq() + 1;
  }

  /// The application gets the oldest undecided batch.
  ///
  /// @param index    its place
  /// @param batch    the batch
  /// @param position of its first message, or -1 when its messages have none
  void decided(long index, Batch batch, long position) {
    Sent oldest = undecided.pollFirst();
    Invariant.check(oldest != null && oldest.batch.seq() == batch.seq(), "own batches are delivered in their order");
    unconsumed.add(new Outstanding(index, oldest.cost));
    tellDecided(batch, position);
  }

  private void tellDecided(Batch batch, long position) {
    messages += batch.count();
    if (batch.count() > 0) {
      user.decided(batch.count(), position);
    }
  }

  /// Every application has consumed all below an index.
  void consumedByAll(long index) {
    long cost = 0;
    while (!unconsumed.isEmpty() && unconsumed.peekFirst().index < index) {
      cost += unconsumed.pollFirst().cost;
    }
    if (cost > 0) {
      user.released(cost);
    }
  }

  // ---- this member was away --------------------------------------------------------------------------------------

  /// This member is in no primary view, so it is not known what becomes of what it has sent.
  void tellUndecided() {
    int open = undecided.stream().mapToInt(sent -> sent.batch.count()).sum();
    if (open > 0) {
      user.undecided(open);
    }
  }

  /// Deliveries begin anew at an index. Agreed delivery may have gone on in a minority, without the history: consumed
  /// there, it is consumed.
  void restarted(long index) {
    List<Outstanding> before = List.copyOf(unconsumed);
    unconsumed.clear();
    before.forEach(own -> unconsumed.add(new Outstanding(Math.min(own.index, index - 1), own.cost)));
  }

  /// The history contains all batches below a number; those whose fate was open were delivered while this was away.
  ///
  /// @param next  the number
  /// @param index behind the places that they have
  void contained(long next, long index) {
    placedNext = next;
    while (!undecided.isEmpty() && undecided.peekFirst().batch.seq() < next) {
      Sent sent = undecided.remove();
      tellDecided(sent.batch, -1);
      unconsumed.add(new Outstanding(index - 1, sent.cost));
    }
  }

  // ---- what others ask -------------------------------------------------------------------------------------------

  /// How many batches are sent and not decided.
  int undecided() {
    return undecided.size();
  }

  /// Batches that the history does not contain yet, in order.
  List<Batch> unplaced() {
    return undecided.stream().map(Sent::batch).filter(batch -> batch.seq() >= placedNext).toList();
  }

  /// The number behind the last batch that was sent.
  ///
  /// @return the number of the next one
  public long sentNext() {
    return sentNext;
  }

  /// The number behind the last batch that the history contains.
  long placedNext() {
    return placedNext;
  }

  /// How many messages the history contains.
  long messages() {
    return messages;
  }

  /// How much of this member's window is taken by its batches from an index on.
  ///
  /// @param index behind what somebody has consumed
  /// @return bytes, as the window counts them
  public long unconsumedFrom(long index) {
    long cost = 0;
    for (Outstanding own : unconsumed) {
      cost += own.index >= index ? own.cost : 0;
    }
    return cost;
  }

  void check(long deliveredNext) {
    Sent oldest = undecided.peekFirst();
    Invariant.check(
        oldest == null || sentNext - oldest.batch.seq() == undecided.size(),
        "own batches whose fate is open are the last ones, without a gap");
    Invariant.check(placedNext <= sentNext, "no own batch has a place that was not sent");
    Outstanding last = unconsumed.peekLast();
    Invariant.check(
        last == null || (last.index < deliveredNext && unconsumed.getFirst().index <= last.index),
        "only what is delivered is to be consumed");
  }
}
