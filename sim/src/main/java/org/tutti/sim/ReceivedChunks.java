package org.tutti.sim;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/// The pieces of a state that a newcomer has so far.
final class ReceivedChunks {
  private final long transfer;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  ReceivedChunks(long transfer) {
    this.transfer = transfer;
  }

  long transfer() {
    return transfer;
  }

  void add(ByteBuffer chunk) {
    byte[] piece = new byte[chunk.remaining()];
    chunk.duplicate().get(piece);
    bytes.writeBytes(piece);
  }

  long length() {
    return bytes.size();
  }

  /// A hash over all bytes.
  long content() {
    return Hash.of(ByteBuffer.wrap(bytes.toByteArray()));
  }

  StateImage image() {
    return StateImage.of(ByteBuffer.wrap(bytes.toByteArray()));
  }
}
