package org.tutti.order;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.tutti.Guarantee;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Who holds how much of a primary view's history, and what may therefore be delivered, forgotten and sent.
///
/// Every member broadcasts, once per engine run at most, the index behind what it holds and the index behind what its
/// application has consumed; both are cumulative. Uniform delivery (H1, B2) waits until a quorum of the view holds a
/// place and all before it. The quorum is the same rule by which the next primary view is formed, and any two quorums
/// share a member; so a member of the next primary view's flush knows everything that anybody delivered.
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

  private final int self;
  private final Guarantee guarantee;
  private final Quorum quorum;
  private final Effects<Message> effects;
  private final long[] held; // by rank, only rising
  private final long[] consumed; // by rank, only rising
  private long saidHeld;
  private long saidConsumed;
  private long decidedNext;

  /// Begins a view.
  ///
  /// @param self       this member's rank
  /// @param view       the view
  /// @param indexFirst the index of the view's first place
  /// @param guarantee  when a place is decided
  /// @param quorum     of the view
  /// @param effects    how to reach the others
  public Stability(int self, View view, long indexFirst, Guarantee guarantee, Quorum quorum, Effects<Message> effects) {
    this.self = self;
    this.guarantee = guarantee;
    this.quorum = quorum;
    this.effects = effects;
    this.held = new long[view.size()];
    this.consumed = new long[view.size()];
    Arrays.fill(held, indexFirst);
    this.saidHeld = indexFirst;
    this.decidedNext = indexFirst;
  }

  /// This member's own progress.
  ///
  /// @param heldNext     the index behind what it holds
  /// @param consumedNext the index behind what its application has consumed
  public void progress(long heldNext, long consumedNext) {
    held[self] = Math.max(held[self], heldNext);
    consumed[self] = Math.max(consumed[self], consumedNext);
  }

  /// Another member's progress.
  ///
  /// @param rank    its rank
  /// @param message what it says
  public void receive(int rank, Message message) {
    switch (message) {
      case Message.Progress(long heldNext, long consumedNext) -> {
        held[rank] = Math.max(held[rank], heldNext);
        consumed[rank] = Math.max(consumed[rank], consumedNext);
      }
    }
  }

  /// A run of inputs ends: tell the others if there is news.
  public void flush() {
    if (held[self] > saidHeld || consumed[self] > saidConsumed) {
      saidHeld = held[self];
      saidConsumed = consumed[self];
      effects.broadcast(new Message.Progress(saidHeld, saidConsumed));
    }
  }

  /// What may be delivered.
  ///
  /// @return the index behind it; never more than this member holds
  public long decidedNext() {
    long decided = guarantee == Guarantee.UNIFORM ? Math.min(held[self], heldByQuorum()) : held[self];
    decidedNext = Math.max(decidedNext, decided);
    return decidedNext;
  }

  /// The highest index up to which a quorum holds everything.
  private long heldByQuorum() {
    long[] candidates = held.clone();
    Arrays.sort(candidates);
    for (int i = candidates.length - 1; i >= 0; i--) {
      long index = candidates[i];
      if (quorum.includes(rank -> held[rank] >= index)) {
        return index;
      }
    }
    return decidedNext;
  }

  /// What every member holds, so that nobody needs to keep it.
  ///
  /// @return the index behind it
  public long heldByAll() {
    return Arrays.stream(held).min().orElseThrow();
  }

  /// What every application has consumed, so that its senders may send more.
  ///
  /// @return the index behind it
  public long consumedByAll() {
    return Arrays.stream(consumed).min().orElseThrow();
  }
}
