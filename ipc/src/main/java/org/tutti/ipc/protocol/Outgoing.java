package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;

/// A message or reply that goes out in parts, each once: who asks again gets nothing.
final class Outgoing {
  private final ByteBuffer bytes;
  private int sent; // of those that were asked for

  Outgoing(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  int length() {
    return bytes.remaining();
  }

  ByteBuffer part(int from, int upTo) {
    return bytes.slice(bytes.position() + from, upTo - from);
  }

  /// Whether these bytes are there and were not asked for before.
  boolean isToSend(int from, int upTo) {
    return from >= sent && upTo <= length();
  }

  void sent(int upTo) {
    sent = upTo;
  }
}
