package org.tutti.net.udp;

import java.nio.ByteBuffer;

/// A part of what would be a DATA, or all of it, for a path that does not take a DATA of this length.
///
/// ```
///  0  u16  "Tq"
///  2  u8   which piece it is, from 0
///  3  u8   how many there are; their numbers follow one another
///  4  u16  how long each of them is; only the last one may be shorter
///  6  u48  its number; the upper bit is 1 when the sender wants to hear soon what has arrived
/// 12  i32  the lower half of the receiver's life, as the sender knows it
/// 16  i32  the lower half of the sender's life, as the receiver knows it
/// 20       bytes index * length and on of what stands behind the header of the DATA
/// ```
///
/// The header is short because every datagram of a flood to one peer has one. It says nothing of what has arrived from
/// the receiver, and no version: pieces go only to a peer with which headers of this version were exchanged, and a
/// datagram with another header is none of its lives.
final class UnicastPiece {
  static final int HEADER_BYTES = 20;

  /// How many pieces there may be.
  static final int COUNT_MAX = 255;

  private static final short MAGIC = 'T' << 8 | 'q';
  private static final int ADDRESS_AT = 6;
  private static final int SOON = 1 << 15; // of the upper bits of a number

  // What was read last.
  int index;
  int count;
  int unit;
  boolean soon;
  long number;
  int to;
  int from;

  /// Whether a datagram is a piece for one peer.
  static boolean is(ByteBuffer in) {
    return in.remaining() > HEADER_BYTES && in.getShort(in.position()) == MAGIC;
  }

  /// Writes which piece it is, and what it carries, from the beginning of a buffer on.
  ///
  /// @param whole of which it is a part, from `at` on
  static void write(ByteBuffer out, int index, int count, int unit, ByteBuffer whole, int at, int length) {
    out.putShort(0, MAGIC).put(2, (byte) index).put(3, (byte) count).putShort(4, (short) unit);
    out.put(HEADER_BYTES, whole, at, length).position(HEADER_BYTES + length);
  }

  /// Writes who says it to whom.
  static void address(ByteBuffer out, long number, boolean soon, long to, long from) {
    int upper = (int) (number >>> Integer.SIZE);
    out.putShort(ADDRESS_AT, (short) (soon ? upper | SOON : upper)).putInt(ADDRESS_AT + 2, (int) number);
    out.putInt(12, (int) to).putInt(16, (int) from);
  }

  /// Reads the header; the position is then behind it.
  ///
  /// @return whether it may be a part of something
  boolean read(ByteBuffer in) {
    in.getShort();
    index = in.get() & 0xff;
    count = in.get() & 0xff;
    unit = in.getShort() & 0xffff;
    int upper = in.getShort() & 0xffff;
    soon = (upper & SOON) != 0;
    number = (long) (upper & SOON - 1) << Integer.SIZE | in.getInt() & 0xffff_ffffL;
    to = in.getInt();
    from = in.getInt();
    int length = in.remaining();
    return index < count && number > index && (index == count - 1 ? length <= unit : length == unit);
  }

  /// The number of the first piece.
  long first() {
    return number - index;
  }
}
