package org.tutti.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// What waits for one connection's socket: frames with their length prefixes, side by side in one direct buffer, so
/// that everything said in one turn leaves with one write.
///
/// ```
/// 0 ...... start .............. end ............. capacity
///  written       committed          free
/// ```
final class SendBuffer {
  /// The length before each frame, in bytes.
  static final int PREFIX_BYTES = 4;

  private final ByteBuffer bytes;
  private final ByteBuffer slot;
  private final int frameBytesMax;
  private int start;
  private int end;
  private int claimedBytes;

  SendBuffer(ByteBuffer bytes, int frameBytesMax) {
    this.bytes = bytes;
    this.slot = bytes.duplicate();
    this.frameBytesMax = frameBytesMax;
  }

  /// The memory, to be given back to its pool.
  ByteBuffer bytes() {
    return bytes;
  }

  /// Lends room for a frame, or null when it does not fit.
  @Nullable ByteBuffer claim(int length) {
    if (!fits(length)) {
      return null;
    }
    if (end + PREFIX_BYTES + length > bytes.capacity()) {
      bytes.limit(end).position(start).compact();
      end -= start;
      start = 0;
    }
    claimedBytes = length;
    int at = end + PREFIX_BYTES;
    // A fresh byte order each time: the borrower may have changed it.
    return slot.limit(at + length).position(at).order(ByteOrder.BIG_ENDIAN);
  }

  /// Takes over the frame claimed last.
  void commit() {
    bytes.putInt(end, claimedBytes);
    end += PREFIX_BYTES + claimedBytes;
    claimedBytes = 0;
  }

  boolean isEmpty() {
    return start == end;
  }

  /// Whether a frame of any size fits.
  boolean isRoomy() {
    return fits(frameBytesMax);
  }

  /// Writes once.
  void writeTo(Wire wire) throws IOException {
    bytes.limit(end).position(start);
    wire.write(bytes);
    start = bytes.position();
    bytes.limit(bytes.capacity());
    if (start == end) {
      start = 0;
      end = 0;
    }
  }

  private boolean fits(int length) {
    int needed = PREFIX_BYTES + length;
    // Moving is allowed only when at least as much was written as is moved: so no byte is moved more than once or
    // twice.
    boolean movable = start >= end - start;
    return end + needed <= bytes.capacity() || movable && end - start + needed <= bytes.capacity();
  }
}
