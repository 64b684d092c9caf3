package org.tutti.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.tutti.transport.Counts;

/// Bytes as they are: one system call for each read and each write.
final class PlainWire extends Wire {
  private static final int FINISH_BYTES = 1 << 14;

  private final SocketChannel channel;
  private final Counts<TcpCount> counters;

  PlainWire(SocketChannel channel, Counts<TcpCount> counters) {
    this.channel = channel;
    this.counters = counters;
  }

  @Override
  int read(ByteBuffer into) throws IOException {
    int count = channel.read(into);
    counters.add(TcpCount.READS);
    if (count > 0) {
      counters.add(TcpCount.BYTES_RECEIVED, count);
    }
    return count;
  }

  @Override
  void write(ByteBuffer from) throws IOException {
    int count = channel.write(from);
    counters.add(TcpCount.WRITES);
    counters.add(TcpCount.BYTES_SENT, count);
  }

  @Override
  void finish() throws IOException {
    channel.read(ByteBuffer.allocate(FINISH_BYTES)); // a socket that is closed with unread bytes is reset
    channel.shutdownOutput();
  }

  @Override
  void close() {
    try {
      channel.close();
    } catch (IOException _) {
      // The descriptor is released in any case, and nobody waits for these bytes.
    }
  }
}
