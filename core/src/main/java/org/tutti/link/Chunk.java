package org.tutti.link;

import java.nio.ByteBuffer;
import org.tutti.wire.Encoded;

/// A piece of a message in a packet: `count (size * 4 + last * 2 + first)`, then the bytes.
///
/// @param message whose piece it is
/// @param from    where it begins in the message
/// @param size    how many bytes
/// @param first   whether the message begins with it
/// @param last    whether the message ends with it
record Chunk(Encoded message, int from, int size, boolean first, boolean last) {
  /// The most bytes before the piece itself.
  static final int HEADER_MAX = 5;

  private static final int FIRST = 1;
  private static final int LAST = 2;
  private static final int SIZE_SHIFT = 2;

  private long header() {
    return (long) size << SIZE_SHIFT | (first ? FIRST : 0) | (last ? LAST : 0);
  }

  static int size(long header) {
    return (int) (header >>> SIZE_SHIFT);
  }

  static boolean isFirst(long header) {
    return (header & FIRST) != 0;
  }

  static boolean isLast(long header) {
    return (header & LAST) != 0;
  }

  /// How many bytes it takes in a packet.
  int length() {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(header()) + 6) / 7) + size;
  }

  void write(ByteBuffer frame) {
    long rest = header();
    while (rest > 0x7f) {
      frame.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    frame.put((byte) rest);
    message.copy(from, size, frame);
  }
}
