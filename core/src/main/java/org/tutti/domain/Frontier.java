package org.tutti.domain;

import org.tutti.Invariant;
import org.tutti.effect.Effects;
import org.tutti.order.Clock;
import org.tutti.order.HeardClocks;
import org.tutti.order.Log;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// How low the stamp of a delivery that is still to come can be, in one primary view of a group of a domain.
///
/// Of each member this one knows a stamp below which nothing new comes: that of its last batch, or what it said of its
/// clock. Members say their clock when somebody asks, which is done when a delivery of another group waits for it; so
/// idle groups are idle. Whatever the ordering does, a batch that is not delivered yet has its own stamp.
public final class Frontier {
  /// What members say.
  public sealed interface Message {
    /// A member's clock, and what it needs to hear.
    ///
    /// @param clock    what the sender multicasts from now on is stamped higher
    /// @param sentNext the number behind the last batch that it has sent in the view; 0 without any
    /// @param wanted   the sender waits until everybody's clock is at least here; 0 when it does not
    record Said(long clock, long sentNext, long wanted) implements Message {}
  }

  /// The bytes of [Message].
  public static final Codec<Message> CODEC =
      new Codec<>() {
        @Override
        public void write(Message message, WireWriter out) {
          switch (message) {
            case Message.Said(long clock, long sentNext, long wanted) -> {
              out.count(clock);
              out.count(sentNext);
              out.count(wanted);
            }
          }
        }

        @Override
        public Message read(WireReader in) throws Malformed {
          return new Message.Said(in.count(), in.count(), in.count());
        }
      };

  private final int self;
  private final Clock clock;
  private final Effects<Message> effects;
  private final HeardClocks heard;
  private final long[] delivered; // by rank, the number behind the sender's last delivered batch
  private long said;
  private long asked;
  private long askedSaid;
  private long wanted;
  private long nextView = Long.MAX_VALUE; // deliveries of the next view have no lower stamp; known when this is wedged

  /// Begins a view.
  ///
  /// @param context where it works
  /// @param from    every member's clock is at least here
  /// @param effects how to reach the others
  public Frontier(TotalOrder.Context context, long from, Effects<Message> effects) {
    this.self = context.self();
    this.clock = context.clock();
    this.effects = effects;
    this.delivered = new long[context.view().size()];
    this.heard = new HeardClocks(delivered.length, from);
    this.said = from;
  }

  /// A batch is here, or this member's own has gone.
  ///
  /// @param rank  its sender's rank
  /// @param seq   its number
  /// @param stamp its stamp
  public void arrived(int rank, long seq, long stamp) {
    heard.arrived(rank, seq, stamp);
    if (rank == self) {
      said = Math.max(said, stamp);
    }
  }

  /// A batch is delivered.
  ///
  /// @param rank its sender's rank
  /// @param seq  its number
  public void delivered(int rank, long seq) {
    delivered[rank] = seq + 1;
  }

  /// A member said something.
  ///
  /// @param rank    its rank
  /// @param message what it said
  public void receive(int rank, Message message) {
    switch (message) {
      case Message.Said word -> {
        clock.witness(word.clock);
        wanted = Math.max(wanted, word.wanted);
        heard.said(rank, word.clock, word.sentNext);
      }
    }
  }

  /// A delivery of another group waits.
  ///
  /// @param stamp until everybody's clock is at least here; at most this member's own
  public void ask(long stamp) {
    asked = Math.max(asked, stamp);
  }

  /// A run of inputs ends: asks and answers.
  public void flush() {
    if (asked > askedSaid || wanted > said) {
      long wants = asked > askedSaid ? asked : 0;
      askedSaid = asked;
      said = clock.now();
      effects.broadcast(new Message.Said(said, heard.arrivedNext(self), wants));
    }
  }

  /// The view is wedged. The next one may begin right above the clock that this member reports, for who comes with it
  /// may have heard of nothing beyond.
  public void stop() {
    nextView = Math.min(nextView, clock.now() + 1);
  }

  /// The lowest stamp that a delivery to come can have.
  ///
  /// @param log what is here
  /// @return the stamp, or [Long#MAX_VALUE] when this member is alone, has nothing undelivered and is not wedged
  public long bound(Log log) {
    long lowest = nextView;
    for (int rank = 0; rank < delivered.length; rank++) {
      Batch next = log.from(rank, delivered[rank]);
      if (next != null) {
        lowest = Math.min(lowest, next.stamp());
      } else if (rank != self) {
        lowest = Math.min(lowest, heard.of(rank) + 1);
      }
    }
    return lowest;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    heard.check();
    Invariant.check(said <= clock.now(), "this member has not said more than its clock");
    Invariant.check(askedSaid <= asked, "only what is wanted was asked for");
    for (int rank = 0; rank < delivered.length; rank++) {
      Invariant.check(heard.of(rank) <= clock.now(), "no member's clock is known to be beyond this one's");
    }
  }
}
