package org.tutti.order;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Tells up to where a member has to deliver until its application has seen all that was decided anywhere before it
/// asked: what a linearizable read needs, without a multicast.
///
/// ```
///   reader           another            a third
///     | -- Ask(round) -> |                 |
///     | -- Ask(round) ---|---------------> |
///     | <- Held(round, index) ------------ |     a quorum with the reader: the highest index counts
///     | <- Held(round, index) |            |
/// ```
///
/// **Why it is enough.** With uniform delivery whatever was delivered, or told to its sender, in this primary view
/// before the round began, was held by a quorum then. The members that answer are a quorum, too, so one of them held
/// it, and says an index behind it. And nothing was decided in a later primary view before the round began: a quorum of
/// this view has to take part in the change to that one, and whoever has taken part does not answer here any more; so
/// one of those who answered had not yet taken part when it did. With agreed delivery none of this holds.
///
/// One round is under way at a time; whatever is asked meanwhile waits for the next one, and shares it. When the view
/// changes, what was asked is asked anew in the next primary view.
///
/// This is ReadIndex of Raft (Ongaro, Consensus: Bridging Theory and Practice, 2014, section 6.4) without a leader:
/// there the leader asks a quorum whether it still leads, here any member asks a quorum how far the history is.
public final class ReadIndex {
  /// What members say.
  public sealed interface Message {
    /// How far are you?
    ///
    /// @param round counts the sender's rounds
    record Ask(long round) implements Message {}

    /// So far.
    ///
    /// @param round    of the one who asks
    /// @param heldNext the index behind what the sender holds
    record Held(long round, long heldNext) implements Message {}
  }

  /// The bytes of [Message].
  public static final Codec<Message> CODEC =
      new Codec<>() {
        @Override
        public void write(Message message, WireWriter out) {
          switch (message) {
            case Message.Ask(long round) -> {
              out.u8(1);
              out.count(round);
            }
            case Message.Held(long round, long heldNext) -> {
              out.u8(2);
              out.count(round);
              out.count(heldNext);
            }
          }
        }

        @Override
        public Message read(WireReader in) throws Malformed {
          return switch (in.u8()) {
            case 1 -> new Message.Ask(in.count());
            case 2 -> new Message.Held(in.count(), in.count());
            default -> throw new Malformed("read index");
          };
        }
      };

  private static final class Round {
    final long number;
    final long covers; // the number of questions when it began
    final BitSet answered = new BitSet();
    long highest;

    Round(long number, long covers) {
      this.number = number;
      this.covers = covers;
    }
  }

  private final TotalOrder.Context context;
  private final Effects<Message> effects;
  private @Nullable Round round;
  private long rounds;

  /// Begins a primary view.
  ///
  /// @param context where
  /// @param effects how to reach the others
  public ReadIndex(TotalOrder.Context context, Effects<Message> effects) {
    this.context = context;
    this.effects = effects;
  }

  /// A member says something in this view, which is not wedged here.
  ///
  /// @param rank     its rank
  /// @param message  what it says
  /// @param heldNext the index behind what this member holds
  /// @throws Malformed when it answers what was not asked
  public void receive(int rank, Message message, long heldNext) throws Malformed {
    switch (message) {
      case Message.Ask(long number) ->
          effects.send(context.view().members().get(rank), new Message.Held(number, heldNext));
      case Message.Held(long number, long held) -> {
        if (number > rounds) {
          throw new Malformed("answer to no question");
        }
        Round current = round;
        if (current != null && number == current.number) {
          current.answered.set(rank);
          current.highest = Math.max(current.highest, held);
        }
      }
    }
  }

  /// A run of inputs ends in this view, which is not wedged here: begins a round if somebody asks and none is under
  /// way, and ends the one that is.
  ///
  /// @param asked         how many questions there were ever
  /// @param settled       how many of them have their answer
  /// @param heldNext      the index behind what this member holds
  /// @param deliveredNext the index behind what its application was given
  /// @return how many have their answer now: what the application was given is enough for these
  public long flush(long asked, long settled, long heldNext, long deliveredNext) {
    if (round == null && asked > settled) {
      var next = new Round(++rounds, asked);
      next.answered.set(context.self());
      next.highest = heldNext;
      round = next;
      effects.broadcast(new Message.Ask(next.number));
    }
    Round current = round;
    if (current == null || current.highest > deliveredNext || !context.quorum().includes(current.answered::get)) {
      return settled;
    }
    round = null;
    return current.covers;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Round current = round;
    if (current != null) {
      Invariant.check(current.number == rounds, "the last round is under way");
      Invariant.check(current.answered.get(context.self()), "whoever asks answers first");
      Invariant.check(current.answered.length() <= context.view().size(), "members of the view answer");
    }
  }
}
