package org.tutti.pack;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Messages of one sender that travel, are ordered, acknowledged and delivered together.
///
/// Each message costs a length prefix. The payload is never changed once the batch exists.
///
/// @param sender  who multicast the messages
/// @param seq     counts the sender's batches from 0, on through view changes
/// @param count   how many messages there are, at least 1
/// @param payload the messages, each as a count of bytes and the bytes, from position to limit
public record Batch(MemberId sender, long seq, int count, ByteBuffer payload) {
  /// Reads a batch that another member made.
  ///
  /// @param sender who made it
  /// @param in     its bytes to the end; copied, because they are only lent
  /// @return the batch, checked down to every message's length
  /// @throws Malformed when the bytes are not a batch
  public static Batch copy(MemberId sender, WireReader in) throws Malformed {
    long seq = in.count();
    int count = in.countUpTo(Integer.MAX_VALUE);
    ByteBuffer lent = in.rest();
    ByteBuffer payload = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
    var messages = new WireReader(payload.duplicate());
    if (count == 0 || count > payload.remaining()) {
      throw new Malformed("batch");
    }
    for (int i = 0; i < count; i++) {
      messages.bytes(Integer.MAX_VALUE);
    }
    messages.end();
    return new Batch(sender, seq, count, payload);
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
