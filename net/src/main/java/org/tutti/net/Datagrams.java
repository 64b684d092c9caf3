package org.tutti.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/// A socket as a [UdpLoop] uses it: it takes and gives one datagram after another and never waits; the loop's selector
/// does.
final class Datagrams {
  private final DatagramChannel channel;
  private final SelectionKey key;
  private final Counters<UdpCount> counters;
  private boolean full;
  private boolean tooLong;

  Datagrams(DatagramChannel channel, Selector selector, Counters<UdpCount> counters) throws IOException {
    this.channel = channel;
    this.key = channel.register(selector, SelectionKey.OP_READ);
    this.counters = counters;
  }

  /// Hands a datagram to the kernel.
  ///
  /// @return false when the socket is full; a datagram that the network does not take is lost like others
  boolean send(ByteBuffer datagram, SocketAddress to) {
    int length = datagram.remaining();
    tooLong = false;
    try {
      if (channel.send(datagram, to) == 0) {
        counters.add(UdpCount.SOCKET_FULL);
        full = true;
        return false;
      }
    } catch (IOException e) {
      tooLong = isTooLong(e);
      counters.add(tooLong ? UdpCount.SEND_TOO_LONG : UdpCount.SEND_FAILED); // no route, for example
      return true;
    }
    counters.add(UdpCount.BYTES_SENT, length);
    return true;
  }

  /// The kernel knows that the datagram offered last does not go to its receiver in one piece.
  boolean wasTooLong() {
    return tooLong;
  }

  /// The message is the only thing that tells; where it is in another language a datagram is lost like others.
  private static boolean isTooLong(IOException e) {
    String message = e.getMessage();
    return message != null && message.contains("too long");
  }

  /// Whether the socket took less than was offered; it is not worth trying before [#retry].
  boolean isFull() {
    return full;
  }

  /// It may have room again.
  void retry() {
    full = false;
  }

  /// Has the selector wake the loop for what can be done next.
  void interest() {
    int interest = full ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    if (key.interestOps() != interest) {
      key.interestOps(interest);
    }
  }

  /// Reads the next datagram.
  ///
  /// @param in gets it, from its beginning to its limit
  /// @return who sent it; null when there is none
  @Nullable InetSocketAddress receive(ByteBuffer in) throws IOException {
    SocketAddress from = channel.receive(in.clear());
    in.flip();
    return (InetSocketAddress) from;
  }

  void close() {
    Acceptor.close(channel);
  }
}
