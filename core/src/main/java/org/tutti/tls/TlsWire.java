package org.tutti.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Address;
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
///
/// Whoever has the connection calls [#handshake] until it is complete: first, when the selector finds the socket ready
/// for [#interest], after [#readable] if that is to read, and when told by [Context#resume] that slow steps are done.
public final class TlsWire extends Wire {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final int ALERT = 21;
  private static final int HANDSHAKE = 22;

  private final SocketChannel channel;
  private final Traffic traffic;
  private final Context security;
  private final Runnable resumed;
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

  private TlsWire(SocketChannel channel, Traffic traffic, Context security, Runnable resumed, SSLEngine engine) {
    this.channel = channel;
    this.traffic = traffic;
    this.security = security;
    this.resumed = resumed;
    this.engine = engine;
    this.arrived = security.packets.take().limit(0);
    this.leaving = security.packets.take();
    this.spill = security.spills.take().limit(0);
  }

  /// The selector says that the socket has something: the next read may ask it, once.
  public void readable() {
    readable = true;
  }

  /// Whether a read would give something although the socket has nothing.
  ///
  /// @return whether to read on
  public boolean isBuffered() {
    return spill.hasRemaining() || full;
  }

  @Override
  public boolean isFlushed() {
    return leaving.position() == 0;
  }

  /// What the handshake waits for, for the selector.
  ///
  /// @return operations of a key
  public int interest() {
    if (thinking) {
      return 0;
    }
    return isFlushed() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
  }

  /// What the certificate of the other side is for; when the handshake is complete.
  ///
  /// @return all roles when it names none; none without a certificate
  public Set<Role> peerRoles() {
    try {
      return PemDirectory.roles((X509Certificate) engine.getSession().getPeerCertificates()[0]);
    } catch (SSLPeerUnverifiedException _) {
      return EnumSet.noneOf(Role.class);
    }
  }

  /// Whether the other side has ended the stream.
  ///
  /// @return whether nothing more comes
  public boolean isEnded() {
    return ended;
  }

  /// Goes on with the handshake as far as it goes now.
  ///
  /// @return whether it is complete
  /// @throws IOException when there will be none: [Failure#of] says why
  public boolean handshake() throws IOException {
    if (!begun) {
      begun = true;
      engine.beginHandshake();
    }
    while (!thinking && !ended) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> {
          thinking = true;
          security.think(this);
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
  public int read(ByteBuffer into) throws IOException {
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
      traffic.read(count);
      ended |= count < 0;
      return count > 0;
    } finally {
      arrived.flip();
    }
  }

  @Override
  public void write(ByteBuffer from) throws IOException {
    while (from.hasRemaining() && wrap(from)) {}
    send();
  }

  @Override
  public void write(ByteBuffer[] from) throws IOException {
    ByteBuffer last = from[from.length - 1];
    while (last.hasRemaining() && wrap(from)) {}
    send();
  }

  /// Wraps one record.
  ///
  /// @return false when the socket is full
  private boolean wrap(ByteBuffer... from) throws IOException {
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
      traffic.wrote(count);
    } finally {
      leaving.compact();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (begun && !thinking) {
        sayWhy();
      }
    } catch (IOException _) {
      // Nobody waits for these bytes.
    } finally {
      release();
      security.packets.giveBack(arrived);
      security.packets.giveBack(leaving);
      security.spills.giveBack(spill);
    }
  }

  private void release() {
    try {
      channel.close();
    } catch (IOException _) {
      // The descriptor is released in any case.
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

  /// What the connections of one thread share: credentials, buffers, and the way back from other threads.
  ///
  /// The slow steps of a handshake (signatures, certificates, perhaps files that are read) run on virtual threads, one
  /// for each handshake, of which the owner bounds the number; the thread goes on meanwhile.
  public static final class Context {
    private final Credentials credentials;
    private final boolean asks;
    private final BufferPool packets;
    private final BufferPool spills;
    private final int packetBytes;
    private final int plainBytes;
    private final Runnable wake;
    private final ConcurrentLinkedQueue<TlsWire> thought = new ConcurrentLinkedQueue<>();

    /// Makes one without connections.
    ///
    /// @param credentials the own certificate, and whom to believe
    /// @param wake        called on any thread when slow steps are done, so that [#resume] is called
    /// @param records     how many records are read or written at once. A connection holds twice as many and one more,
    ///                    each of about 17 KiB, outside of the heap
    /// @param asks        whether clients that connect have to show a certificate
    public Context(Credentials credentials, Runnable wake, int records, boolean asks) {
      this.credentials = credentials;
      this.asks = asks;
      this.wake = wake;
      SSLEngine any = credentials.protect(true);
      this.packetBytes = any.getSession().getPacketBufferSize();
      this.plainBytes = any.getSession().getApplicationBufferSize();
      this.packets = new BufferPool(records * packetBytes);
      this.spills = new BufferPool(plainBytes);
    }

    /// Makes one end of a connection.
    ///
    /// @param channel does not block; is closed with the wire
    /// @param client  whether this end has connected
    /// @param traffic told what is carried
    /// @param resumed run by [#resume] when slow steps of the handshake are done
    /// @return a wire whose handshake has not begun
    public TlsWire wire(SocketChannel channel, boolean client, Traffic traffic, Runnable resumed) {
      return new TlsWire(channel, traffic, this, resumed, credentials.protect(client, asks));
    }

    /// Runs the slow steps of one handshake.
    private void think(TlsWire wire) {
      Thread.ofVirtual()
          .name("tutti-tls")
          .start(() -> {
            for (Runnable step = wire.engine.getDelegatedTask(); step != null; step = wire.engine.getDelegatedTask()) {
              step.run();
            }
            thought.add(wire);
            wake.run();
          });
    }

    /// Goes on with handshakes whose slow steps are done; on the thread that has the connections.
    public void resume() {
      for (TlsWire next = thought.poll(); next != null; next = thought.poll()) {
        next.thinking = false;
        next.resumed.run();
      }
    }

    /// Why a peer that this process has connected to is refused, or refuses this process.
    ///
    /// @param failure of the handshake, or of the first read behind it
    /// @param by      the peer
    /// @return null when that is not known: the connection broke
    public @Nullable Refused refusal(IOException failure, Address by) {
      return switch (Failure.of(failure)) {
        case NOT_TLS -> Refusal.notTls(by);
        case OTHER_CLUSTER, OTHER_ROLE, WRONG_CERTIFICATE, EXPIRED_CERTIFICATE, REFUSED_BY_PEER ->
            Refusal.told(failure, by, credentials);
        case TLS_BROKEN, BROKEN -> null;
      };
    }
  }

  /// Why a connection failed.
  public enum Failure {
    /// The other side does not speak TLS.
    NOT_TLS,
    /// Its certificate is for another cluster.
    OTHER_CLUSTER,
    /// Its certificate is for other roles.
    OTHER_ROLE,
    /// Its certificate is valid no more, or not yet.
    EXPIRED_CERTIFICATE,
    /// It has no certificate, or one of another authority.
    WRONG_CERTIFICATE,
    /// It refused the own certificate.
    REFUSED_BY_PEER,
    /// It violated the protocol.
    TLS_BROKEN,
    /// The connection broke.
    BROKEN;

    /// Finds the reason.
    ///
    /// @param failure of a handshake, a read or a write
    /// @return for counters
    public static Failure of(IOException failure) {
      if (failure instanceof NotTlsException) {
        return NOT_TLS;
      }
      return switch (Refusal.of(failure)) {
        case OTHER_CLUSTER -> OTHER_CLUSTER;
        case OTHER_ROLE -> OTHER_ROLE;
        case OUT_OF_DATE -> EXPIRED_CERTIFICATE;
        case WRONG -> WRONG_CERTIFICATE;
        case null -> failure instanceof SSLException ? byText(String.valueOf(failure.getMessage())) : BROKEN;
      };
    }

    /// The JDK tells these two apart by their texts only.
    private static Failure byText(String message) {
      if (message.contains("Empty client certificate chain")) {
        return WRONG_CERTIFICATE;
      }
      return message.contains("Received fatal alert") ? REFUSED_BY_PEER : TLS_BROKEN;
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
