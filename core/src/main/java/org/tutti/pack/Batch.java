package org.tutti.pack;

import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Messages of one sender and one [Service] that travel, are ordered, acknowledged and delivered together.
///
/// Every batch gets a place in the history, whatever its service: for a weak one it only keeps the books. Each message
/// costs a length prefix. The payload is never changed once the batch exists.
///
/// @param sender  who multicast the messages
/// @param seq     counts the sender's batches from 0, on through view changes
/// @param kind    what is in it
/// @param stamp   the sender's logical clock when it sent the batch, or 0 before it was sent
/// @param past    what its sender had delivered when it sent the batch; of totally ordered and causal batches only
/// @param count   how many messages there are, at least 1; 0 in a switch
/// @param payload the messages, each as a count of bytes and the bytes, from position to limit; a switch's ordering
public record Batch(MemberId sender, long seq, Kind kind, long stamp, CausalPast past, int count, ByteBuffer payload) {
  private static final int PAST = 8; // in the byte of the kind: a past follows

  /// What a batch is for.
  public enum Kind {
    /// Totally ordered messages of the application.
    TOTAL(Service.TOTAL),
    /// A change of the group's ordering, placed in the history like any other batch.
    SWITCH(Service.TOTAL),
    /// Causally ordered messages.
    CAUSAL(Service.CAUSAL),
    /// Messages in their sender's order.
    FIFO(Service.FIFO),
    /// Messages in no order.
    UNORDERED(Service.UNORDERED),
    /// What members propagate to each other: totally ordered, but no messages of the application.
    PROPAGATED(Service.TOTAL);

    private final Service service;

    Kind(Service service) {
      this.service = service;
    }

    /// What messages of a service travel in.
    ///
    /// @param service any
    /// @return the kind of their batches
    public static Kind of(Service service) {
      return switch (service) {
        case TOTAL -> TOTAL;
        case CAUSAL -> CAUSAL;
        case FIFO -> FIFO;
        case UNORDERED -> UNORDERED;
      };
    }

    /// The messages' service.
    ///
    /// @return one service for all of them
    public Service service() {
      return service;
    }

    /// Whether the messages are delivered without waiting for their places.
    ///
    /// @return whether their service is another one than [Service#TOTAL]
    public boolean isWeak() {
      return service != Service.TOTAL;
    }
  }

  /// How many positions of the history its messages take.
  ///
  /// @return their number, or 0 when they are not totally ordered
  public int positions() {
    return kind == Kind.TOTAL ? count : 0;
  }

  /// Makes a batch that tells the group to change its ordering.
  ///
  /// @param sender who wants it
  /// @param seq    the batch's number
  /// @param to     the ordering that decides the places after this batch
  /// @return the batch, without a stamp
  public static Batch toSwitch(MemberId sender, long seq, Ordering to) {
    var out = new WireWriter();
    out.ordering(to);
    return new Batch(sender, seq, Kind.SWITCH, 0, CausalPast.NONE, 0, out.copy());
  }

  /// The ordering that a switch asks for.
  ///
  /// @return what [#toSwitch] was given
  public Ordering ordering() {
    try {
      return new WireReader(payload.duplicate()).ordering();
    } catch (Malformed checked) {
      throw new IllegalStateException("was read before", checked);
    }
  }

  /// The same batch at the moment of its sending.
  ///
  /// @param clock the sender's logical clock
  /// @param delivered what it has delivered in the view
  /// @return a copy that says so
  public Batch sent(long clock, CausalPast delivered) {
    return new Batch(sender, seq, kind, clock, delivered, count, payload);
  }

  /// The same batch without its first messages, for who has them already.
  ///
  /// @param messages how many, at most all
  /// @return a batch to be delivered, not to be sent
  public Batch without(int messages) {
    Messages rest = messages();
    for (int i = 0; i < messages; i++) {
      rest.next();
    }
    ByteBuffer left = payload.slice(rest.at, payload.limit() - rest.at);
    return new Batch(sender, seq, kind, stamp, past, count - messages, left);
  }

  /// The same batch with a payload of its own, for who needs it when the payload's buffer may be used again.
  ///
  /// @return a copy
  public Batch copy() {
    ByteBuffer own = ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    return new Batch(sender, seq, kind, stamp, past, count, own);
  }

  /// Writes all but the payload, which follows as the message's tail, and the sender.
  ///
  /// @param out where to
  public void write(WireWriter out) {
    out.count(seq);
    out.u8(kind.ordinal() | (past.isEmpty() ? 0 : PAST));
    out.count(stamp);
    out.count(count);
    if (!past.isEmpty()) {
      past.write(out);
    }
  }

  /// Reads a batch that another member made.
  ///
  /// @param sender who made it
  /// @param in     its bytes to the end; copied, because they are only lent
  /// @return the batch, checked down to every message's length
  /// @throws Malformed when the bytes are not a batch
  public static Batch copy(MemberId sender, WireReader in) throws Malformed {
    return copy(sender, in, lent -> ByteBuffer.allocate(lent.remaining()).put(lent).flip());
  }

  /// Reads a batch that another member made.
  ///
  /// @param sender who made it
  /// @param in     its bytes to the end; copied, because they are only lent
  /// @param copies makes the copy of the payload, on the heap
  /// @return the batch, checked down to every message's length
  /// @throws Malformed when the bytes are not a batch
  public static Batch copy(MemberId sender, WireReader in, UnaryOperator<ByteBuffer> copies) throws Malformed {
    long seq = in.count();
    int flags = in.u8();
    Kind kind = kind(flags & ~PAST);
    long stamp = in.count();
    int count = in.countUpTo(Integer.MAX_VALUE);
    CausalPast past = (flags & PAST) == 0 ? CausalPast.NONE : past(kind, in);
    ByteBuffer lent = in.rest();
    if ((count == 0) != (kind == Kind.SWITCH) || count > lent.remaining()) {
      throw new Malformed("batch");
    }
    ByteBuffer payload = copies.apply(lent);
    if (kind == Kind.SWITCH) {
      var ordering = new WireReader(payload.duplicate());
      ordering.ordering();
      ordering.end();
    } else {
      Prefix.check(payload, count);
    }
    return new Batch(sender, seq, kind, stamp, past, count, payload);
  }

  private static Kind kind(int number) throws Malformed {
    return switch (number) {
      case 0 -> Kind.TOTAL;
      case 1 -> Kind.SWITCH;
      case 2 -> Kind.CAUSAL;
      case 3 -> Kind.FIFO;
      case 4 -> Kind.UNORDERED;
      case 5 -> Kind.PROPAGATED;
      default -> throw new Malformed("batch");
    };
  }

  private static CausalPast past(Kind kind, WireReader in) throws Malformed {
    CausalPast past = CausalPast.read(in);
    if (kind != Kind.CAUSAL && (kind != Kind.TOTAL || past.after() > 0)) {
      throw new Malformed("causal past");
    }
    return past;
  }

  /// Walks through the messages.
  ///
  /// @return a cursor before the first message
  public Messages messages() {
    return new Messages(payload.duplicate(), count);
  }

  /// A cursor over a batch's messages that lends one buffer again and again.
  public static final class Messages {
    private final ByteBuffer buffer;
    private final int end;
    private int at;
    private int left;

    private Messages(ByteBuffer buffer, int count) {
      this.buffer = buffer;
      this.at = buffer.position();
      this.end = buffer.limit();
      this.left = count;
    }

    /// Whether [#next] has another message.
    ///
    /// @return whether there is one
    public boolean hasNext() {
      return left > 0;
    }

    /// How often [#next] has another message.
    ///
    /// @return how many are left
    public int left() {
      return left;
    }

    /// Goes to the next message.
    ///
    /// @return its bytes from position to limit, lent until the next call
    public ByteBuffer next() {
      buffer.limit(end).position(at);
      int length = 0;
      for (int shift = 0; ; shift += 7) {
        int next = buffer.get();
        length |= (next & 0x7f) << shift;
        if (next >= 0) {
          break;
        }
      }
      left--;
      at = buffer.position() + length;
      return buffer.limit(at);
    }
  }
}
