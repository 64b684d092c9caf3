package org.tutti.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// The stage between a connection's buffers and its socket, which does not block: every byte in or out passes here
/// once. One thread at a time.
public abstract sealed class Wire permits Wire.Plain, TlsWire {
  /// Counts what is carried.
  public interface Traffic {
    /// For those who count nothing.
    Traffic UNCOUNTED =
        new Traffic() {
          @Override
          public void read(int bytes) {}

          @Override
          public void wrote(long bytes) {}
        };

    /// A system call has read.
    ///
    /// @param bytes how many, or -1 at the end of the stream
    void read(int bytes);

    /// A system call has written.
    ///
    /// @param bytes how many
    void wrote(long bytes);
  }

  Wire() {}

  /// Reads what is there.
  ///
  /// @param into gets it
  /// @return how many bytes, 0 when there are none now, -1 at the end of the stream
  /// @throws IOException when the connection is broken, or TLS is
  public abstract int read(ByteBuffer into) throws IOException;

  /// Writes what the socket takes.
  ///
  /// @param from its position says how much that was
  /// @throws IOException when the connection is broken, or TLS is
  public abstract void write(ByteBuffer from) throws IOException;

  /// Writes what the socket takes of several buffers, one behind the other.
  ///
  /// @param from their positions say how much that was
  /// @throws IOException when the connection is broken, or TLS is
  public abstract void write(ByteBuffer[] from) throws IOException;

  /// Whether all that was written has been handed to the socket.
  ///
  /// @return whether a later, empty write would do nothing
  public boolean isFlushed() {
    return true;
  }

  /// What was written is the last: reads away what the other side has said until now, as else it may lose our last
  /// words.
  ///
  /// @throws IOException when the connection is broken
  public void finish() throws IOException {}

  /// Ends the connection; the kernel sends what it holds already.
  public abstract void close();

  /// Bytes as they are: one system call for each read and each write.
  public static final class Plain extends Wire {
    private static final int FINISH_BYTES = 1 << 14;

    private final SocketChannel channel;
    private final Traffic traffic;

    /// Makes one.
    ///
    /// @param channel does not block; is closed with this
    /// @param traffic told what is carried
    public Plain(SocketChannel channel, Traffic traffic) {
      this.channel = channel;
      this.traffic = traffic;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      int count = channel.read(into);
      traffic.read(count);
      return count;
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
      traffic.wrote(channel.write(from));
    }

    @Override
    public void write(ByteBuffer[] from) throws IOException {
      traffic.wrote(channel.write(from));
    }

    @Override
    public void finish() throws IOException {
      channel.read(ByteBuffer.allocate(FINISH_BYTES)); // a socket that is closed with unread bytes is reset
      channel.shutdownOutput();
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException _) {
        // The descriptor is released in any case, and nobody waits for these bytes.
      }
    }
  }
}
