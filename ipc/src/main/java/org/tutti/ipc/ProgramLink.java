package org.tutti.ipc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.wire.Malformed;

/// Messages between a program and the host that it is attached to: each behind its length in four bytes, written and
/// read in pieces. A long message gets room as its bytes come, never for bytes that were only announced.
///
/// Who sends never waits: a virtual thread writes. One thread reads.
final class ProgramLink implements AutoCloseable {
  /// How many bytes wait at most until the other side reads them, besides one message that waits alone.
  static final long UNREAD_MAX = 256 << 20;

  private static final int PIECE_BYTES = 64 << 10;
  private static final int GROWTH = 4; // of the room for a long message, of which little is copied then

  private final SocketChannel socket;
  private final ByteBuffer in = ByteBuffer.allocateDirect(PIECE_BYTES).flip();
  private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
  private long unread;
  private boolean finishing; // nothing more is sent than what waits already

  /// @param socket connected, and blocking
  ProgramLink(SocketChannel socket) {
    this.socket = socket;
    Thread.ofVirtual().name("tutti-ipc-write").start(this::write);
  }

  /// Sends a message.
  ///
  /// @param parts  all of it; they must not change any more
  /// @param always also when too much waits
  /// @return whether it will be written, unless the other side has gone; false when too much waits
  synchronized boolean send(List<ByteBuffer> parts, boolean always) {
    if (finishing) {
      return true; // nobody is there who would miss it
    }
    int length = length(parts);
    if (unread > 0 && unread + length > UNREAD_MAX && !always) {
      return false;
    }
    out.add(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
    for (ByteBuffer part : parts) {
      out.add(part.duplicate());
    }
    unread += Integer.BYTES + length;
    notifyAll();
    return true;
  }

  /// How long a message is.
  static int length(List<ByteBuffer> parts) {
    long length = 0;
    for (ByteBuffer part : parts) {
      length += part.remaining();
    }
    return Math.toIntExact(length);
  }

  /// Waits until no more than so many bytes wait to be read by the other side.
  synchronized void awaitUnread(long most) throws InterruptedException {
    while (unread > most) {
      wait();
    }
  }

  /// Reads a message.
  ///
  /// @param bytesMax how long it may be
  /// @return a buffer of its own; null when the other side has gone
  /// @throws Malformed when it is longer, or empty
  @Nullable ByteBuffer read(int bytesMax) throws Malformed {
    try {
      while (in.remaining() < Integer.BYTES) {
        if (!fill()) {
          return null;
        }
      }
      int length = in.getInt();
      if (length < 1 || length > bytesMax) {
        throw new Malformed("length");
      }
      var bytes = new byte[Math.min(length, PIECE_BYTES)];
      for (int at = 0; at < length; ) {
        if (!in.hasRemaining() && !fill()) {
          return null;
        }
        if (at == bytes.length) {
          bytes = Arrays.copyOf(bytes, (int) Math.min(length, (long) GROWTH * at));
        }
        int more = Math.min(in.remaining(), bytes.length - at);
        in.get(bytes, at, more);
        at += more;
      }
      return ByteBuffer.wrap(bytes);
    } catch (IOException _) {
      return null; // it was closed, here or there
    }
  }

  private boolean fill() throws IOException {
    in.compact();
    try {
      return socket.read(in) > 0;
    } finally {
      in.flip();
    }
  }

  private void write() {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
    try {
      while (take(piece.clear())) {
        piece.flip();
        int length = piece.remaining();
        while (piece.hasRemaining()) {
          socket.write(piece);
        }
        written(length);
      }
      socket.shutdownOutput();
    } catch (IOException _) {
      forget(); // the other side reads no more; what it has said can be read to the end
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // nobody does that
      close();
    }
  }

  /// Fills a piece with what waits, and waits for something.
  ///
  /// @return false when there is nothing, and never will be
  private synchronized boolean take(ByteBuffer piece) throws InterruptedException {
    while (out.isEmpty() && !finishing) {
      wait();
    }
    while (piece.hasRemaining() && !out.isEmpty()) {
      ByteBuffer next = out.element();
      int length = Math.min(piece.remaining(), next.remaining());
      piece.put(next.slice(next.position(), length));
      next.position(next.position() + length);
      if (!next.hasRemaining()) {
        out.remove();
      }
    }
    return piece.position() > 0;
  }

  private synchronized void written(int length) {
    unread = Math.max(0, unread - length); // it may have been forgotten meanwhile
    notifyAll();
  }

  private synchronized void forget() {
    finishing = true;
    out.clear();
    unread = 0;
    notifyAll();
  }

  /// Says nothing more than what waits already.
  synchronized void finish() {
    finishing = true;
    notifyAll();
  }

  /// Ends the connection; what waits is lost.
  @Override
  public void close() {
    forget();
    try {
      socket.close();
    } catch (IOException _) {
      // It is closed all the same.
    }
  }
}
