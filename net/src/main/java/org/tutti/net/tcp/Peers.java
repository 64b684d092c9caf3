package org.tutti.net.tcp;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.net.Nio;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;

/// All peers of a transport, the list of those that need attention (a claim was refused, or no connection exists), and
/// the attempts to connect to them: by Unix domain socket to a node on this host, else, or when that fails, by TCP.
final class Peers {
  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int LISTED_MAX = 1024; // answers to invented addresses must not fill the memory

  private static final int HANDSHAKES_MAX = 256; // each takes a file descriptor until the connect timeout

  private final TcpLoop loop;
  private final @Nullable UnixSockets unixSockets;
  private final Map<Address, Peer> byAddress = new HashMap<>();
  private List<Peer> listed = new ArrayList<>();
  private List<Peer> round = new ArrayList<>();
  private boolean refusedAtOnce; // by the host that was dialled last, before anything was under way

  Peers(TcpLoop loop, @Nullable UnixSockets unixSockets) {
    this.loop = loop;
    this.unixSockets = unixSockets;
  }

  /// The peer at an address, made when new.
  Peer of(Address address) {
    Peer peer = byAddress.get(address);
    if (peer == null) {
      peer = new Peer(address, loop.nowNanos);
      byAddress.put(address, peer);
      list(peer);
    }
    return peer;
  }

  /// Whether the peer at an address may vote; who is not known may.
  boolean mayVote(Address address) {
    Peer peer = byAddress.get(address);
    return peer == null || peer.mayVote;
  }

  /// A claim was refused: when the peer has no connection, that asks for one attempt to connect.
  void refuse(Peer peer) {
    peer.refused = true;
    peer.wanted |= peer.current == null && peer.own == null && peer.next == null;
    list(peer);
  }

  /// A connection says nothing: asks for another one beside it, but not again and again.
  void renew(Peer peer, long pauseNanos) {
    boolean making = peer.next != null || peer.own != null && !peer.own.isOpen();
    if (peer.current != null && !making && loop.nowNanos - peer.renewedAtNanos >= pauseNanos) {
      peer.renewedAtNanos = loop.nowNanos;
      peer.wanted = true;
      list(peer);
    }
  }

  /// Puts a peer on the list.
  void list(Peer peer) {
    if (!peer.listed) {
      peer.listed = true;
      listed.add(peer);
    }
  }

  /// Announces peers that have room again, dials those whose time has come, forgets those that nobody wants.
  ///
  /// @return whether the receiver was called
  boolean tend() {
    Receiver receiver = loop.receiver();
    List<Peer> visited = listed;
    listed = round;
    round = visited;
    boolean announced = false;
    int excess = visited.size() - LISTED_MAX; // the oldest come first
    for (Peer peer : visited) {
      peer.listed = false;
      if (peer.renewed && peer.isRoomy()) {
        announced = true;
        peer.renewed = false;
        receiver.onReconnected(peer.address);
      }
      if (peer.refused && peer.isRoomy()) {
        announced = true;
        peer.refused = false;
        receiver.onReady(peer.address);
      }
      if (peer.wanted && loop.nowNanos - peer.retryAtNanos >= 0 && !isBusy()) {
        peer.wanted = false;
        dial(peer);
      }
      if (peer.gone) {
        announced = true;
        peer.gone = false;
        receiver.onGone(peer.address);
      }
      if (peer.refusal != null) {
        announced = true;
        Refused refusal = peer.refusal;
        peer.refusal = null;
        receiver.onRefused(refusal);
      }
      if (peer.isApart() && excess > 0) {
        excess--;
        loop.counters.add(TcpCount.ADDRESS_FORGOTTEN);
        byAddress.remove(peer.address);
      } else if (peer.isApart() && isForgettable(peer)) {
        byAddress.remove(peer.address);
      } else if (peer.isApart() || peer.refused || peer.wanted || peer.renewed) {
        list(peer);
      }
    }
    visited.clear();
    return announced;
  }

  /// How long until an attempt is due, if that is sooner than a given time.
  long waitNanos(long waitNanosMax) {
    if (isBusy()) {
      return waitNanosMax;
    }
    long wait = waitNanosMax;
    for (Peer peer : listed) {
      if (peer.wanted) {
        wait = Math.min(wait, peer.retryAtNanos - loop.nowNanos);
      }
    }
    return wait;
  }

  // A peer that only ever connected to us leaves no trace: a flood of invented addresses must not fill the map.
  private boolean isForgettable(Peer peer) {
    return !peer.everClaimed || !peer.wanted && loop.nowNanos - peer.claimedAtNanos > FORGET_NANOS;
  }

  // ---- attempts to connect
  // --------------------------------------------------------------------------------------------

  /// Whether as many attempts are under way as there may be.
  private boolean isBusy() {
    return loop.handshakes.size() >= HANDSHAKES_MAX;
  }

  /// Begins one attempt; its outcome shows in the peer.
  private void dial(Peer peer) {
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
      Nio.close(channel);
      return false;
    }
  }
}
