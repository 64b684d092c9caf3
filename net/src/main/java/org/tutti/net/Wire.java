package org.tutti.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/// The stage between a connection's buffers and its socket: every byte in or out passes here once.
abstract sealed class Wire permits PlainWire, TlsWire {
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
}
