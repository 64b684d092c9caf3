package org.tutti.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Direct buffers of one size, used again and again: the garbage collector frees direct memory late, so a flood of
/// short connections must not ask for new buffers each time. Holds no more than were ever in use at once.
final class BufferPool {
  private final int bytes;
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

  BufferPool(int bytes) {
    this.bytes = bytes;
  }

  ByteBuffer take() {
    ByteBuffer buffer = free.pollFirst();
    return buffer == null ? ByteBuffer.allocateDirect(bytes) : buffer;
  }

  void giveBack(ByteBuffer buffer) {
    free.addFirst(buffer.clear());
  }
}
