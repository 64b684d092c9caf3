package org.tutti.order;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.Invariant;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Who holds how much of a primary view's history, and what may therefore be delivered, forgotten and sent.
///
/// Every member tells the others, once per engine run at most, the index behind what it holds and the index behind what
/// its application has consumed; both are cumulative. Uniform delivery waits until a quorum of the view holds
/// a place and all before it. The quorum is the same rule by which the next primary view is formed, and any two quorums
/// share a member; so a member of the next primary view's flush knows everything that anybody delivered.
///
/// It tells a member *at once* what that one may need for a quorum. When others are known to hold as much, and are a
/// quorum together with that member itself, it need not hurry: what it has to say then waits for the next
/// [#UNHURRIED_BATCHES] batches, for a part of the window, or for [#UNHURRIED_NANOS]. So of three members the two that
/// receive answer the sequencer and not each other.
///
/// ```
///   sequencer        another          a third
///     | -- batch, place, Progress --------> |
///     | -- batch, place, Progress -> |      |     both deliver: the sequencer and itself are a quorum
///     | <------------- Progress ---- |      |     delivers
///     | <------------- Progress ----------- |
/// ```
///
/// Why nobody waits for ever, nor for the hurry of others: of those whose word let somebody be silent toward member p,
/// look at the one that spoke first in the order of causality. It had nobody's word, so it told p; and so on up. Hence
/// whoever p heard of is a quorum with p.
public final class Stability {
  /// What members say.
  public sealed interface Message {
    /// How far the sender is. Both numbers only rise.
    ///
    /// @param heldNext     the index behind what it holds
    /// @param consumedNext the index behind what its application has consumed
    record Progress(long heldNext, long consumedNext) implements Message {}
  }

  /// The bytes of [Message].
  public static final Codec<Message> CODEC =
      new Codec<>() {
        @Override
        public void write(Message message, WireWriter out) {
          switch (message) {
            case Message.Progress(long heldNext, long consumedNext) -> {
              out.count(heldNext);
              out.count(consumedNext);
            }
          }
        }

        @Override
        public Message read(WireReader in) throws Malformed {
          return new Message.Progress(in.count(), in.count());
        }
      };

  /// Whether some ranks make a quorum of the view.
  @FunctionalInterface
  public interface Quorum {
    /// Asks the rule.
    ///
    /// @param ranks tells whether a rank is among them
    /// @return whether they do
    boolean includes(IntPredicate ranks);
  }

  /// How long a member may not know what it does not need.
  static final long UNHURRIED_NANOS = 2_000_000;

  /// How many batches a member may not know of as long as it does not need to.
  static final int UNHURRIED_BATCHES = 8;

  private static final long NOTHING = Long.MAX_VALUE;

  private final int self;
  private final View view;
  private final int voting; // ranks that count
  private final Guarantee guarantee;
  private final Quorum quorum;
  private final Effects<Message> effects;
  private final long unhurriedBytes;
  private final long[] held; // by rank, only rising
  private final long[] consumed; // by rank, only rising
  private final Told[] told; // by rank
  private long deliveredBytes;
  private long decidedNext;
  private boolean moved = true; // since it was last looked at what is decided
  private boolean leastKnown; // as long as nobody moves who was last
  private long leastHeld;
  private long leastConsumed;
  private boolean toldAll; // all there is: nobody is looked at before this member comes further
  private long waitingSince = NOTHING; // what is new for somebody and was not told, the longest

  /// What a member was told, and since when there is something new for it.
  private static final class Told {
    private long held;
    private long consumed;
    private long bytes;
    private long sinceNanos = NOTHING;
    private boolean now;
  }

  /// Begins a view.
  ///
  /// @param self           this member's rank
  /// @param view           the view
  /// @param indexFirst     the index of the view's first place
  /// @param guarantee      when a place is decided
  /// @param quorum         of the view
  /// @param unhurriedBytes when so much was delivered here, everybody is told, because senders wait for room
  /// @param effects        how to reach the others
  public Stability(
      int self,
      View view,
      long indexFirst,
      Guarantee guarantee,
      Quorum quorum,
      long unhurriedBytes,
      Effects<Message> effects) {
    this.self = self;
    this.view = view;
    this.voting = view.voting();
    this.guarantee = guarantee;
    this.quorum = quorum;
    this.unhurriedBytes = unhurriedBytes;
    this.effects = effects;
    this.held = new long[view.size()];
    this.consumed = new long[view.size()];
    this.told = new Told[view.size()];
    Arrays.fill(held, indexFirst);
    for (int rank = 0; rank < told.length; rank++) {
      told[rank] = new Told();
      told[rank].held = indexFirst;
    }
    this.decidedNext = indexFirst;
  }

  /// Something was delivered here.
  ///
  /// @param bytes how much
  public void delivered(long bytes) {
    deliveredBytes += bytes;
  }

  /// This member's own progress.
  ///
  /// @param heldNext     the index behind what it holds
  /// @param consumedNext the index behind what its application has consumed
  public void progress(long heldNext, long consumedNext) {
    if (heldNext > held[self] || consumedNext > consumed[self]) {
      moved(self, heldNext, consumedNext);
    }
  }

  private void moved(int rank, long heldNext, long consumedNext) {
    moved |= heldNext > held[rank];
    toldAll &= rank != self;
    leastKnown &= held[rank] > leastHeld && consumed[rank] > leastConsumed;
    held[rank] = Math.max(held[rank], heldNext);
    consumed[rank] = Math.max(consumed[rank], consumedNext);
  }

  /// Another member's progress.
  ///
  /// @param rank    its rank
  /// @param message what it says
  public void receive(int rank, Message message) {
    switch (message) {
      case Message.Progress(long heldNext, long consumedNext) -> moved(rank, heldNext, consumedNext);
    }
  }

  /// A run of inputs ends: tells the others what is new for them and in a hurry.
  public void flush() {
    if (toldAll) {
      return;
    }
    long now = effects.nowNanos();
    int count = 0;
    for (int rank = 0; rank < told.length; rank++) {
      told[rank].now = rank != self && isDue(rank, now);
      count += told[rank].now ? 1 : 0;
    }
    if (count > 0) {
      tell(count);
    }
    waitingSince = NOTHING;
    toldAll = true;
    for (int rank = 0; rank < told.length; rank++) {
      waitingSince = Math.min(waitingSince, told[rank].sinceNanos);
      toldAll &= rank == self || behind(told[rank]) <= 0;
    }
  }

  private void tell(int count) {
    var progress = new Message.Progress(held[self], consumed[self]);
    if (count == told.length - 1) {
      effects.broadcast(progress);
    }
    for (int rank = 0; rank < told.length; rank++) {
      if (told[rank].now) {
        tell(rank, count == told.length - 1 ? null : progress);
      }
    }
  }

  private boolean isDue(int rank, long now) {
    Told its = told[rank];
    long behind = behind(its);
    if (behind <= 0) {
      return false;
    }
    if (its.sinceNanos == NOTHING) {
      its.sinceNanos = now;
    }
    return behind >= UNHURRIED_BATCHES
        || deliveredBytes - its.bytes >= unhurriedBytes
        || now - its.sinceNanos >= UNHURRIED_NANOS
        || mayNeed(rank);
  }

  private long behind(Told its) {
    return Math.max(held[self] - its.held, consumed[self] - its.consumed);
  }

  /// Whether a member may need this one's word for a quorum.
  private boolean mayNeed(int rank) {
    return guarantee == Guarantee.UNIFORM
        && self < voting
        && held[self] > told[rank].held
        && !quorum.includes(other -> other == rank || (other != self && held[other] >= held[self]));
  }

  private void tell(int rank, Message.@Nullable Progress unlessBroadcast) {
    Told its = told[rank];
    its.held = held[self];
    its.consumed = consumed[self];
    its.bytes = deliveredBytes;
    its.sinceNanos = NOTHING;
    its.now = false;
    if (unlessBroadcast != null) {
      effects.send(view.members().get(rank), unlessBroadcast);
    }
  }

  /// When [#flush] has something to tell even if nothing happens.
  ///
  /// @return the time, or [Long#MAX_VALUE]
  public long deadline() {
    return waitingSince == NOTHING ? Long.MAX_VALUE : waitingSince + UNHURRIED_NANOS;
  }

  /// What may be delivered.
  ///
  /// @return the index behind it; never more than this member holds
  public long decidedNext() {
    if (moved) {
      moved = false;
      long decided = guarantee == Guarantee.UNIFORM ? Math.min(held[self], heldByQuorum()) : held[self];
      decidedNext = Math.max(decidedNext, decided);
    }
    return decidedNext;
  }

  /// The highest index up to which a quorum holds everything. Whoever holds a place holds all before it: where one is
  /// not held by a quorum, none behind it is. The rule is asked once for each of them, not for each member.
  private long heldByQuorum() {
    long highest = decidedNext;
    for (long next = above(highest); next != NOTHING; next = above(highest)) {
      long index = next;
      if (!quorum.includes(rank -> held[rank] >= index)) {
        return highest;
      }
      highest = index;
    }
    return highest;
  }

  /// The lowest index above another one that ends what some member holds.
  private long above(long index) {
    long next = NOTHING;
    for (long end : held) {
      next = end > index ? Math.min(next, end) : next;
    }
    return next;
  }

  /// What the members' applications have consumed, as far as this member knows.
  ///
  /// @return a copy, by rank: the index behind it
  public long[] consumed() {
    return consumed.clone();
  }

  /// What each member is known to hold, by rank.
  ///
  /// @return the indexes behind it; a copy
  public long[] held() {
    return held.clone();
  }

  /// What every member holds, so that nobody needs to keep it.
  ///
  /// @return the index behind it
  public long heldByAll() {
    lookForLeast();
    return leastHeld;
  }

  /// What every application that senders wait for has consumed, so that they may send more: that of every voter.
  ///
  /// @return the index behind it
  public long consumedByAll() {
    lookForLeast();
    return leastConsumed;
  }

  private void lookForLeast() {
    if (!leastKnown) {
      leastKnown = true;
      leastHeld = least(held, held.length);
      leastConsumed = least(consumed, voting);
    }
  }

  private static long least(long[] values, int ranks) {
    long least = values[0];
    for (int rank = 1; rank < ranks; rank++) {
      least = Math.min(least, values[rank]);
    }
    return least;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(decidedNext <= held[self], "nothing is decided that is not held here");
    Invariant.check(
        guarantee != Guarantee.UNIFORM || quorum.includes(rank -> held[rank] >= decidedNext),
        "a quorum holds what is decided");
    Invariant.check(consumed[self] <= held[self], "nothing is consumed that is not held here");
    for (Told its : told) {
      Invariant.check(its.held <= held[self] && its.consumed <= consumed[self], "members are told what is so");
      Invariant.check(its.bytes <= deliveredBytes && !its.now, "who was told is looked at anew");
    }
  }

  /// The same, and how it goes with what the member has.
  ///
  /// @param heldNext the index behind what it holds
  /// @param first    the first index that it keeps
  public void check(long heldNext, long first) {
    check();
    Invariant.check(held[self] <= heldNext, "nothing is acknowledged that is not held");
    Invariant.check(first <= least(held, held.length), "nothing is forgotten that a member does not hold");
    long since = NOTHING;
    for (Told its : told) {
      since = Math.min(since, its.sinceNanos);
      Invariant.check(!toldAll || its == told[self] || behind(its) <= 0, "who is not looked at was told all");
    }
    Invariant.check(since == waitingSince, "what waits longest is told first");
    Invariant.check(
        !leastKnown || (leastHeld == least(held, held.length) && leastConsumed == least(consumed, voting)),
        "who is last is known");
  }
}
