package org.tutti.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.tutti.transport.Counts;

/// Bytes under TLS 1.3: an [SSLEngine] between the connection's buffers and the socket.
///
/// ```
/// socket --> arrived --unwrap--> the connection's buffer, or, where that has no room for a whole record, spill
/// socket <-- leaving <--wrap---- the connection's buffer
/// ```
///
/// Records are unwrapped where they are wanted, as long as a whole one fits there; so frames are copied no more often
/// than without TLS, most of the time. What the connection's buffer had no room for waits here, and the selector does
/// not know of it: [#isBuffered].
final class TlsWire extends Wire {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;

  private final SocketChannel channel;
  private final Counts<TcpCount> counters;
  private final TlsContext security;
  private final Connection connection;
  private final SSLEngine engine;

  private final ByteBuffer arrived; // position to limit: not unwrapped yet
  private final ByteBuffer leaving; // 0 to position: not written yet
  private final ByteBuffer spill; // position to limit: unwrapped, not taken yet
  private boolean begun;
  private boolean thinking;
  private boolean readable;
  private boolean ended;
  private boolean full; // the last read ended for lack of room
  private boolean closed;

  TlsWire(
      SocketChannel channel, Counts<TcpCount> counters, TlsContext security, Connection connection, SSLEngine engine) {
    this.channel = channel;
    this.counters = counters;
    this.security = security;
    this.connection = connection;
    this.engine = engine;
    this.arrived = security.packets.take().limit(0);
    this.leaving = security.packets.take();
    this.spill = security.spills.take().limit(0);
  }

  /// The selector says that the socket has something: the next read may ask it, once.
  void readable() {
    readable = true;
  }

  /// Whether a read would give something although the socket has nothing.
  boolean isBuffered() {
    return spill.hasRemaining() || full;
  }

  @Override
  boolean isFlushed() {
    return leaving.position() == 0;
  }

  /// What the handshake waits for, for the selector.
  int interest() {
    if (thinking) {
      return 0;
    }
    return isFlushed() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
  }

  /// The slow steps are done.
  void resumed() {
    thinking = false;
  }

  /// Whether the other side has ended the stream.
  boolean isEnded() {
    return ended;
  }

  /// Goes on with the handshake as far as it goes now.
  ///
  /// @return whether it is complete
  boolean handshake() throws IOException {
    if (!begun) {
      begun = true;
      engine.beginHandshake();
    }
    while (!thinking && !ended) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> {
          thinking = true;
          security.think(engine, connection);
        }
        case NEED_WRAP -> {
          if (!wrap(NOTHING)) {
            return false;
          }
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (!unwrapHandshake()) {
            send();
            return false;
          }
        }
        case FINISHED, NOT_HANDSHAKING -> {
          send();
          full = arrived.hasRemaining(); // the other side may have said more already
          return true;
        }
      }
    }
    send();
    return false;
  }

  private boolean unwrapHandshake() throws IOException {
    while (true) {
      if (arrived.hasRemaining()) {
        int kind = arrived.get(arrived.position());
        if (kind < ALERT - 1 || kind > HANDSHAKE + 1) {
          throw new TlsContext.NotTlsException();
        }
        SSLEngineResult result = engine.unwrap(arrived, spill.clear());
        spill.flip();
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
          ended = true;
          return false;
        }
        if (result.getStatus() == SSLEngineResult.Status.OK) {
          return true;
        }
      }
      if (!fetch()) {
        return false;
      }
    }
  }

  @Override
  int read(ByteBuffer into) throws IOException {
    int before = into.position();
    full = false;
    take(into);
    while (!full && !ended) {
      if (!into.hasRemaining()) {
        full = spill.hasRemaining() || arrived.hasRemaining();
        break;
      }
      boolean roomy = into.remaining() >= security.plainBytes;
      SSLEngineResult result = engine.unwrap(arrived, roomy ? into : spill.clear());
      if (!roomy) {
        spill.flip();
        take(into);
      }
      boolean idle = result.bytesConsumed() == 0 && result.bytesProduced() == 0;
      switch (result.getStatus()) {
        case OK -> afterwards();
        case CLOSED -> ended = true;
        case BUFFER_UNDERFLOW -> {}
        case BUFFER_OVERFLOW -> throw new SSLException("a TLS record is too large");
      }
      if (idle && !ended && !fetch()) {
        break;
      }
    }
    int count = into.position() - before;
    return count == 0 && ended ? -1 : count;
  }

  private void take(ByteBuffer into) {
    int count = Math.min(spill.remaining(), into.remaining());
    if (count > 0) {
      into.put(into.position(), spill, spill.position(), count);
      into.position(into.position() + count);
      spill.position(spill.position() + count);
    }
  }

  /// New keys and the like come with the data.
  private void afterwards() throws IOException {
    for (Runnable step = engine.getDelegatedTask(); step != null; step = engine.getDelegatedTask()) {
      step.run();
    }
    if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP && wrap(NOTHING)) {
      send();
    }
  }

  /// Asks the socket, once for each time that the selector says so.
  private boolean fetch() throws IOException {
    if (!readable) {
      return false;
    }
    readable = false;
    arrived.compact();
    try {
      int count = channel.read(arrived);
      counters.add(TcpCount.READS);
      if (count > 0) {
        counters.add(TcpCount.BYTES_RECEIVED, count);
      }
      ended |= count < 0;
      return count > 0;
    } finally {
      arrived.flip();
    }
  }

  @Override
  void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining() && wrap(from)) {}
    send();
  }

  /// Wraps one record.
  ///
  /// @return false when the socket is full
  private boolean wrap(ByteBuffer from) throws IOException {
    if (leaving.remaining() < security.packetBytes) {
      send();
    }
    if (leaving.remaining() < security.packetBytes) {
      return false;
    }
    if (engine.wrap(from, leaving).getStatus() != SSLEngineResult.Status.OK) {
      throw new SSLException("closed");
    }
    return true;
  }

  private void send() throws IOException {
    if (isFlushed()) {
      return;
    }
    leaving.flip();
    try {
      int count = channel.write(leaving);
      counters.add(TcpCount.WRITES);
      counters.add(TcpCount.BYTES_SENT, count);
    } finally {
      leaving.compact();
    }
  }

  @Override
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (begun && !thinking) {
        sayWhy();
      }
      channel.close();
    } catch (IOException _) {
      // The descriptor is released in any case, and nobody waits for these bytes.
    } finally {
      Acceptor.close(channel);
      security.packets.giveBack(arrived);
      security.packets.giveBack(leaving);
      security.spills.giveBack(spill);
    }
  }

  /// The alert that tells the other side why, as far as the socket takes it at once.
  private void sayWhy() throws IOException {
    engine.closeOutbound();
    while (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP
        && leaving.remaining() >= security.packetBytes) {
      if (engine.wrap(NOTHING, leaving).getStatus() != SSLEngineResult.Status.OK) {
        break;
      }
    }
    send();
  }
}
