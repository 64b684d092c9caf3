package org.tutti.spi;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Direct buffers of one size, used again and again: the garbage collector frees direct memory late, so a flood of
/// short connections must not ask for new buffers each time. Holds no more than were ever in use at once.
public final class BufferPool {
  private final int bytes;
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

  /// Makes an empty pool.
  ///
  /// @param bytes the size of each buffer
  public BufferPool(int bytes) {
    this.bytes = bytes;
  }

  /// Lends a buffer.
  ///
  /// @return cleared; a new one when none is free
  public ByteBuffer take() {
    ByteBuffer buffer = free.pollFirst();
    return buffer == null ? ByteBuffer.allocateDirect(bytes) : buffer;
  }

  /// Takes a buffer back.
  ///
  /// @param buffer that [#take] has lent; nobody else uses it any more
  public void giveBack(ByteBuffer buffer) {
    free.addFirst(buffer.clear());
  }
}
