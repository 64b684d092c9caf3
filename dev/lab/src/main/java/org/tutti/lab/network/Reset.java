package org.tutti.lab.network;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;

/// Resets TCP connections as a stateful device on the way may: of each connection whose next segment comes by, both
/// ends get a reset that looks as if the other had sent it. A connection that is made anew is spared.
///
/// A reset is believed only if its sequence number is exactly the one that is expected (RFC 5961, section 3), which is
/// that of the segment for its receiver, and the number that it acknowledges for its sender.
final class Reset {
  private static final int MAC_BYTES = 6;
  private static final int TYPE_AT = 12;
  private static final int IP_AT = 14;
  private static final int TCP_AT = IP_AT + 20;
  private static final int TCP_BYTES = 20;
  private static final int IPV4 = 0x0800;
  private static final int IPV4_WITHOUT_OPTIONS = 0x45;
  private static final int TCP = 6;
  private static final int FLAGS_FIN_SYN_RST = 0x07;
  private static final int FLAG_RST = 0x04;
  private static final int FLAG_ACK = 0x10;

  /// How long a frame with a reset is.
  static final int BYTES = TCP_AT + TCP_BYTES;

  private final long endNanos;
  private final Set<Integer> ports = new HashSet<>();

  Reset(long endNanos) {
    this.endNanos = endNanos;
  }

  boolean isOver(long nowNanos) {
    return nowNanos - endNanos >= 0;
  }

  /// Whether a frame is a segment of a connection that is yet to be reset; asked once for each.
  boolean strikes(MemorySegment frame, long length) {
    return length >= BYTES
        && u16(frame, TYPE_AT) == IPV4
        && u8(frame, IP_AT) == IPV4_WITHOUT_OPTIONS
        && u8(frame, IP_AT + 9) == TCP
        && (u8(frame, TCP_AT + 13) & (FLAGS_FIN_SYN_RST | FLAG_ACK)) == FLAG_ACK
        && ports.add(u16(frame, TCP_AT) << 16 | u16(frame, TCP_AT + 2));
  }

  /// Makes a reset for the receiver of a segment.
  static void forReceiver(MemorySegment frame, MemorySegment reset) {
    MemorySegment.copy(frame, 0, reset, 0, TCP_AT + 4);
    finish(reset, u32(frame, TCP_AT + 4), u32(frame, TCP_AT + 8));
  }

  /// Makes a reset for the sender of a segment.
  static void forSender(MemorySegment frame, MemorySegment reset) {
    MemorySegment.copy(frame, 0, reset, 0, TCP_AT + 4);
    MemorySegment.copy(frame, 0, reset, MAC_BYTES, MAC_BYTES);
    MemorySegment.copy(frame, MAC_BYTES, reset, 0, MAC_BYTES);
    MemorySegment.copy(frame, IP_AT + 12, reset, IP_AT + 16, 4);
    MemorySegment.copy(frame, IP_AT + 16, reset, IP_AT + 12, 4);
    MemorySegment.copy(frame, TCP_AT, reset, TCP_AT + 2, 2);
    MemorySegment.copy(frame, TCP_AT + 2, reset, TCP_AT, 2);
    finish(reset, u32(frame, TCP_AT + 8), 0);
  }

  private static void finish(MemorySegment reset, long sequence, long acknowledged) {
    put16(reset, IP_AT + 2, BYTES - IP_AT);
    put16(reset, IP_AT + 10, 0);
    put16(reset, IP_AT + 10, checksum(sum(reset, IP_AT, TCP_AT)));
    put16(reset, TCP_AT + 4, (int) (sequence >>> 16));
    put16(reset, TCP_AT + 6, (int) sequence);
    put16(reset, TCP_AT + 8, (int) (acknowledged >>> 16));
    put16(reset, TCP_AT + 10, (int) acknowledged);
    put16(reset, TCP_AT + 12, TCP_BYTES / 4 << 12 | FLAG_RST | (acknowledged != 0 ? FLAG_ACK : 0));
    put16(reset, TCP_AT + 14, 0); // window
    put16(reset, TCP_AT + 16, 0); // checksum, yet
    put16(reset, TCP_AT + 18, 0); // urgent
    long pseudo = sum(reset, IP_AT + 12, TCP_AT) + TCP + TCP_BYTES;
    put16(reset, TCP_AT + 16, checksum(pseudo + sum(reset, TCP_AT, BYTES)));
  }

  private static long sum(MemorySegment frame, int from, int to) {
    long sum = 0;
    for (int at = from; at < to; at += 2) {
      sum += u16(frame, at);
    }
    return sum;
  }

  private static int checksum(long sum) {
    long folded = sum;
    while (folded >>> 16 != 0) {
      folded = (folded & 0xffff) + (folded >>> 16);
    }
    return (int) ~folded & 0xffff;
  }

  private static int u8(MemorySegment frame, long at) {
    return frame.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  private static int u16(MemorySegment frame, long at) {
    return u8(frame, at) << 8 | u8(frame, at + 1);
  }

  private static long u32(MemorySegment frame, long at) {
    return (long) u16(frame, at) << 16 | u16(frame, at + 2);
  }

  private static void put16(MemorySegment frame, long at, int value) {
    frame.set(ValueLayout.JAVA_BYTE, at, (byte) (value >>> 8));
    frame.set(ValueLayout.JAVA_BYTE, at + 1, (byte) value);
  }
}
