package org.tutti.net;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A datagram that waits for a peer; its position is behind the last frame.
final class Parcel {
  static final int LENGTH_BYTES = 2; // before each frame

  final UdpPeer peer;
  final ByteBuffer bytes;

  /// What it shares with parcels for others; null when it goes alone.
  @Nullable Cast cast;

  /// No more frames come into it.
  boolean sealed;

  Parcel(UdpPeer peer, ByteBuffer bytes) {
    this.peer = peer;
    this.bytes = bytes;
    bytes.position(DatagramHeader.BYTES);
  }

  boolean isEmpty() {
    return bytes.position() == DatagramHeader.BYTES;
  }

  /// How long its only frame is.
  int frameLength() {
    return bytes.position() - DatagramHeader.BYTES - LENGTH_BYTES;
  }

  static int frameAt() {
    return DatagramHeader.BYTES + LENGTH_BYTES;
  }
}
