package org.tutti.net.udp;

import java.nio.ByteBuffer;

/// A part of a multicast that is longer than the paths to its receivers take. Each part is a datagram, sealed and
/// numbered as one, and is repaired alone, so that a long multicast costs little more when some of its parts are lost.
///
/// ```
///  0  u16  "Tp"
///  2  u8   version (1)
///  3  u8   which piece it is, from 0; 128 is added when it is said again, perhaps by another one than its sender
///  4  u8   how many there are; their numbers follow one another
///  5  i32  the lower half of the life of who sent the multicast
///  9  i64  its number
/// 17       the next bytes of a MULTICAST, whose number is that of its first piece; see [MulticastDatagram]
/// ```
///
/// The header is short because every datagram of a flood has one. The whole names its sender in full.
final class MulticastPiece {
  static final int HEADER_BYTES = 17;

  /// How many pieces a multicast may have: their numbers fit into the window in which a share names others.
  static final int COUNT_MAX = Long.SIZE;

  /// The longest multicast before it is cut: what a receiver has room for.
  static final int WHOLE_BYTES_MAX = 65_000; // sealed, it still fits into a datagram

  private static final short MAGIC = 'T' << 8 | 'p';
  private static final byte VERSION = 1;
  private static final int INDEX_AT = 3;
  private static final int AGAIN = 128;

  // What was read last.
  int index;
  int count;
  int life;
  long number;
  boolean again;

  /// How many pieces a multicast is cut into.
  ///
  /// @param length of the multicast
  /// @param path   how long a datagram may be
  /// @return 1 when it goes as it is
  static int count(int length, int path) {
    return length <= path ? 1 : Math.ceilDiv(length, path - HEADER_BYTES);
  }

  /// How long the longest multicast is on a path.
  static int wholeMax(int path) {
    return Math.min(WHOLE_BYTES_MAX, COUNT_MAX * (path - HEADER_BYTES));
  }

  /// How long each piece is, with its header; the last one may be shorter.
  static int length(int length, int count) {
    return count == 1 ? length : HEADER_BYTES + Math.ceilDiv(length, count);
  }

  /// Cuts a piece out of a multicast, as it is said again.
  ///
  /// @param life  of who sent it
  /// @param first the number of its first piece
  static byte[] again(byte[] whole, int index, int count, long life, long first) {
    int part = Math.ceilDiv(whole.length, count);
    int from = Math.min(whole.length, index * part);
    int size = Math.min(part, whole.length - from);
    byte[] piece = new byte[HEADER_BYTES + size];
    ByteBuffer out = ByteBuffer.wrap(piece).putShort(MAGIC).put(VERSION).put((byte) (index | AGAIN)).put((byte) count);
    out.putInt((int) life).putLong(first + index).put(whole, from, size);
    return piece;
  }

  /// Whether a datagram is a piece of a multicast.
  static boolean is(ByteBuffer in) {
    return in.remaining() >= HEADER_BYTES && in.getShort(in.position()) == MAGIC;
  }

  /// Writes the header, and the part of the multicast that follows it.
  static void write(ByteBuffer out, int index, int count, long life, long number, ByteBuffer part) {
    out.clear().putShort(MAGIC).put(VERSION).put((byte) index).put((byte) count).putInt((int) life).putLong(number);
    out.put(part).flip();
  }

  /// The number of the first piece.
  long first() {
    return number - index;
  }

  /// Reads the header; the position is then behind it.
  ///
  /// @return whether it is well-formed
  boolean read(ByteBuffer in) {
    if (!is(in) || in.get(in.position() + 2) != VERSION) {
      return false;
    }
    in.position(in.position() + INDEX_AT);
    int mixed = in.get() & 0xff;
    again = (mixed & AGAIN) != 0;
    index = mixed & ~AGAIN;
    count = in.get() & 0xff;
    life = in.getInt();
    number = in.getLong();
    return count > 1 && count <= COUNT_MAX && index < count && number > index && in.remaining() > 0;
  }

  /// Marks a copy as said again.
  static byte[] again(ByteBuffer piece, int start) {
    byte[] copy = new byte[piece.limit() - start];
    piece.get(start, copy);
    copy[INDEX_AT] |= (byte) AGAIN;
    return copy;
  }

  /// Whether kept bytes are a certain piece of a multicast.
  static boolean is(byte[] kept, int index, int count) {
    return kept.length > HEADER_BYTES
        && kept[0] == (byte) (MAGIC >> Byte.SIZE)
        && kept[1] == (byte) MAGIC
        && (kept[INDEX_AT] & AGAIN - 1) == index
        && (kept[INDEX_AT + 1] & 0xff) == count;
  }
}
