package org.tutti.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;
import org.tutti.net.Nio;
import org.tutti.transport.Counts;

/// One system call for each datagram: what every JDK can do.
final class ChannelDatagrams implements Datagrams {
  private final DatagramChannel channel;
  private final SelectionKey key;
  private final Counts<UdpCount> counters;
  private final ByteBuffer in;
  private boolean full;
  private boolean tooLong;

  ChannelDatagrams(DatagramChannel channel, SelectionKey key, Counts<UdpCount> counters, ByteBuffer in) {
    this.channel = channel;
    this.key = key;
    this.counters = counters;
    this.in = in;
  }

  @Override
  public boolean send(ByteBuffer datagram, InetSocketAddress to) {
    int length = datagram.remaining();
    counters.add(UdpCount.SENDS);
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

  @Override
  public void flush() {} // nothing is kept

  /// The message is the only thing that tells; where it is in another language a datagram is lost like others.
  private static boolean isTooLong(IOException e) {
    String message = e.getMessage();
    return message != null && message.contains("too long");
  }

  @Override
  public boolean wasTooLong() {
    return tooLong;
  }

  @Override
  public boolean isFull() {
    return full;
  }

  @Override
  public void retry() {
    full = false;
  }

  @Override
  public void interest() {
    interest(key, full);
  }

  static void interest(SelectionKey key, boolean full) {
    int interest = full ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    if (key.interestOps() != interest) {
      key.interestOps(interest);
    }
  }

  @Override
  public @Nullable InetSocketAddress receive() throws IOException {
    counters.add(UdpCount.READS);
    var from = (InetSocketAddress) channel.receive(in.clear());
    in.flip();
    return from;
  }

  @Override
  public boolean hasMore() {
    return false;
  }

  @Override
  public void close() {
    Nio.close(channel);
  }
}
