package org.tutti.net.udp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A datagram that waits for a peer; its position is behind the last frame.
final class OutgoingDatagram {
  static final int LENGTH_BYTES = 2; // before each frame

  final MulticastReceiver peer;
  final ByteBuffer bytes;

  /// What it shares with outgoing datagrams for others; null when it goes alone.
  @Nullable MulticastDatagram multicast;

  /// How much of the queue's room it takes.
  final int queueBytes;

  /// No more frames come into it.
  boolean sealed;

  // Into what it is cut: its frames are longer than the path takes.
  private int unit; // 0: not at all
  private int index; // of the next piece

  OutgoingDatagram(MulticastReceiver peer, ByteBuffer bytes, int queueBytes) {
    this.peer = peer;
    this.bytes = bytes;
    this.queueBytes = queueBytes;
    bytes.position(DatagramHeader.BYTES);
  }

  boolean isEmpty() {
    return bytes.position() == DatagramHeader.BYTES;
  }

  /// Whether its frame is longer than any datagram: it goes in pieces.
  boolean isLong() {
    return peer.isLong(queueBytes);
  }

  /// How long its only frame is.
  int frameLength() {
    return bytes.position() - DatagramHeader.BYTES - LENGTH_BYTES;
  }

  static int frameAt() {
    return DatagramHeader.BYTES + LENGTH_BYTES;
  }

  /// How long the next datagram is: all of it, or the next piece.
  int nextLength() {
    return unit == 0 ? bytes.position() : UnicastPiece.HEADER_BYTES + nextPart();
  }

  /// How much of it the next piece carries.
  private int nextPart() {
    return Math.min(unit, bytes.position() - nextAt());
  }

  private int nextAt() {
    return DatagramHeader.BYTES + index * unit;
  }

  boolean isCut() {
    return unit > 0;
  }

  /// Cuts it, from its beginning, into pieces of about the same length, each a datagram of at most so many bytes.
  void cut(int datagramBytes) {
    int whole = bytes.position() - DatagramHeader.BYTES;
    int count = Math.ceilDiv(whole, datagramBytes - UnicastPiece.HEADER_BYTES);
    unit = Math.ceilDiv(whole, count);
    index = 0;
    sealed = true;
  }

  /// Writes the next piece, but for who says it to whom.
  ByteBuffer writePiece(ByteBuffer out) {
    int count = Math.ceilDiv(bytes.position() - DatagramHeader.BYTES, unit);
    UnicastPiece.write(out, index, count, unit, bytes, nextAt(), nextPart());
    return out;
  }

  /// The next datagram has left.
  ///
  /// @return whether it was the last one
  boolean left() {
    index++;
    return unit == 0 || nextAt() >= bytes.position();
  }
}
