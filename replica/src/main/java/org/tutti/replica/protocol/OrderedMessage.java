package org.tutti.replica.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.tutti.replica.Replication;
import org.tutti.wire.Malformed;

/// What replicas multicast to each other, totally ordered: everything that changes the replicated state. REPLY and ASK
/// change nothing and are multicast in no order ([ReplyBundles]).
///
/// ```
/// CONFIGURE  u8 1, i64 millis, i32 sessions, i32 window, i32 bytes,  the limits and the replication, decided by the
///            u8 replication, u8 version of these messages            first one
/// ANNOUNCE   u8 2, address                                           where clients reach the sender
/// OPEN       u8 3, i64 time, i64 nonce, 2 i64 secret                 a client wants a session
/// CALL       u8 4, i64 time, i64 session, i64 number, i64 below, u8 skip, payload
/// TOUCH      u8 5, i64 time, i64 session...                          these clients are connected
/// TICK       u8 6, i64 time                                          time passes
/// CLOSE      u8 7, i64 session                                       a client is through
/// CHANGE     u8 8, i64 position, i64 version, u8 status,             the outcome of the command at a position, in a
///            u8 changes, i32 length, reply, change                   version of the state
/// CHECK      u8 9                                                    all say the digest of their states behind it
/// DIGEST     u8 10, i64 position, i64 digest                         of the sender's state
/// COLLECT    u8 11, then as CALL                                     a command whose replies all say
/// REPLY      u8 12, i64 session, i64 number, u8 status,              what the sender has answered to it
///            i64 position, payload
/// ASK        u8 13, n times i64 session, i64 number                  say what was answered to these
/// ```
final class OrderedMessage {
  static final byte VERSION = 2; // of what messages mean, too: replicas of two versions would have different sessions

  static final int CONFIGURE = 1;
  static final int ANNOUNCE = 2;
  static final int OPEN = 3;
  static final int CALL = 4;
  static final int TOUCH = 5;
  static final int TICK = 6;
  static final int CLOSE = 7;
  static final int CHANGE = 8;
  static final int CHECK = 9;
  static final int DIGEST = 10;
  static final int COLLECT = 11;
  static final int REPLY = 12;
  static final int ASK = 13;

  /// Bytes of a call before its payload.
  static final int CALL_HEADER = 1 + 4 * Long.BYTES + 1;

  /// A command whose reply is asked for.
  record Asked(long session, long number) {}

  /// How many of them one message asks for.
  static final int ASKED_MAX = 4096;

  private OrderedMessage() {}

  static ByteBuffer configure(SessionTable.Limits limits, Replication replication) {
    return ByteBuffer.allocate(1 + Long.BYTES + 3 * Integer.BYTES + 2)
        .put((byte) CONFIGURE)
        .putLong(limits.sessionMillis())
        .putInt(limits.sessionsMax())
        .putInt(limits.window())
        .putInt(limits.replyBytesMax())
        .put((byte) replication.ordinal())
        .put(VERSION)
        .flip();
  }

  static SessionTable.Limits limits(ByteBuffer in) {
    return new SessionTable.Limits(in.getLong(), in.getInt(), in.getInt(), in.getInt());
  }

  static ByteBuffer announce(String address) {
    byte[] text = address.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + text.length).put((byte) ANNOUNCE).put(text).flip();
  }

  static ByteBuffer open(long time, long nonce, SessionTable.Secret secret) {
    return ByteBuffer.allocate(1 + 4 * Long.BYTES)
        .put((byte) OPEN)
        .putLong(time)
        .putLong(nonce)
        .putLong(secret.high())
        .putLong(secret.low())
        .flip();
  }

  static ByteBuffer call(long time, long session, long number, long below, boolean skip, ByteBuffer payload) {
    return ByteBuffer.allocate(CALL_HEADER + payload.remaining())
        .put((byte) CALL)
        .putLong(time)
        .putLong(session)
        .putLong(number)
        .putLong(below)
        .put((byte) (skip ? 1 : 0))
        .put(payload.duplicate())
        .flip();
  }

  /// The same, whose replies the sender gathers.
  static ByteBuffer collected(ByteBuffer call) {
    return call.put(call.position(), (byte) COLLECT);
  }

  static ByteBuffer reply(Frame.Replied replied) {
    CommandReply reply = replied.reply();
    return ByteBuffer.allocate(2 + 3 * Long.BYTES + reply.payload().remaining())
        .put((byte) REPLY)
        .putLong(replied.session())
        .putLong(replied.number())
        .put((byte) reply.status().ordinal())
        .putLong(reply.position())
        .put(reply.payload().duplicate())
        .flip();
  }

  /// @param in behind its kind; the payload is copied
  static Frame.Replied replied(ByteBuffer in) throws Malformed {
    try {
      long session = in.getLong();
      long number = in.getLong();
      CommandReply.Status status = CommandReply.status(in.get());
      long position = in.getLong();
      ByteBuffer payload = ByteBuffer.allocate(in.remaining()).put(in).flip().asReadOnlyBuffer();
      return new Frame.Replied(session, number, new CommandReply(status, position, payload));
    } catch (BufferUnderflowException | IllegalArgumentException _) {
      throw new Malformed("reply");
    }
  }

  static ByteBuffer ask(List<Asked> commands) {
    ByteBuffer out = ByteBuffer.allocate(1 + commands.size() * 2 * Long.BYTES).put((byte) ASK);
    commands.forEach(command -> out.putLong(command.session).putLong(command.number));
    return out.flip();
  }

  /// @param in behind its kind
  static List<Asked> asked(ByteBuffer in) throws Malformed {
    if (in.remaining() % (2 * Long.BYTES) != 0 || in.remaining() > ASKED_MAX * 2 * Long.BYTES) {
      throw new Malformed("commands");
    }
    List<Asked> commands = new ArrayList<>();
    while (in.hasRemaining()) {
      commands.add(new Asked(in.getLong(), in.getLong()));
    }
    return commands;
  }

  static ByteBuffer touch(long time, List<Long> sessions) {
    ByteBuffer out = ByteBuffer.allocate(1 + Long.BYTES * (1 + sessions.size())).put((byte) TOUCH).putLong(time);
    sessions.forEach(out::putLong);
    return out.flip();
  }

  static ByteBuffer tick(long time) {
    return ByteBuffer.allocate(1 + Long.BYTES).put((byte) TICK).putLong(time).flip();
  }

  static ByteBuffer close(long session) {
    return ByteBuffer.allocate(1 + Long.BYTES).put((byte) CLOSE).putLong(session).flip();
  }

  /// @param changes whether the service is to be changed; a command that has thrown an exception changes nothing
  static ByteBuffer change(
      long position, long version, CommandReply.Status status, boolean changes, ByteBuffer reply, ByteBuffer change) {
    return ByteBuffer.allocate(1 + 2 * Long.BYTES + 2 + Integer.BYTES + reply.remaining() + change.remaining())
        .put((byte) CHANGE)
        .putLong(position)
        .putLong(version)
        .put((byte) status.ordinal())
        .put((byte) (changes ? 1 : 0))
        .putInt(reply.remaining())
        .put(reply.duplicate())
        .put(change.duplicate())
        .flip();
  }

  static ByteBuffer check() {
    return ByteBuffer.allocate(1).put((byte) CHECK).flip();
  }

  static ByteBuffer digest(long position, long digest) {
    return ByteBuffer.allocate(1 + 2 * Long.BYTES).put((byte) DIGEST).putLong(position).putLong(digest).flip();
  }

  static Replication replication(int number) {
    return switch (number) {
      case 0 -> Replication.PASSIVE;
      case 1 -> Replication.ACTIVE;
      default -> throw new IllegalStateException("no replication " + number);
    };
  }
}
