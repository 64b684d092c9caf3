package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;

/// A message or reply that comes in parts, for which there is room.
final class Incoming {
  private final ByteBuffer bytes;
  private int asked; // up to here

  Incoming(int length) {
    this.bytes = ByteBuffer.allocate(length);
  }

  /// Adds the next part; another one is not taken.
  ///
  /// @return whether it was the next one
  boolean add(int offset, ByteBuffer part) {
    if (offset != bytes.position() || part.remaining() > bytes.remaining()) {
      return false;
    }
    bytes.put(part.duplicate());
    return true;
  }

  boolean isWhole() {
    return !bytes.hasRemaining();
  }

  /// Up to where to ask for more: half of what was asked for has come.
  ///
  /// @return no more than [#next] when there is nothing to ask for
  int askUpTo(int windowBytes) {
    boolean few = asked - bytes.position() <= windowBytes / 2;
    return few ? Math.min(bytes.capacity(), bytes.position() + windowBytes) : asked;
  }

  /// The first byte that has not come and was not asked for.
  int next() {
    return Math.max(asked, bytes.position());
  }

  void asked(int upTo) {
    asked = upTo;
  }

  ByteBuffer whole() {
    return bytes.duplicate().flip().asReadOnlyBuffer();
  }
}
