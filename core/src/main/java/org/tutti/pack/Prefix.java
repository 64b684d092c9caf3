package org.tutti.pack;

import java.nio.ByteBuffer;
import org.tutti.wire.Malformed;

/// The length before each message of a batch: seven bits in each byte, the lowest first, all but the last byte with the
/// eighth bit set. [Batch.Messages] reads it.
public final class Prefix {
  private static final int BITS = 7; // in a byte
  private static final int SHIFT_MAX = 28; // of the last byte of an int

  private Prefix() {}

  /// How long it is.
  ///
  /// @param length of the message, not negative
  /// @return 1 to 5 bytes
  public static int bytes(int length) {
    return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(length) + BITS - 1) / BITS);
  }

  /// Writes it.
  ///
  /// @param out    has room for it
  /// @param length of the message, not negative
  public static void put(ByteBuffer out, int length) {
    int rest = length;
    while (rest > 0x7f) {
      out.put((byte) (rest | 0x80));
      rest >>>= BITS;
    }
    out.put((byte) rest);
  }

  /// Where a message ends.
  ///
  /// @param in       messages, each behind its prefix
  /// @param position where a message's prefix begins
  /// @return behind the message
  static int end(ByteBuffer in, int position) {
    int at = position;
    int length = 0;
    for (int shift = 0; ; shift += BITS) {
      int next = in.get(at++);
      length |= (next & 0x7f) << shift;
      if (next >= 0) {
        return at + length;
      }
    }
  }

  /// Whether bytes are so many messages, each behind its length, and nothing else.
  ///
  /// @param messages on the heap, read from position to limit; its position is not moved
  /// @param count    how many there should be
  /// @throws Malformed when they are not
  static void check(ByteBuffer messages, int count) throws Malformed {
    byte[] bytes = messages.array();
    int at = messages.arrayOffset() + messages.position();
    int end = messages.arrayOffset() + messages.limit();
    for (int i = 0; i < count; i++) {
      long length = 0;
      int next = -1;
      for (int shift = 0; next < 0; shift += BITS) {
        if (at == end || shift > SHIFT_MAX) {
          throw new Malformed("truncated");
        }
        next = bytes[at++];
        length |= (long) (next & 0x7f) << shift;
      }
      if (length > end - at) {
        throw new Malformed("truncated");
      }
      at += (int) length;
    }
    if (at != end) {
      throw new Malformed("trailing bytes");
    }
  }
}
