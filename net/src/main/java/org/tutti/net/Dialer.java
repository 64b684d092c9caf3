package org.tutti.net;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Endpoint;

/// Opens connections: by Unix domain socket to a node on this host, else, or when that fails, by TCP.
final class Dialer {
  private static final int HANDSHAKES_MAX = 256; // each takes a file descriptor until the connect timeout

  private final TcpLoop loop;
  private final @Nullable UnixSockets unixSockets;
  private boolean refusedAtOnce; // by the host that was dialled last, before anything was under way

  Dialer(TcpLoop loop, @Nullable UnixSockets unixSockets) {
    this.loop = loop;
    this.unixSockets = unixSockets;
  }

  /// Whether as many attempts are under way as there may be.
  boolean isBusy() {
    return loop.handshakes.size() >= HANDSHAKES_MAX;
  }

  /// A peer that is not connected had to make room.
  void forgotten() {
    loop.counters.add(TcpCount.ADDRESS_FORGOTTEN);
  }

  /// Begins one attempt; its outcome shows in the peer.
  void dial(Peer peer) {
    if (peer.endpoint == null || peer.endpoint.port() == 0) {
      loop.counters.add(TcpCount.ADDRESS_UNUSABLE);
      peer.backOff(loop.nowNanos, loop.config);
      return;
    }
    UnixDomainSocketAddress near = unixSockets == null ? null : unixSockets.toward(peer.endpoint);
    if (near == null || !connect(peer, near)) {
      dialTcp(peer, peer.endpoint);
    }
  }

  /// An attempt ended without a complete connection.
  void failed(Connection connection, Peer peer) {
    if (connection.isUnix() && peer.endpoint != null) {
      dialTcp(peer, peer.endpoint);
    } else {
      failed(peer, connection.wasRefused());
    }
  }

  private void failed(Peer peer, boolean refused) {
    loop.counters.add(TcpCount.CONNECT_FAILED);
    peer.backOff(loop.nowNanos, loop.config);
    if (refused) {
      peer.refuses();
    }
  }

  private void dialTcp(Peer peer, Endpoint endpoint) {
    refusedAtOnce = false;
    if (!connect(peer, endpoint.socket())) {
      failed(peer, refusedAtOnce);
    }
  }

  /// @return false when no attempt is under way and the peer was not told of any
  private boolean connect(Peer peer, SocketAddress to) {
    boolean unix = to instanceof UnixDomainSocketAddress;
    SocketChannel channel = null;
    try {
      channel = unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
      channel.configureBlocking(false);
      if (!unix) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      boolean complete = channel.connect(to);
      Connection connection = new Connection(loop, channel, unix, peer);
      connection.register(channel, SelectionKey.OP_CONNECT);
      peer.dialled(connection);
      if (complete) {
        connection.connected();
      }
      return true;
    } catch (IOException | UnsupportedAddressTypeException e) {
      refusedAtOnce = e instanceof ConnectException;
      Acceptor.close(channel);
      return false;
    }
  }
}
