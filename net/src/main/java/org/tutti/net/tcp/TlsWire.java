package org.tutti.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.tutti.net.BufferPool;
import org.tutti.net.Nio;
import org.tutti.net.tls.Credentials;
import org.tutti.net.tls.Refusal;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Refused;

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
  private final Context security;
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

  TlsWire(SocketChannel channel, Counts<TcpCount> counters, Context security, Connection connection, SSLEngine engine) {
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
          throw new NotTlsException();
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
      Nio.close(channel);
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

  /// What the connections of a transport with TLS share: credentials, buffers, and the way back from other threads.
  ///
  /// The slow steps of a handshake (signatures, certificates, perhaps files that are read) run on virtual threads, one
  /// for each handshake, of which the configuration bounds the number; the engine thread goes on meanwhile.
  static final class Context {
    private static final int PACKETS = 4; // what is read or written at once

    final Credentials credentials;
    final BufferPool packets;
    final BufferPool spills;
    final int packetBytes;
    final int plainBytes;
    private final Selector selector;
    private final ConcurrentLinkedQueue<Connection> thought = new ConcurrentLinkedQueue<>();

    Context(Credentials credentials, Selector selector) {
      this.credentials = credentials;
      this.selector = selector;
      SSLEngine any = credentials.protect(true);
      this.packetBytes = any.getSession().getPacketBufferSize();
      this.plainBytes = any.getSession().getApplicationBufferSize();
      this.packets = new BufferPool(PACKETS * packetBytes);
      this.spills = new BufferPool(plainBytes);
    }

    TlsWire wire(SocketChannel channel, Connection connection, boolean client, Counts<TcpCount> counters) {
      return new TlsWire(channel, counters, this, connection, credentials.protect(client));
    }

    /// Runs the slow steps of one handshake.
    void think(SSLEngine engine, Connection connection) {
      Thread.ofVirtual()
          .name("tutti-tls")
          .start(() -> {
            for (Runnable step = engine.getDelegatedTask(); step != null; step = engine.getDelegatedTask()) {
              step.run();
            }
            thought.add(connection);
            selector.wakeup();
          });
    }

    /// Goes on with handshakes whose slow steps are done; on the engine thread.
    void resume() {
      for (Connection next = thought.poll(); next != null; next = thought.poll()) {
        next.resumed();
      }
    }

    /// Why a connection failed, for the counters.
    static TcpCount reason(IOException failure) {
      if (failure instanceof NotTlsException) {
        return TcpCount.CLOSED_NOT_TLS;
      }
      return switch (Refusal.of(failure)) {
        case OTHER_CLUSTER -> TcpCount.CLOSED_WRONG_CLUSTER;
        case OUT_OF_DATE -> TcpCount.CLOSED_EXPIRED_CERTIFICATE;
        case WRONG -> TcpCount.CLOSED_WRONG_CERTIFICATE;
        case null ->
            failure instanceof SSLException ? reason(String.valueOf(failure.getMessage())) : TcpCount.CLOSED_BROKEN;
      };
    }

    /// The JDK tells these two apart by their texts only.
    private static TcpCount reason(String message) {
      if (message.contains("Empty client certificate chain")) {
        return TcpCount.CLOSED_WRONG_CERTIFICATE;
      }
      return message.contains("Received fatal alert") ? TcpCount.CLOSED_REFUSED_BY_PEER : TcpCount.CLOSED_TLS_BROKEN;
    }

    /// Why a peer that this node has connected to is refused, or refuses this node.
    ///
    /// @return null when that is not known: the connection broke
    @Nullable Refused refusal(TcpCount count, IOException failure, Address by) {
      return switch (count) {
        case CLOSED_NOT_TLS -> Refusal.notTls(by);
        case CLOSED_WRONG_CLUSTER, CLOSED_WRONG_CERTIFICATE, CLOSED_EXPIRED_CERTIFICATE, CLOSED_REFUSED_BY_PEER ->
            Refusal.told(failure, by, credentials);
        default -> null;
      };
    }
  }

  /// The other side does not speak TLS.
  private static final class NotTlsException extends IOException {
    private static final long serialVersionUID = 1L;

    NotTlsException() {
      super("not TLS");
    }
  }
}
