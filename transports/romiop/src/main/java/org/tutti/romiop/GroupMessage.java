package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;

/// What is multicast in a group of objects: a request in total order, or a member's reply to it, FIFO.
///
/// ```
/// 0 "RMP2"   4 kind: 0 request, 1 reply   5 the client (16)   21 the number of the call (8)   29 time (8)   37 GIOP
/// ```
///
/// @param isReply whether a member answers
/// @param client  whose call it is
/// @param call    which of the client's calls
/// @param time    when a gateway sent the request, as in [FtRequest]; 0 of others and of replies
/// @param giop    the message
record GroupMessage(boolean isReply, UUID client, long call, long time, Giop giop) {
  private static final int VERSION = 2;
  private static final int MAGIC = 0x524d5030 + VERSION;
  private static final int KIND_AT = 4;
  private static final int CLIENT_AT = 5;
  private static final int CALL_AT = 21;
  private static final int HEAD_BYTES = 37;

  /// A member's answer to this request: the reply or, when that is too long to be multicast, a failure.
  GroupMessage answer(Giop reply) {
    boolean fits = HEAD_BYTES + reply.bytes().length <= Group.MESSAGE_BYTES_MAX;
    Giop answer = fits ? reply : Giop.exception(giop.minorVersion(), RomiopFailure.REPLY_TOO_LONG);
    return new GroupMessage(true, client, call, 0, answer);
  }

  byte[] encoded() {
    byte[] giopBytes = giop.bytes();
    return ByteBuffer.allocate(HEAD_BYTES + giopBytes.length)
        .putInt(MAGIC)
        .put((byte) (isReply ? 1 : 0))
        .putLong(client.getMostSignificantBits())
        .putLong(client.getLeastSignificantBits())
        .putLong(call)
        .putLong(time)
        .put(giopBytes)
        .array();
  }

  /// Looks whether one is a client's request, which need not be read by the client that has made it.
  ///
  /// @param from is not read
  /// @return the number of the call, or -1
  static long requestOf(UUID client, ByteBuffer from) {
    int at = from.position();
    boolean is =
        from.remaining() > HEAD_BYTES
            && from.getInt(at) == MAGIC
            && from.get(at + KIND_AT) == 0
            && from.getLong(at + CLIENT_AT) == client.getMostSignificantBits()
            && from.getLong(at + CLIENT_AT + Long.BYTES) == client.getLeastSignificantBits();
    return is ? from.getLong(at + CALL_AT) : -1;
  }

  /// Reads one.
  ///
  /// @param from is read to its end
  /// @param client whose replies are of interest; null for a member, to which only requests are
  /// @return null when it is a reply that is not of interest
  /// @throws Giop.BrokenGiopException when it is neither
  static @Nullable GroupMessage read(ByteBuffer from, @Nullable UUID client) throws Giop.BrokenGiopException {
    int version = from.remaining() > HEAD_BYTES ? from.getInt() - MAGIC + VERSION : -1;
    if (version > 0 && version <= 9 && version != VERSION) {
      throw new Giop.BrokenGiopException("a message of version " + version + ", this is version " + VERSION);
    }
    int kind = version == VERSION ? from.get() : -1;
    if (kind != 0 && kind != 1) {
      throw new Giop.BrokenGiopException("no message of a group of objects");
    }
    UUID whose = new UUID(from.getLong(), from.getLong());
    if (client == null ? kind == 1 : !whose.equals(client)) {
      return null;
    }
    long call = from.getLong();
    long time = from.getLong();
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    Giop giop = Giop.of(bytes);
    if (giop.type() != (kind == 0 ? Giop.REQUEST : Giop.REPLY)) {
      throw new Giop.BrokenGiopException("a message of type " + giop.type());
    }
    return new GroupMessage(kind == 1, whose, call, time, giop);
  }
}
