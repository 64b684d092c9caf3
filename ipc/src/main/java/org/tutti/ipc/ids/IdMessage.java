package org.tutti.ipc.ids;

import java.nio.ByteBuffer;

/// What clients say to a [GroupIdServer], and what it answers. All numbers are big-endian; keys, verifiers and send
/// keys have 32 bytes, salts 16.
///
/// | message | its bytes behind the first, which says which it is | the answer behind its first, the outcome |
/// | --- | --- | --- |
/// | CREATE, a command | i32 iterations, salt, verifier, u8 guarded; salt, send key if so | i32 id |
/// | DESTROY, a command | i32 id, key | |
/// | LOOK | i32 id | i32 iterations, salt, u8 guarded; salt if so |
/// | CHECK | i32 id, key | u8 guarded; send key if so |
/// | CHECK_SEND | i32 id, send key | |
///
/// The answer has nothing behind an outcome other than [#DONE].
final class IdMessage {
  static final byte CREATE = 1;
  static final byte DESTROY = 2;
  static final byte LOOK = 3;
  static final byte CHECK = 4;
  static final byte CHECK_SEND = 5;

  static final byte DONE = 0;
  static final byte UNKNOWN = 1; // there is no such group
  static final byte WRONG = 2; // another password
  static final byte FULL = 3;

  private IdMessage() {}

  static ByteBuffer create(Lock control, byte[] verifier) {
    return begin(CREATE, Integer.BYTES + Lock.SALT_BYTES + Lock.KEY_BYTES + 1)
        .putInt(control.iterations())
        .put(control.salt())
        .put(verifier)
        .put((byte) 0)
        .flip();
  }

  static ByteBuffer create(Lock control, byte[] verifier, Lock send, byte[] sendKey) {
    return begin(CREATE, Integer.BYTES + 2 * (Lock.SALT_BYTES + Lock.KEY_BYTES) + 1)
        .putInt(control.iterations())
        .put(control.salt())
        .put(verifier)
        .put((byte) 1)
        .put(send.salt())
        .put(sendKey)
        .flip();
  }

  static ByteBuffer look(int id) {
    return begin(LOOK, Integer.BYTES).putInt(id).flip();
  }

  /// One of those with a key.
  static ByteBuffer with(byte kind, int id, byte[] key) {
    return begin(kind, Integer.BYTES + Lock.KEY_BYTES).putInt(id).put(key).flip();
  }

  private static ByteBuffer begin(byte kind, int more) {
    return ByteBuffer.allocate(1 + more).put(kind);
  }

  /// Takes bytes out of a message.
  ///
  /// @throws IllegalArgumentException when it is shorter
  static byte[] take(ByteBuffer in, int length) {
    require(in, length);
    var bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  static int number(ByteBuffer in) {
    require(in, Integer.BYTES);
    return in.getInt();
  }

  static byte octet(ByteBuffer in) {
    require(in, 1);
    return in.get();
  }

  static boolean flag(ByteBuffer in) {
    byte value = octet(in);
    if (value != 0 && value != 1) {
      throw new IllegalArgumentException("neither yes nor no: " + value);
    }
    return value == 1;
  }

  static void end(ByteBuffer in) {
    if (in.hasRemaining()) {
      throw new IllegalArgumentException(in.remaining() + " bytes behind a message");
    }
  }

  private static void require(ByteBuffer in, int length) {
    if (in.remaining() < length) {
      throw new IllegalArgumentException("a message with " + (length - in.remaining()) + " bytes too few");
    }
  }
}
