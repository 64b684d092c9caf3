package org.tutti.net;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A socket that sends and reads several datagrams at once: a *train*, whose datagrams are of one length, except the
/// last one, which may be shorter. The bytes are in two buffers that it was made with.
interface TrainSocket {
  /// For the result of a call: a signal came.
  int INTERRUPTED = -4;

  /// A train to a device that makes no checksums.
  int NO_CHECKSUMS = -5;

  /// A datagram is too long for the path.
  int TOO_LONG = -90;

  /// There is no room, or there is nothing to read.
  int AGAIN = -11;

  /// The socket is closed.
  int CLOSED = -9;

  /// Sends a part of the buffer for sending.
  ///
  /// @param to     the receiver
  /// @param at     where the part begins
  /// @param length how long it is
  /// @param each   how long each of its datagrams is; the length of the part for a single one
  /// @return 0 or more, or the negative number of an error
  int send(InetSocketAddress to, int at, int length, int each);

  /// Reads into the buffer for reading, from its beginning.
  ///
  /// @return how many bytes, or the negative number of an error
  int receive();

  /// Of what was read last: how long each datagram is, as the kernel said; 0 when it did not.
  int each();

  /// Of what was read last: who sent it; null when that is no address.
  @Nullable InetSocketAddress from();

  /// From now on every call returns [#CLOSED].
  void close();

  /// What the kernel says when it does not take a train, though perhaps its datagrams: [#NO_CHECKSUMS], or [#TOO_LONG]
  /// for which older ones say EINVAL.
  static boolean isRefusal(int error) {
    return error == NO_CHECKSUMS || error == -22 || error == TOO_LONG;
  }
}
