package org.tutti.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;

/// A message as bytes: a short head that was written for it and a tail that is only referred to. One encoding serves
/// every destination and every retransmission.
///
/// @param head   from position 0 to its limit; never changed
/// @param tail   from its position to its limit; never changed
/// @param sender whose bulk it is ([Codec#sender]); null if nothing may overtake it
/// @param common whether it goes to several peers, perhaps in one multicast of the network
public record Encoded(ByteBuffer head, ByteBuffer tail, @Nullable MemberId sender, boolean common) {
  /// A message to one peer that nothing overtakes.
  ///
  /// @param head from position 0 to its limit; never changed
  /// @param tail from its position to its limit; never changed
  public Encoded(ByteBuffer head, ByteBuffer tail) {
    this(head, tail, null, false);
  }

  /// Encodes a message behind what was written already.
  ///
  /// @param <M>     the protocol's messages
  /// @param out     holds the frame's header
  /// @param codec   the protocol's codec
  /// @param message the message
  /// @param common  whether it goes to several peers
  /// @return the bytes
  public static <M> Encoded of(WireWriter out, Codec<M> codec, M message, boolean common) {
    codec.write(message, out);
    return new Encoded(out.copy(), codec.tail(message), codec.sender(message), common);
  }

  /// Whether it may be overtaken.
  ///
  /// @return whether other messages need not wait for it
  public boolean isBulk() {
    return sender != null;
  }

  /// How many bytes there are.
  ///
  /// @return head and tail together
  public int length() {
    return head.remaining() + tail.remaining();
  }

  /// Copies a range of the bytes.
  ///
  /// @param from where the range begins
  /// @param size how long it is
  /// @param to   gets the bytes at its position, which moves
  public void copy(int from, int size, ByteBuffer to) {
    int inHead = Math.clamp((long) head.remaining() - from, 0, size);
    if (inHead > 0) {
      to.put(to.position(), head, from, inHead);
      to.position(to.position() + inHead);
    }
    if (size > inHead) {
      int at = tail.position() + from + inHead - head.remaining();
      to.put(to.position(), tail, at, size - inHead);
      to.position(to.position() + size - inHead);
    }
  }

  /// All bytes in one buffer, as a receiver gets them.
  ///
  /// @return a new buffer
  public ByteBuffer joined() {
    ByteBuffer all = ByteBuffer.allocate(length());
    copy(0, length(), all);
    return all.flip();
  }
}
