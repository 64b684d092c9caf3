package org.tutti.order;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.consensus.ChandraToueg;
import org.tutti.consensus.Consensus;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Total order by consensus: senders broadcast their batches, and instance after instance the members decide which ids
/// come next. A crashed or wrongly suspected minority does not stop it, and no view change is needed to go on.
///
/// Guarantee, within one view: all members place the same batches at the same indexes, each sender's in its order.
/// After Chandra and Toueg, "Unreliable failure detectors for reliable distributed systems", JACM 43(2), 1996, section
/// 6 (atomic broadcast by consensus), and Hirt, *Atomic Broadcast on various middlewares*, 1998, section 2.3.
/// Deviations: a value says how far senders' lanes reach instead of listing messages, so it cannot leave a gap, and
/// repeating is harmless; several instances are under way at once; batches are broadcast plainly, and what a crashing
/// sender told only some the view change mends.
///
/// ```
///   sender                coordinator              other members
///     | -- Batch(b) ---------> |                        |
///     | -- Batch(b) ----------------------------------->|
///     | <- Propose(k, [b]) --- | -- Propose(k, [b]) --->|
///     | -- Ack --------------> | <--------------- Ack --|
///     | <- Decide(k, [b]) ---- | -- Decide(k, [b]) ---->|   b stands at the next index
/// ```
///
/// Why it is safe. (1) All members decide the same in each instance, whatever is suspected ([Consensus]). (2) Which
/// places follow from a decision depends only on the decisions before it: for each sender in it the next numbers up to
/// the end that it names, beginning with the sender's first in this view, which is the same for all. (3) A place waits
/// for its batch, and all behind it wait too.
public final class ConsensusOrder implements TotalOrder<ChandraToueg.Message<List<ConsensusOrder.LaneEnd>>> {
  /// What is decided: places for all batches of a sender that have none yet, up to an end.
  ///
  /// @param rank the sender's rank
  /// @param next the number behind the last one of these batches
  public record LaneEnd(int rank, long next) {}

  /// The bytes of the messages.
  public static final Codec<ChandraToueg.Message<List<LaneEnd>>> CODEC =
      ChandraToueg.Message.codec(
          new Codec<>() {
            @Override
            public void write(List<LaneEnd> ends, WireWriter out) {
              out.count(ends.size());
              for (LaneEnd end : ends) {
                out.count(end.rank);
                out.count(end.next);
              }
            }

            @Override
            public List<LaneEnd> read(WireReader in) throws Malformed {
              return in.list(2, list -> new LaneEnd(list.countUpTo(Short.MAX_VALUE), list.count()));
            }
          });

  private static final int PATIENCE_HEARTBEATS = 2; // suspicion, which changes the view, takes at least three

  private final Places places;
  private final int size;
  private final Consensus<ChandraToueg.Message<List<LaneEnd>>> consensus;
  private final ArrayDeque<LaneEnd> arrivals = new ArrayDeque<>(); // in this order; from the first without a place
  private final ArrayDeque<LaneEnd> decisions = new ArrayDeque<>(); // of the first, not all batches are here
  private final boolean[] begun; // by rank, whether a batch has arrived, so that the lane's beginning is known
  private final long[] arrivedNext; // by rank, the number behind the last batch that is here
  private final long[] placedNext; // by rank, the number behind the last batch that has a place
  private final long[] offeredNext; // by rank, the number behind the last batch that this coordinator has proposed
  private long unplaced; // batches that are here without a place
  private boolean retired;

  /// Begins a view.
  ///
  /// @param context where it works
  /// @param effects how to reach the others
  /// @param places  where decisions go
  public ConsensusOrder(
      TotalOrder.Context context, Effects<ChandraToueg.Message<List<LaneEnd>>> effects, Places places) {
    this.places = places;
    this.size = context.view().size();
    this.begun = new boolean[size];
    this.arrivedNext = new long[size];
    this.placedNext = new long[size];
    this.offeredNext = new long[size];
    var panel =
        new Consensus.Panel(
            context.self(),
            context.view(),
            context.quorum()::includes,
            context.suspects(),
            Duration.ofNanos(PATIENCE_HEARTBEATS * context.heartbeat().toNanos()));
    this.consensus = new ChandraToueg<>(panel, effects, new Lanes());
  }

  @Override
  public void arrived(int rank, long seq, long stamp) {
    if (!begun[rank]) {
      begun[rank] = true;
      placedNext[rank] = seq;
      offeredNext[rank] = Math.max(offeredNext[rank], seq);
    }
    arrivedNext[rank] = seq + 1;
    LaneEnd last = arrivals.peekLast();
    if (last != null && last.rank == rank) {
      arrivals.removeLast();
    }
    arrivals.add(new LaneEnd(rank, seq + 1));
    unplaced++;
    place();
  }

  @Override
  public void receive(MemberId from, ChandraToueg.Message<List<LaneEnd>> message) throws Malformed {
    for (List<LaneEnd> ends : message.values()) {
      for (LaneEnd end : ends) {
        if (end.rank >= size) {
          throw new Malformed("consensus on a stranger");
        }
      }
    }
    consensus.receive(from, message);
  }

  @Override
  public void expire(Effects.Timer timer) {
    consensus.expire();
  }

  @Override
  public void suspicionChanged() {
    consensus.suspicionChanged();
  }

  @Override
  public void flush() {
    consensus.flush();
  }

  /// From the switch on this member proposes nothing new. It answers, and brings to an end what is proposed: what is
  /// decided behind the switch has no effect at any member.
  @Override
  public void retire() {
    retired = true;
  }

  /// Gives places, as far as the decided batches are here.
  private void place() {
    while (!decisions.isEmpty() && place(decisions.getFirst())) {
      decisions.removeFirst();
    }
    while (!arrivals.isEmpty() && arrivals.getFirst().next <= placedNext[arrivals.getFirst().rank]) {
      arrivals.removeFirst();
    }
  }

  /// Gives places to a sender's batches.
  ///
  /// @return whether all of them have come
  private boolean place(LaneEnd end) {
    int rank = end.rank;
    while (placedNext[rank] < end.next) {
      if (placedNext[rank] == arrivedNext[rank]) { // both 0 before the first one
        return false;
      }
      unplaced--;
      places.place(rank, placedNext[rank]++);
    }
    return true;
  }

  @Override
  public void check() {
    consensus.check();
    long without = 0;
    for (int rank = 0; rank < size; rank++) {
      Invariant.check(
          placedNext[rank] <= arrivedNext[rank] && (begun[rank] || arrivedNext[rank] == 0),
          "only what has come has a place");
      without += arrivedNext[rank] - placedNext[rank];
    }
    Invariant.check(unplaced == without, "what has no place is counted");
    Invariant.check(arrivals.isEmpty() == (unplaced == 0), "what has no place is going to be proposed");
    LaneEnd first = decisions.peekFirst();
    Invariant.check(
        first == null || (placedNext[first.rank] == arrivedNext[first.rank] && placedNext[first.rank] < first.next),
        "a decision waits only for a batch");
  }

  /// What consensus is about: ends of lanes.
  private final class Lanes implements Consensus.User<List<LaneEnd>> {
    /// What is on its way to a place is not offered again; so little is needed, since repeating is harmless.
    @Override
    public void lead(List<List<LaneEnd>> before) {
      System.arraycopy(placedNext, 0, offeredNext, 0, size);
      decisions.forEach(this::offered);
      before.forEach(ends -> ends.forEach(this::offered));
    }

    private void offered(LaneEnd end) {
      offeredNext[end.rank] = Math.max(offeredNext[end.rank], end.next);
    }

    /// In the order of arrival: what arrives first everywhere is placed first, so causes come before effects.
    @Override
    public @Nullable List<LaneEnd> propose(long instance) {
      if (retired) {
        return null;
      }
      List<LaneEnd> ends = new ArrayList<>();
      for (LaneEnd end : arrivals) {
        if (offeredNext[end.rank] < end.next) {
          offeredNext[end.rank] = end.next;
          ends.add(end);
        }
      }
      return ends.isEmpty() ? null : ends;
    }

    @Override
    public boolean isWaiting() {
      return !retired && unplaced > 0 && decisions.isEmpty(); // else for batches, which come without consensus
    }

    @Override
    public void decided(long instance, List<LaneEnd> ends) {
      decisions.addAll(ends);
      place();
    }
  }
}
