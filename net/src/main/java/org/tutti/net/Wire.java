package org.tutti.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// The stage between a connection's buffers and its socket: every byte in or out passes here once and is counted.
final class Wire {
  private final SocketChannel channel;
  private final Counters<Count> counters;

  Wire(SocketChannel channel, Counters<Count> counters) {
    this.channel = channel;
    this.counters = counters;
  }

  /// Reads what is there.
  ///
  /// @return how many bytes, 0 when there are none now, -1 at the end of the stream
  int read(ByteBuffer into) throws IOException {
    int count = channel.read(into);
    counters.add(Count.READS);
    if (count > 0) {
      counters.add(Count.BYTES_RECEIVED, count);
    }
    return count;
  }

  /// Writes what the socket takes, with one system call.
  void write(ByteBuffer from) throws IOException {
    int count = channel.write(from);
    counters.add(Count.WRITES);
    counters.add(Count.BYTES_SENT, count);
  }

  /// Ends the connection; the kernel sends what it holds already.
  void close() {
    try {
      channel.close();
    } catch (IOException _) {
      // The descriptor is released in any case, and nobody waits for these bytes.
    }
  }
}
