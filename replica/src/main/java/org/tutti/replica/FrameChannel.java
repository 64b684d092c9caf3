package org.tutti.replica;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.protocol.Frame;
import org.tutti.tls.TlsWire;
import org.tutti.tls.Wire;

/// Frames over a socket that does not block, each behind its length; over TLS after its handshake. One thread at a
/// time.
///
/// Bytes are read into room that a thread has for all its connections; a connection keeps only the part of a frame that
/// has come, so ten thousand silent ones take nothing. A long frame gets room as its bytes come, never for bytes that
/// were only announced.
final class FrameChannel {
  private static final int READ_BYTES = 16 << 10;
  private static final int GATHER_MAX = 64;
  private static final byte TLS_FIRST = 20; // kinds of records (RFC 8446, 5.1)
  private static final byte TLS_LAST = 23;
  private static final byte TLS_MAJOR = 3;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final ThreadLocal<ByteBuffer> ROOM = ThreadLocal.withInitial(() -> ByteBuffer.allocate(READ_BYTES));

  private final SocketChannel socket;
  private final Wire wire;
  private final @Nullable TlsWire tls; // the wire, unless bytes travel as they are
  private boolean secured;
  private ByteBuffer in = NOTHING; // what has come and was not taken yet; the thread's room while it reads
  private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
  private long unwritten;

  /// What comes is no frame.
  static final class BadLengthException extends IOException {
    private static final long serialVersionUID = 1L;

    /// Whether it looks like the beginning of TLS.
    final boolean isTls;

    BadLengthException(String words, boolean isTls) {
      super(words);
      this.isTls = isTls;
    }
  }

  /// @param socket non-blocking
  /// @param tls    above it; null for bytes as they are
  FrameChannel(SocketChannel socket, @Nullable TlsWire tls) {
    this.socket = socket;
    this.tls = tls;
    this.wire = tls == null ? new Wire.Plain(socket, Wire.Traffic.UNCOUNTED) : tls;
    this.secured = tls == null;
  }

  SocketChannel socket() {
    return socket;
  }

  /// Whether frames can be read and written.
  boolean isSecured() {
    return secured;
  }

  /// Goes on with the handshake.
  ///
  /// @return whether frames can be read and written now
  boolean secure() throws IOException {
    if (!secured && tls != null) {
      secured = tls.handshake();
      if (!secured && tls.isEnded()) {
        throw new EOFException("the connection was closed in the handshake");
      }
    }
    return secured;
  }

  /// What the handshake waits for.
  int interest() {
    return tls == null ? SelectionKey.OP_READ : tls.interest();
  }

  /// The selector says that there is something to read.
  void readable() {
    if (tls != null) {
      tls.readable();
    }
  }

  /// Reads what has come, as far as there is room.
  ///
  /// @param bytesMax the longest frame at present
  /// @param taker    gets whole frames, without their lengths, lent; tells whether it wants the next one now
  /// @throws IOException when the connection has ended, or what comes is too long
  void read(IntSupplier bytesMax, Predicate<ByteBuffer> taker) throws IOException {
    try {
      do {
        ByteBuffer room = roomBehind(in);
        int count;
        try {
          count = wire.read(room);
        } finally {
          in = room.flip();
        }
        if (count < 0) {
          throw new EOFException("the connection was closed");
        }
      } while (take(bytesMax, taker) && tls != null && tls.isBuffered());
    } finally {
      keep();
    }
  }

  /// Room to read into, with what has come already at its beginning.
  private static ByteBuffer roomBehind(ByteBuffer before) {
    ByteBuffer own = ROOM.get();
    if (before == own || before.capacity() > READ_BYTES) {
      return before.compact();
    }
    return own.clear().put(before);
  }

  /// Gives the thread's room back.
  private void keep() {
    if (!in.hasRemaining()) {
      in = NOTHING;
    } else if (in == ROOM.get()) {
      in = ByteBuffer.allocate(in.remaining()).put(in).flip();
    }
  }

  /// Hands over the whole frames that are here already, as [#read], after the taker did not want the next one.
  void takeAgain(IntSupplier bytesMax, Predicate<ByteBuffer> taker) throws IOException {
    if (take(bytesMax, taker) && tls != null && tls.isBuffered()) {
      read(bytesMax, taker); // of which the selector does not know
    }
  }

  private boolean take(IntSupplier bytesMax, Predicate<ByteBuffer> taker) throws IOException {
    while (in.remaining() >= Integer.BYTES) {
      int length = in.getInt(in.position());
      if (length < 1 || length > bytesMax.getAsInt()) {
        int at = in.position();
        boolean isTls = in.get(at) >= TLS_FIRST && in.get(at) <= TLS_LAST && in.get(at + 1) == TLS_MAJOR;
        String words = "a frame of " + Integer.toUnsignedString(length) + " bytes; it may have " + bytesMax.getAsInt();
        throw new BadLengthException(words, isTls);
      }
      int whole = Integer.BYTES + length;
      if (in.remaining() < whole) {
        if (in.remaining() == in.capacity()) {
          in = ByteBuffer.allocate(Math.min(whole, 2 * in.capacity())).put(in).flip();
        }
        return true;
      }
      ByteBuffer frame = in.slice(in.position() + Integer.BYTES, length);
      in.position(in.position() + whole);
      if (!taker.test(frame)) {
        return false;
      }
    }
    if (in.capacity() > READ_BYTES) {
      in = ByteBuffer.allocate(in.remaining()).put(in).flip(); // after a long frame
    }
    return true;
  }

  /// How much room a long frame has got that has not come wholly, in bytes.
  int extraRoom() {
    return Math.max(0, in.capacity() - READ_BYTES);
  }

  /// How many bytes wait for the peer to read.
  long unwritten() {
    return unwritten;
  }

  /// Puts a frame behind those that wait.
  void add(ByteBuffer frame) {
    unwritten += frame.remaining();
    out.add(frame);
  }

  /// Forgets what waits, as the connection is to end.
  void forget() {
    out.clear();
    unwritten = 0;
  }

  /// Writes what waits, as far as the socket takes it.
  ///
  /// @return whether all was written
  boolean write() throws IOException {
    while (!out.isEmpty()) {
      int tried = Math.min(out.size(), GATHER_MAX);
      long before = remaining(tried);
      if (tried == 1) {
        wire.write(out.element());
      } else {
        wire.write(next(tried));
      }
      unwritten -= before - remaining(tried);
      for (; tried > 0; tried--) {
        if (out.element().hasRemaining()) {
          return false;
        }
        out.remove();
      }
    }
    if (!wire.isFlushed()) {
      wire.write(NOTHING);
    }
    return wire.isFlushed();
  }

  private ByteBuffer[] next(int count) {
    var next = new ByteBuffer[count];
    Iterator<ByteBuffer> waiting = out.iterator();
    for (int i = 0; i < count; i++) {
      next[i] = waiting.next();
    }
    return next;
  }

  private long remaining(int count) {
    long bytes = 0;
    Iterator<ByteBuffer> waiting = out.iterator();
    for (int i = 0; i < count; i++) {
      bytes += waiting.next().remaining();
    }
    return bytes;
  }

  /// Ends the connection after last words, which were written as far as the socket took them.
  void finish() {
    try {
      wire.finish();
    } catch (IOException _) {
      // The other side has gone already.
    }
    close();
  }

  void close() {
    wire.close();
  }

  /// The longest frame before the first words, and after them.
  static int bytesMax(boolean greeted) {
    return greeted ? Frame.BYTES_MAX : Frame.HELLO_BYTES_MAX;
  }
}
