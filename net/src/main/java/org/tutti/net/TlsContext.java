package org.tutti.net;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.tutti.net.tls.Credentials;
import org.tutti.net.tls.Refusal;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Refused;

/// What the connections of a transport with TLS share: credentials, buffers, and the way back from other threads.
///
/// The slow steps of a handshake (signatures, certificates, perhaps files that are read) run on virtual threads, one
/// for each handshake, of which the configuration bounds the number; the engine thread goes on meanwhile.
final class TlsContext {
  private static final int PACKETS = 4; // what is read or written at once

  final Credentials credentials;
  final BufferPool packets;
  final BufferPool spills;
  final int packetBytes;
  final int plainBytes;
  private final Selector selector;
  private final ConcurrentLinkedQueue<Connection> thought = new ConcurrentLinkedQueue<>();

  TlsContext(Credentials credentials, Selector selector) {
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

  /// The other side does not speak TLS.
  static final class NotTlsException extends IOException {
    private static final long serialVersionUID = 1L;

    NotTlsException() {
      super("not TLS");
    }
  }
}
