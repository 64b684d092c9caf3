package org.tutti.replica;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.tutti.replica.protocol.Frame;

/// Frames over a socket that does not block, each behind its length. Reading belongs to one thread; writing to one at a
/// time.
final class FrameChannel {
  private static final int READ_BYTES = 16 << 10;
  private static final int GATHER_MAX = 64;

  private final SocketChannel socket;
  private final int unwrittenMax;
  private ByteBuffer in = ByteBuffer.allocate(READ_BYTES).limit(0); // what has come and is no whole frame yet
  private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
  private long unwritten;

  /// @param socket       non-blocking
  /// @param unwrittenMax how many bytes may wait for the peer to read
  FrameChannel(SocketChannel socket, int unwrittenMax) {
    this.socket = socket;
    this.unwrittenMax = unwrittenMax;
  }

  SocketChannel socket() {
    return socket;
  }

  /// Reads what has come, as far as there is room.
  ///
  /// @param bytesMax the longest frame at present
  /// @param taker    gets whole frames, without their lengths, lent; tells whether it wants the next one now
  /// @throws IOException when the connection has ended, or what comes is too long
  void read(int bytesMax, Predicate<ByteBuffer> taker) throws IOException {
    in.compact();
    int count;
    try {
      count = socket.read(in);
    } finally {
      in.flip();
    }
    if (count < 0) {
      throw new EOFException("the connection was closed");
    }
    take(bytesMax, taker);
  }

  /// Hands over the whole frames that are here already, as [#read].
  void take(int bytesMax, Predicate<ByteBuffer> taker) throws IOException {
    while (in.remaining() >= Integer.BYTES) {
      int length = in.getInt(in.position());
      if (length < 1 || length > bytesMax) {
        throw new IOException("a frame of " + length + " bytes");
      }
      int whole = Integer.BYTES + length;
      if (in.remaining() < whole) {
        if (in.capacity() < whole) {
          in = ByteBuffer.allocate(whole).put(in).flip();
        }
        return;
      }
      ByteBuffer frame = in.slice(in.position() + Integer.BYTES, length);
      in.position(in.position() + whole);
      if (!taker.test(frame)) {
        return;
      }
    }
    if (in.capacity() > READ_BYTES && in.remaining() < READ_BYTES) {
      in = ByteBuffer.allocate(READ_BYTES).put(in).flip(); // after a long frame
    }
  }

  /// Puts a frame behind those that wait.
  ///
  /// @return false when too much waits: the peer does not read
  boolean add(ByteBuffer frame) {
    unwritten += frame.remaining();
    out.add(frame);
    return unwritten <= unwrittenMax;
  }

  /// Writes what waits, as far as the socket takes it.
  ///
  /// @return whether all was written
  boolean write() throws IOException {
    while (!out.isEmpty()) {
      ByteBuffer[] some = out.stream().limit(GATHER_MAX).toArray(ByteBuffer[]::new);
      long count = some.length == 1 ? socket.write(some[0]) : socket.write(some);
      unwritten -= count;
      while (!out.isEmpty() && !out.element().hasRemaining()) {
        out.remove();
      }
      if (count == 0) {
        return false;
      }
    }
    return true;
  }

  void close() {
    try {
      socket.close();
    } catch (IOException _) {
      // The descriptor is released in any case.
    }
  }

  /// The longest frame before the first words, and after them.
  static int bytesMax(boolean greeted) {
    return greeted ? Frame.BYTES_MAX : Frame.HELLO_BYTES_MAX;
  }
}
