package org.tutti.order;

import java.util.ArrayList;
import java.util.List;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Total order by logical clocks and messages from everybody (NewTop): batches stand in the order of their stamps, and
/// a batch has its place once every member has been heard past its stamp.
///
/// Nobody decides for others, so nothing waits for a busy member in the middle; but everybody must speak. A member that
/// has nothing to multicast says how far its clock is, at the end of a run of inputs that showed it a higher stamp than
/// it has used itself (NewTop's null message, without a time of silence before it). After Lamport, "Time, clocks, and
/// the ordering of events in a distributed system", 1978, section "ordering the events totally".
///
/// ```
///   sender                  member                  member
///     | -- Batch(b, 7) -------> | --                   |
///     | -- Batch(b, 7) ------------------------------->|
///     | <---- Alive(7) -------- | ------ Alive(7) ---->|
///     | <---- Alive(7) ------------------------------- |    everybody is heard past 7: b has its place
/// ```
///
/// Why it is safe. (1) Batches are placed by (stamp, rank), the same at all. (2) A member's stamps rise, and its
/// batches arrive in order. `Alive` may overtake batches; so it says how many were sent before, and counts when these
/// are here. Then who is heard at a stamp sends nothing at or below it any more. (3) So nothing
/// that stands before a placed batch can still arrive.
public final class Symmetric implements TotalOrder<Symmetric.Message> {
  /// What members say.
  public sealed interface Message {
    /// All batches of the sender with stamps up to here have been sent.
    ///
    /// @param clock    the sender's logical clock
    /// @param sentNext the number behind the last of these batches that the sender has ordered here; 0 without any
    record Alive(long clock, long sentNext) implements Message {}
  }

  /// The bytes of [Message].
  public static final Codec<Message> CODEC =
      new Codec<>() {
        @Override
        public void write(Message message, WireWriter out) {
          switch (message) {
            case Message.Alive(long clock, long sentNext) -> {
              out.count(clock);
              out.count(sentNext);
            }
          }
        }

        @Override
        public Message read(WireReader in) throws Malformed {
          return new Message.Alive(in.count(), in.count());
        }
      };

  private record Pending(long seq, long stamp) {}

  private final int self;
  private final View view;
  private final Clock clock;
  private final Effects<Message> effects;
  private final Places places;
  private final List<Sequence<Pending>> pending = new ArrayList<>(); // by rank, in the order of stamps
  private final HeardClocks heard; // not used for this member
  private long seen; // the highest stamp of another member's batch
  private long said; // the highest stamp that the others have from this member

  /// Begins a view, or a part of it.
  ///
  /// @param context where it works
  /// @param effects how to reach the others
  /// @param places  where decisions go
  public Symmetric(TotalOrder.Context context, Effects<Message> effects, Places places) {
    this.self = context.self();
    this.view = context.view();
    this.clock = context.clock();
    this.effects = effects;
    this.places = places;
    this.heard = new HeardClocks(view.size(), 0);
    for (int rank = 0; rank < view.size(); rank++) {
      pending.add(new Sequence<>(0));
    }
  }

  @Override
  public void arrived(int rank, long seq, long stamp) {
    pending.get(rank).append(new Pending(seq, stamp));
    heard.arrived(rank, seq, stamp);
    if (rank == self) {
      said = Math.max(said, stamp);
    } else {
      seen = Math.max(seen, stamp);
    }
    place();
  }

  @Override
  public void receive(MemberId from, Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0) {
      throw new Malformed("order");
    }
    switch (message) {
      case Message.Alive alive -> {
        clock.witness(alive.clock);
        heard.said(rank, alive.clock, alive.sentNext);
      }
    }
    place();
  }

  private void place() {
    for (int rank = lowest(); rank >= 0 && isHeardPast(first(rank).stamp); rank = lowest()) {
      Sequence<Pending> lane = pending.get(rank);
      long seq = first(rank).seq;
      lane.dropBefore(lane.first() + 1);
      places.place(rank, seq);
    }
  }

  /// The rank whose next batch stands before all others that are here, or -1.
  private int lowest() {
    int lowest = -1;
    for (int rank = 0; rank < pending.size(); rank++) {
      boolean waits = pending.get(rank).first() < pending.get(rank).next();
      if (waits && (lowest < 0 || first(rank).stamp < first(lowest).stamp)) {
        lowest = rank;
      }
    }
    return lowest;
  }

  private Pending first(int rank) {
    Sequence<Pending> lane = pending.get(rank);
    return lane.get(lane.first());
  }

  /// What this member will send has a higher stamp than all that it has seen.
  private boolean isHeardPast(long stamp) {
    for (int rank = 0; rank < view.size(); rank++) {
      if (rank != self && heard.of(rank) < stamp) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void flush() {
    if (seen > said) {
      said = clock.now();
      effects.broadcast(new Message.Alive(said, heard.arrivedNext(self)));
    }
  }

  @Override
  public void check() {
    heard.check();
    Invariant.check(Math.max(said, seen) <= clock.now(), "nothing is said or seen beyond the clock");
    for (int rank = 0; rank < view.size(); rank++) {
      Sequence<Pending> lane = pending.get(rank);
      lane.check();
      Invariant.check(heard.of(rank) <= clock.now(), "nobody is heard beyond the clock");
      long last = 0;
      for (long at = lane.first(); at < lane.next(); at++) {
        Invariant.check(lane.get(at).stamp > last, "a sender's stamps rise");
        last = lane.get(at).stamp;
      }
      Invariant.check(last <= heard.of(rank), "who has sent a batch is heard");
    }
    int lowest = lowest();
    Invariant.check(lowest < 0 || !isHeardPast(first(lowest).stamp), "nothing waits past which everybody is heard");
  }
}
