package org.tutti.membership;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Reads what members say of views, and the same [ViewMessage.Meet] once: whoever looks for a large group is told its
/// view by the coordinator for each member that it has called, with the same bytes.
public final class MeetReader {
  private static final int BYTES_MAX = 1 << 20; // a view of the most members, with short names

  private ByteBuffer last = Codec.NOTHING;
  private ViewMessage.@Nullable Meet read;

  /// Makes a reader that has read nothing.
  public MeetReader() {}

  /// Reads a message.
  ///
  /// @param in its bytes, lent
  /// @return the message; perhaps the one that was read before
  /// @throws Malformed when the bytes are not one
  public ViewMessage read(WireReader in) throws Malformed {
    ByteBuffer bytes = in.rest();
    if (read != null && bytes.equals(last)) {
      return read;
    }
    ViewMessage message = ViewMessage.CODEC.readAll(new WireReader(bytes.duplicate()));
    if (message instanceof ViewMessage.Meet meet && bytes.remaining() <= BYTES_MAX) {
      last = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
      read = meet;
    }
    return message;
  }
}
