package org.tutti.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;

/// Turns one protocol's messages into bytes and back.
///
/// @param <M> the protocol's sealed messages
public interface Codec<M> {
  /// An empty tail.
  ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /// Writes a message, without its tail.
  ///
  /// @param message the message
  /// @param out     where to
  void write(M message, WireWriter out);

  /// The bulk of a message, which is sent by reference behind what [#write] wrote.
  ///
  /// @param message the message
  /// @return bytes that do not change any more; empty for most messages
  default ByteBuffer tail(M message) {
    return NOTHING;
  }

  /// Whose message it is, if it is large, one of many, and no protocol believes that it comes before what was sent
  /// later: then all others may overtake it, and those of several senders take turns. One sender's keep their order.
  ///
  /// @param message the message
  /// @return its sender, or null if nothing may overtake it
  default @Nullable MemberId sender(M message) {
    return null;
  }

  /// Reads a message.
  ///
  /// @param in its bytes, lent: what the message keeps must be copied, unless it says otherwise
  /// @return the message
  /// @throws Malformed when the bytes are not one
  M read(WireReader in) throws Malformed;

  /// Reads a message behind which nothing may follow.
  ///
  /// @param in its bytes, as for [#read]
  /// @return the message
  /// @throws Malformed when the bytes are not one, or bytes are left
  default M readAll(WireReader in) throws Malformed {
    M message = read(in);
    in.end();
    return message;
  }
}
