package org.tutti.net.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.Names;
import org.tutti.net.Nio;
import org.tutti.spi.BufferPool;
import org.tutti.tls.Credentials;
import org.tutti.tls.TlsWire;
import org.tutti.tls.Wire;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;

/// One turn after another of a transport: write, wait, read. Holds what its parts share; engine thread only.
final class TcpLoop {
  private static final System.Logger LOG = System.getLogger(TcpTransport.class.getName());
  private static final int RECORDS = 4; // of TLS, which are read or written at once

  final Address self;
  final TcpConfig config;
  final Selector selector;
  final Counts<TcpCount> counters = new Counts<>(TcpCount.class);
  final Wire.Traffic traffic =
      new Wire.Traffic() {
        @Override
        public void read(int bytes) {
          counters.add(TcpCount.READS);
          if (bytes > 0) {
            counters.add(TcpCount.BYTES_RECEIVED, bytes);
          }
        }

        @Override
        public void wrote(long bytes) {
          counters.add(TcpCount.WRITES);
          counters.add(TcpCount.BYTES_SENT, bytes);
        }
      };
  final Peers peers;
  final TlsWire.@Nullable Context security;
  final BufferPool sendBuffers;
  final BufferPool receiveBuffers;

  /// Connections that do not know yet whom they lead to, oldest first.
  final List<Connection> handshakes = new ArrayList<>();

  /// Connections with committed frames that no write was tried for.
  final List<Connection> dirty = new ArrayList<>();

  /// Connections that are not looked at until a time.
  final List<Connection> resting = new ArrayList<>();

  /// The time of this turn's last wait: exact enough for timeouts, and cheap.
  long nowNanos = System.nanoTime();

  /// How many accepted connections exist.
  int accepted;

  private final List<Acceptor> acceptors = new ArrayList<>();
  private final Consumer<SelectionKey> dispatch = this::dispatch;
  private @Nullable Receiver receiver;
  private boolean ended;

  TcpLoop(
      Address self,
      TcpConfig config,
      Selector selector,
      @Nullable UnixSockets unixSockets,
      @Nullable Credentials credentials) {
    this.self = self;
    this.config = config;
    this.selector = selector;
    this.security = credentials == null ? null : new TlsWire.Context(credentials, selector::wakeup, RECORDS, true);
    this.sendBuffers = new BufferPool(config.sendBufferBytes());
    this.receiveBuffers = new BufferPool(config.receiveBufferBytes());
    this.peers = new Peers(this, unixSockets);
  }

  void listen(Acceptor acceptor) {
    acceptors.add(acceptor);
  }

  void start(Receiver to) {
    Invariant.check(receiver == null, "a transport is started once");
    receiver = to;
  }

  Receiver receiver() {
    return Objects.requireNonNull(receiver, "the transport is not started");
  }

  /// Writes what was committed, waits for input, and hands over what arrived.
  void turn(long waitNanosMax) {
    nowNanos = System.nanoTime();
    flush();
    boolean announced = peers.tend();
    // The receiver may have said something just now, or want to think first: do not wait then.
    select(announced || !dirty.isEmpty() ? 0 : waitNanos(waitNanosMax));
    resume();
    expire(); // after reading: a node that stood still does not end connections whose words are here
    peers.tend();
  }

  private void resume() {
    for (int i = resting.size() - 1; i >= 0; i--) {
      Connection connection = resting.get(i);
      if (nowNanos - connection.restsUntil() >= 0) {
        resting.remove(i);
        connection.resume();
      }
    }
  }

  /// Writes to each connection once.
  void flush() {
    int count = dirty.size();
    for (int i = 0; i < count; i++) {
      dirty.get(i).flush();
    }
    dirty.subList(0, count).clear();
  }

  /// Why a handshake of TLS that this node began has failed, in words, if that is known.
  @Nullable Refused refusal(IOException failure, Address by) {
    return security == null ? null : security.refusal(failure, by);
  }

  /// A connection is complete.
  void opened(Connection connection, Peer peer) {
    handshakes.remove(connection);
    if (connection.isOutbound()) {
      counters.add(connection.isUnix() ? TcpCount.CONNECTED_UNIX : TcpCount.CONNECTED_TCP);
    } else {
      counters.add(connection.isUnix() ? TcpCount.ACCEPTED_UNIX : TcpCount.ACCEPTED_TCP);
    }
    LOG.log(Level.DEBUG, () -> "TCP at %s: the connection %s is complete".formatted(self, words(connection, peer)));
    Connection replaced = peer.use(connection);
    peers.list(peer);
    if (replaced != null) {
      replaced.close(TcpCount.CLOSED_REPLACED);
    }
  }

  /// Tells why a connection is closed.
  void log(Connection connection, @Nullable Peer peer, TcpCount reason) {
    LOG.log(
        Level.DEBUG,
        () ->
            "TCP at %s: the connection %s is closed: %s"
                .formatted(self, words(connection, peer), reason.metric().about()));
  }

  private static String words(Connection connection, @Nullable Peer peer) {
    String with = peer == null ? "somebody who has not said who it is" : Names.printable(peer.address.text());
    return (connection.isOutbound() ? "to " : "from ") + with + (connection.isUnix() ? " (Unix domain socket)" : "");
  }

  /// A connection was closed, perhaps by the other side or the network.
  void closed(Connection connection, @Nullable Peer peer, boolean complete, boolean broken) {
    if (!connection.isOutbound()) {
      accepted--;
    }
    if (!complete) {
      handshakes.remove(connection);
    }
    if (peer == null || ended) {
      return;
    }
    peer.drop(connection);
    peers.list(peer);
    if (complete) {
      peer.backOff(nowNanos, config);
      if (broken && peer.isApart()) {
        peer.broke(connection.hasLasted(config.backoffMax().toNanos()), nowNanos);
      }
      if (peer.refused) {
        // Who waits for room here now waits for a connection.
        peers.refuse(peer);
      }
    } else if (connection.isOutbound()) {
      peers.failed(connection, peer);
    }
  }

  /// Closes the oldest accepted connection that still owes its preamble, if there are too many: an honest peer sends it
  /// at once, so under a flood the silent ones yield.
  void makeRoomForHandshake() {
    int count = 0;
    Connection oldest = null;
    for (Connection connection : handshakes) {
      if (!connection.isOutbound()) {
        oldest = oldest == null ? connection : oldest;
        count++;
      }
    }
    if (oldest != null && count >= config.handshakesMax()) {
      oldest.close(TcpCount.CLOSED_CROWDED_OUT);
    }
  }

  /// Tries a last write and releases all sockets.
  void end() {
    if (ended) {
      return;
    }
    flush();
    ended = true;
    acceptors.forEach(Acceptor::close);
    for (SelectionKey key : List.copyOf(selector.keys())) {
      if (key.attachment() instanceof Connection connection) {
        connection.close(TcpCount.CLOSED_AT_END);
      }
    }
    Nio.close(selector);
  }

  private void expire() {
    for (int i = handshakes.size() - 1; i >= 0; i--) {
      Connection connection = handshakes.get(i);
      if (nowNanos - connection.deadlineNanos() >= 0) {
        connection.close(TcpCount.CLOSED_PREAMBLE_TIMEOUT);
      }
    }
  }

  private long waitNanos(long waitNanosMax) {
    long wait = Math.max(0, waitNanosMax);
    if (wait > 0) {
      wait = peers.waitNanos(wait);
    }
    for (Connection connection : handshakes) {
      wait = Math.min(wait, connection.deadlineNanos() - nowNanos);
    }
    for (Connection connection : resting) {
      wait = Math.min(wait, connection.restsUntil() - nowNanos);
    }
    for (Acceptor acceptor : acceptors) {
      wait = acceptor.resume(nowNanos, wait);
    }
    return wait;
  }

  private void select(long waitNanos) {
    Nio.select(selector, dispatch, waitNanos);
    nowNanos = System.nanoTime();
    if (security != null) {
      security.resume();
    }
  }

  private void dispatch(SelectionKey key) {
    // Called within select, perhaps after a long wait.
    nowNanos = System.nanoTime();
    switch (key.attachment()) {
      case Connection connection -> connection.ready();
      case Acceptor acceptor -> acceptor.accept();
      default -> throw new Invariant.Broken("a key without owner");
    }
  }
}
