package org.tutti.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A socket as a [UdpLoop] uses it: it takes and gives one datagram after another and never waits; the loop's selector
/// does. Engine thread only.
interface Datagrams {
  /// Takes a datagram, which leaves at the latest with the next [#flush].
  ///
  /// @return false when the socket is full; a datagram that the network does not take is lost like others
  boolean send(ByteBuffer datagram, InetSocketAddress to);

  /// Hands to the kernel what was taken.
  void flush();

  /// Whether the kernel knew that a datagram that left with the last [#flush], or was refused by the last [#send], does
  /// not go to its receiver in one piece.
  boolean wasTooLong();

  /// Whether the socket took less than was offered; it is not worth trying before [#retry].
  boolean isFull();

  /// The socket may have room again.
  void retry();

  /// Has the selector wake the loop for what can be done next.
  void interest();

  /// Reads the next datagram into the buffer that the loop lends, from its position to its limit.
  ///
  /// @return who sent it; null when there is none
  @Nullable InetSocketAddress receive() throws IOException;

  /// Whether more was read at once than was given.
  boolean hasMore();

  /// Releases the socket.
  void close();
}
