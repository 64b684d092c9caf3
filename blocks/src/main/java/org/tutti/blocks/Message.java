package org.tutti.blocks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/// What clients of [Blocks] say:
///
/// ```
/// u8 kind of block, u16 length and name, u8 action, what the action needs
/// ```
///
/// Integers are big-endian; bytes of any length are `i32 length, bytes`.
final class Message {
  static final int NAME_BYTES_MAX = 1024;

  private Message() {}

  /// Begins a message, with room for what the action needs.
  static ByteBuffer begin(Blocks.Kind kind, String name, int action, int more) {
    byte[] text = name.getBytes(UTF_8);
    if (text.length > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a name has up to " + NAME_BYTES_MAX + " bytes, not " + text.length);
    }
    return ByteBuffer.allocate(1 + Short.BYTES + text.length + 1 + more)
        .put((byte) kind.ordinal())
        .putShort((short) text.length)
        .put(text)
        .put((byte) action);
  }

  /// Takes a name. Longer ones than [#begin] allows are refused, whoever sends them: they might not fit into a
  /// snapshot.
  static String name(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    if (length > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a name has up to " + NAME_BYTES_MAX + " bytes, not " + length);
    }
    return new String(take(in, length), UTF_8);
  }

  static int length(ByteBuffer bytes) {
    return Integer.BYTES + bytes.remaining();
  }

  static ByteBuffer put(ByteBuffer out, ByteBuffer bytes) {
    return out.putInt(bytes.remaining()).put(bytes.duplicate());
  }

  /// Copies bytes out of a message.
  static ByteBuffer bytes(ByteBuffer in) {
    return ByteBuffer.wrap(take(in, in.getInt())).asReadOnlyBuffer();
  }

  private static byte[] take(ByteBuffer in, int length) {
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException(length + " bytes in a message that has " + in.remaining() + " more");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  static ByteBuffer number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
  }

  static void write(DataOutputStream out, ByteBuffer bytes) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    out.writeInt(copy.length);
    out.write(copy);
  }

  static ByteBuffer read(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = in.readNBytes(Math.max(0, length));
    if (bytes.length != length) {
      throw new IOException(length + " bytes are said to be in a snapshot, but it has " + bytes.length + " more");
    }
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }
}
