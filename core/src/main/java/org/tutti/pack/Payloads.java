package org.tutti.pack;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Buffers for the payloads of batches, used again when nobody needs their batches any more, so that a flood neither
/// allocates nor makes the collector run: one for what a node receives, one for what a member of a group multicasts.
/// Not thread-safe.
///
/// A buffer's size is a power of two. What is returned is kept up to a limit; the rest is the collector's.
public final class Payloads {
  private static final int SMALLEST_BITS = 6;
  private static final int LARGEST_BITS = 17;
  private static final long KEPT_BYTES_MAX = 16L << 20;
  private static final byte SPOILT = (byte) 0xa5;

  private final boolean spoils;
  private final List<ArrayDeque<ByteBuffer>> free = new ArrayList<>(); // by size
  private long keptBytes;

  private Payloads(boolean spoils) {
    this.spoils = spoils;
    for (int bits = SMALLEST_BITS; bits <= LARGEST_BITS; bits++) {
      free.add(new ArrayDeque<>());
    }
  }

  /// Buffers that are used again.
  ///
  /// @return none kept yet
  public static Payloads used() {
    return new Payloads(false);
  }

  /// Buffers that are overwritten when they are given back, and not used again: whoever still reads one gets what
  /// nobody sent. For tests and the simulator.
  ///
  /// @return the same to who uses it well
  public static Payloads spoilt() {
    return new Payloads(true);
  }

  /// Copies bytes into a buffer.
  ///
  /// @param lent read from position to limit; its position is moved
  /// @return the bytes, from position 0 to limit
  public ByteBuffer copy(ByteBuffer lent) {
    return room(lent.remaining()).put(lent).flip();
  }

  /// Lends an empty buffer.
  ///
  /// @param bytes for how much
  /// @return with at least as much room, from position 0
  public ByteBuffer room(int bytes) {
    int bits = bits(bytes);
    return bits > LARGEST_BITS ? ByteBuffer.allocate(bytes) : take(bits);
  }

  private static int bits(int size) {
    return Math.max(SMALLEST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, size - 1)));
  }

  private ByteBuffer take(int bits) {
    @Nullable ByteBuffer kept = free.get(bits - SMALLEST_BITS).pollLast(); // what is warm in the caches
    if (kept == null) {
      return ByteBuffer.allocate(1 << bits);
    }
    keptBytes -= kept.capacity();
    return kept;
  }

  /// Takes back what nobody reads any more, or for whom it does not matter what is in it. Its position and limit stay.
  ///
  /// @param payload of a batch, on the heap and not shared with anything else; need not come from here
  public void giveBack(ByteBuffer payload) {
    int capacity = payload.capacity();
    int bits = bits(capacity);
    if (spoils) {
      spoil(payload.duplicate().clear());
    } else if (bits <= LARGEST_BITS && capacity == 1 << bits && keptBytes + capacity <= KEPT_BYTES_MAX) {
      keptBytes += capacity;
      free.get(bits - SMALLEST_BITS).addLast(payload.duplicate().clear());
    }
  }

  private static void spoil(ByteBuffer payload) {
    while (payload.hasRemaining()) {
      payload.put(SPOILT);
    }
  }
}
