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

/// Total order by a fixed sequencer: senders broadcast their batches, the most senior member broadcasts only their ids,
/// in the order in which the batches reached it.
///
/// Guarantee, within one view: all members place the same batches at the same indexes, each sender's in its order.
/// Whether a place may be delivered is for [Stability] to say, so uniformity does not depend on the sequencer. After
/// Hirt, *Atomic Broadcast on various middlewares*, 1998, section 2.1 ("sender broadcasts, sequencer broadcasts the
/// number"). Deviations: the unit is the batch, ids are sent once per engine run as runs, and the sequencer's crash is
/// repaired by the view change's cut (figure 8's hole: a number that only some received).
///
/// ```
///   sender                sequencer (rank 0)        other members
///     | -- Batch(b) ----------> |                        |
///     | -- Batch(b) ------------------------------------>|
///     | <--- Ordered(i, b) ---- | ---- Ordered(i, b) --->|    b stands at index i
/// ```
///
/// Why it is safe. (1) Only rank 0 of the view decides, and it decides an index once. (2) Its messages reach a member
/// in order or not at all, so every member knows a prefix of the decisions. (3) It numbers a sender's batches as they
/// come, which is the order in which they were sent.
public final class FixedSequencer implements TotalOrder<FixedSequencer.Message> {
  /// What the sequencer says.
  public sealed interface Message {
    /// Places, beginning at an index.
    ///
    /// @param index the first place
    /// @param runs  the batches at this and the following places
    record Ordered(long index, List<Run> runs) implements Message {}
  }

  /// The bytes of [Message].
  public static final Codec<Message> CODEC =
      new Codec<>() {
        @Override
        public void write(Message message, WireWriter out) {
          switch (message) {
            case Message.Ordered(long index, List<Run> runs) -> {
              out.count(index);
              Run.write(runs, out);
            }
          }
        }

        @Override
        public Message read(WireReader in) throws Malformed {
          return new Message.Ordered(in.count(), Run.read(in));
        }
      };

  private static final int PLACES_MAX = 1 << 16; // in a message; more than an engine run decides

  private final View view;
  private final boolean senior;
  private final Effects<Message> effects;
  private final Places places;
  private final List<Run> unsaid = new ArrayList<>(); // decided in this run of inputs; sequencer only
  private long unsaidIndex;
  private long indexNext;
  private boolean retired;

  /// Begins a view.
  ///
  /// @param context where it works
  /// @param effects how to reach the others
  /// @param places  where decisions go
  public FixedSequencer(TotalOrder.Context context, Effects<Message> effects, Places places) {
    this.view = context.view();
    this.senior = context.self() == 0;
    this.effects = effects;
    this.places = places;
    this.indexNext = context.indexFirst();
    this.unsaidIndex = context.indexFirst();
  }

  @Override
  public void arrived(int rank, long seq, long stamp) {
    if (senior && !retired) {
      indexNext++;
      Run.append(unsaid, rank, seq);
      places.place(rank, seq);
      if (indexNext - unsaidIndex == PLACES_MAX) {
        flush();
      }
    }
  }

  @Override
  public void receive(MemberId from, Message message) throws Malformed {
    switch (message) {
      case Message.Ordered(long index, List<Run> runs) -> ordered(from, index, runs);
    }
  }

  private void ordered(MemberId from, long index, List<Run> runs) throws Malformed {
    if (senior || !view.senior().equals(from) || index != indexNext || Run.places(runs) > PLACES_MAX) {
      throw new Malformed("order");
    }
    for (Run run : runs) {
      if (run.rank() >= view.size()) {
        throw new Malformed("order");
      }
    }
    for (Run run : runs) {
      for (int i = 0; i < run.length(); i++) {
        indexNext++;
        places.place(run.rank(), run.seq() + i);
      }
    }
  }

  @Override
  public void flush() {
    if (!unsaid.isEmpty()) {
      effects.broadcast(new Message.Ordered(unsaidIndex, List.copyOf(unsaid)));
      unsaid.clear();
      unsaidIndex = indexNext;
    }
  }

  /// From the switch on this member numbers in the ordering that follows.
  @Override
  public void retire() {
    retired = true;
  }

  @Override
  public void check() {
    long waiting = senior ? indexNext - unsaidIndex : 0;
    Invariant.check(Run.places(unsaid) == waiting, "what is decided and was not said is going to be said");
    Invariant.check(waiting < PLACES_MAX, "no more is decided than one message says");
  }
}
