package org.tutti.pack;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Messages of one sender that travel, are ordered, acknowledged and delivered together.
///
/// Each message costs a length prefix. The payload is never changed once the batch exists.
///
/// @param sender  who multicast the messages
/// @param seq     counts the sender's batches from 0, on through view changes
/// @param kind    what is in it
/// @param stamp   the sender's logical clock when it sent the batch, or 0 before it was sent
/// @param count   how many messages there are, at least 1; 0 in a switch
/// @param payload the messages, each as a count of bytes and the bytes, from position to limit; a switch's ordering
public record Batch(MemberId sender, long seq, Kind kind, long stamp, int count, ByteBuffer payload) {
  /// What a batch is for.
  public enum Kind {
    /// Messages of the application.
    MESSAGES,
    /// A change of the group's ordering (N2), placed in the history like any other batch.
    SWITCH
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
    return new Batch(sender, seq, Kind.SWITCH, 0, 0, out.copy());
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
  /// @return a copy with this stamp
  public Batch stamped(long clock) {
    return new Batch(sender, seq, kind, clock, count, payload);
  }

  /// Writes all but the payload, which follows as the message's tail, and the sender.
  ///
  /// @param out where to
  public void write(WireWriter out) {
    out.count(seq);
    out.u8(kind.ordinal());
    out.count(stamp);
    out.count(count);
  }

  /// Reads a batch that another member made.
  ///
  /// @param sender who made it
  /// @param in     its bytes to the end; copied, because they are only lent
  /// @return the batch, checked down to every message's length
  /// @throws Malformed when the bytes are not a batch
  public static Batch copy(MemberId sender, WireReader in) throws Malformed {
    long seq = in.count();
    Kind kind = kind(in.u8());
    long stamp = in.count();
    int count = in.countUpTo(Integer.MAX_VALUE);
    ByteBuffer lent = in.rest();
    ByteBuffer payload = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
    var messages = new WireReader(payload.duplicate());
    if ((count == 0) != (kind == Kind.SWITCH) || count > payload.remaining()) {
      throw new Malformed("batch");
    }
    if (kind == Kind.SWITCH) {
      messages.ordering();
    }
    for (int i = 0; i < count; i++) {
      messages.bytes(Integer.MAX_VALUE);
    }
    messages.end();
    return new Batch(sender, seq, kind, stamp, count, payload);
  }

  private static Kind kind(int number) throws Malformed {
    return switch (number) {
      case 0 -> Kind.MESSAGES;
      case 1 -> Kind.SWITCH;
      default -> throw new Malformed("batch");
    };
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
