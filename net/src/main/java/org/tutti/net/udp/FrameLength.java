package org.tutti.net.udp;

/// How long frames are. One that fills several datagrams takes fewer headers, those of links above all, than a frame
/// for each. But where the network loses one of these datagrams all of a frame is repeated, so it had better take few.
final class FrameLength {
  /// Two of these take a batch of the usual length. A longer frame saves little, and leaves with one jerk.
  private static final int BUFFER_BYTES_MAX = (32 << 10) + 512;

  private static final int DATAGRAMS_MAX = 40; // of a frame; a multicast may take more, for the beginnings of frames

  private static final double MULTICAST_LOSS_MAX = 0.1; // the share of multicasts of which a datagram is lost

  private static final double HEADER_BYTES = 85; // of a link, with what is kept free for the longest acknowledgement

  private FrameLength() {}

  /// How long a datagram with the longest frame is before it is cut.
  ///
  /// @param datagramBytes how long a datagram may be that is not cut
  static int bufferBytes(int datagramBytes) {
    int most = Math.min(BUFFER_BYTES_MAX, DATAGRAMS_MAX * (datagramBytes - MulticastPiece.HEADER_BYTES));
    return Math.max(datagramBytes, most);
  }

  /// How long a frame for one peer had better be. Of n datagrams the share of headers is a part of n, and the share of
  /// what is repeated grows with n: together they are least where both are the same.
  ///
  /// @param lossRate the share of datagrams that the network loses
  /// @param path     how long a datagram the path takes
  /// @return bytes, at least about what one datagram takes
  static int alone(double lossRate, int path) {
    return of(Math.sqrt(HEADER_BYTES / path / lossRate), path - UnicastPiece.HEADER_BYTES);
  }

  /// How long a frame for several peers had better be: longer than one for one of them, as its datagrams are repaired.
  ///
  /// @param lossRate the share of datagrams that the network loses on the worst path
  /// @param path     how long a datagram this path takes
  /// @return bytes, at least about what one datagram takes
  static int common(double lossRate, int path) {
    return of(MULTICAST_LOSS_MAX / lossRate, path - MulticastPiece.HEADER_BYTES);
  }

  private static int of(double datagrams, int bytesOfEach) {
    return (int) Math.round(Math.clamp(datagrams, 1, DATAGRAMS_MAX)) * bytesOfEach - OutgoingDatagram.frameAt();
  }
}
