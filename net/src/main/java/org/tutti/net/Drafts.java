package org.tutti.net;

import java.nio.ByteBuffer;

/// Where datagrams are written that leave at once; each is lent until the next one of its kind.
final class Drafts {
  static final int CONTROL_BYTES = DatagramHeader.BYTES + 2 * Long.BYTES;

  private final UdpLoop loop;
  private final ByteBuffer control = ByteBuffer.allocateDirect(CONTROL_BYTES);
  private final ByteBuffer spare;
  private final ByteBuffer padded;

  Drafts(UdpLoop loop) {
    this.loop = loop;
    this.spare = ByteBuffer.allocateDirect(loop.datagramBytes);
    this.padded = ByteBuffer.allocateDirect(loop.datagramBytes);
  }

  /// A datagram without frames.
  ///
  /// @param to   the receiver's life
  /// @param from ours, as the receiver knows it
  ByteBuffer control(int kind, long to, long from) {
    control.clear().limit(DatagramHeader.BYTES);
    DatagramHeader.write(control, kind, to, from);
    DatagramHeader.echo(control, 0, 0, 0, loop.grantBytes());
    return control;
  }

  /// Room for any other.
  ByteBuffer spare() {
    return spare.clear();
  }

  /// Room for a header, and zeros up to a length.
  ByteBuffer padded(int length) {
    return padded.clear().limit(length);
  }
}
