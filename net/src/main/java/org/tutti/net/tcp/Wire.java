package org.tutti.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.tutti.transport.Counts;

/// The stage between a connection's buffers and its socket: every byte in or out passes here once.
abstract sealed class Wire permits Wire.Plain, TlsWire {
  /// Reads what is there.
  ///
  /// @return how many bytes, 0 when there are none now, -1 at the end of the stream
  abstract int read(ByteBuffer into) throws IOException;

  /// Writes what the socket takes.
  abstract void write(ByteBuffer from) throws IOException;

  /// Whether all that was written has been handed to the socket.
  boolean isFlushed() {
    return true;
  }

  /// What was written is the last: reads away what the other side has said until now, as else it may lose our last
  /// words.
  void finish() throws IOException {}

  /// Ends the connection; the kernel sends what it holds already.
  abstract void close();

  /// Bytes as they are: one system call for each read and each write.
  static final class Plain extends Wire {
    private static final int FINISH_BYTES = 1 << 14;

    private final SocketChannel channel;
    private final Counts<TcpCount> counters;

    Plain(SocketChannel channel, Counts<TcpCount> counters) {
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
}
