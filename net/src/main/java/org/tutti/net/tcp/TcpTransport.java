package org.tutti.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.net.Nio;
import org.tutti.net.SelectorTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Profile;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Carries frames over TCP, and over Unix domain sockets between nodes of one user on one host.
///
/// Frames on one unbroken connection arrive whole and in order; when a connection breaks, frames are lost. Everything
/// committed in one turn leaves with one write per peer. A connection is made when a frame is first claimed for a peer;
/// after a failure, each refused claim asks for one more attempt, made when the pause since the last one is over. A
/// connection that broke is made again, at once if it had lasted; when the peer's host refuses that twice, its process
/// seems to have ended ([Receiver#onGone]).
///
/// Addresses are `host:port` with a literal host, `127.0.0.1:7001` or `[::1]:7001`, written the same way by all nodes.
/// Input is not trusted: a connection that breaks the rules is closed and counted, see [#metrics]. But who a peer says
/// it is gets believed: TLS, or the network, must keep strangers out. Without certificates it listens on loopback
/// addresses only, unless [TcpConfig#withInsecure] says that the network does.
///
/// A wait in [#poll] is rounded up to whole milliseconds. [#wakeup], [#close] and [#metrics] may be called by any
/// thread, all else by the engine thread only.
public final class TcpTransport extends SelectorTransport {
  private static final Duration RETRANSMIT_AFTER = Duration.ofSeconds(1);

  private final Endpoint endpoint;
  private final TcpLoop loop;
  private final @Nullable UnixSockets unixSockets;
  private final @Nullable Credentials credentials;

  private TcpTransport(
      Endpoint endpoint, TcpLoop loop, @Nullable UnixSockets unixSockets, @Nullable Credentials credentials) {
    super(new Traits(loop.config.frameBytesMax(), RETRANSMIT_AFTER, false), loop.selector);
    this.endpoint = endpoint;
    this.loop = loop;
    this.unixSockets = unixSockets;
    this.credentials = credentials;
  }

  /// Listens on an address.
  ///
  /// @param listen the host, a literal or a name that is looked up now, and the port, where 0 lets the kernel choose
  /// @param config the settings
  /// @return a transport whose [#address] tells the host literal and the actual port
  /// @throws TransportException when that is not possible, with the reason in one line
  public static TcpTransport open(Address listen, TcpConfig config) {
    return open(listen, null, config);
  }

  /// Listens on an address that peers know by another one, because something between passes their connections on: a
  /// forwarded port, for example. They reach this node by TCP only.
  ///
  /// @param listen     the host and the port, as in [#open(Address, TcpConfig)]; may be all interfaces, `0.0.0.0:7001`
  /// @param advertised the literal host and the port where peers connect to; null for those listened on
  /// @param config     the settings
  /// @return a transport whose [#address] is the advertised one
  /// @throws TransportException when that is not possible, with the reason in one line
  public static TcpTransport open(Address listen, @Nullable Address advertised, TcpConfig config) {
    return open(listen, advertised, config, null);
  }

  /// Listens on an address, and speaks only with peers that show a certificate of the same authority and cluster, by
  /// TLS 1.3. Without Unix domain sockets, to which that would not apply.
  ///
  /// @param listen      the host and the port, as in [#open(Address, TcpConfig)]
  /// @param advertised  as in [#open(Address, Address, TcpConfig)]
  /// @param config      the settings
  /// @param credentials the own certificate, and whom to believe; null for no TLS
  /// @return a transport whose [#address] is the advertised one
  /// @throws TransportException when that is not possible, with the reason in one line
  public static TcpTransport open(
      Address listen, @Nullable Address advertised, TcpConfig config, @Nullable Credentials credentials) {
    Endpoint wish = Endpoint.resolve(listen, advertised);
    Endpoint shown = advertised == null ? null : Endpoint.advertised(advertised);
    if (credentials == null && !config.insecure()) {
      wish.requireLoopback(listen, Endpoint.WITHOUT_CERTIFICATES);
    }
    ServerSocketChannel server = null;
    Selector selector = null;
    try {
      server = ServerSocketChannel.open();
      server.configureBlocking(false);
      server.bind(wish.socket(), Acceptor.BACKLOG);
      int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
      Endpoint own = new Endpoint(wish.host(), wish.inet(), port);
      selector = Selector.open();
      UnixSockets unixSockets = credentials != null ? null : UnixSockets.in(config.socketDirectory());
      Address self = shown == null ? own.at(port) : shown.at(shown.port());
      TcpLoop loop = new TcpLoop(self, config, selector, unixSockets, credentials);
      loop.listen(new Acceptor(loop, server, false));
      // The file is named by the address that peers know, and only who holds that port may own it.
      ServerSocketChannel near = unixSockets == null || shown != null ? null : unixSockets.listen(own);
      if (near != null) {
        loop.listen(new Acceptor(loop, near, true));
      }
      return new TcpTransport(own, loop, near == null ? null : unixSockets, credentials);
    } catch (IOException e) {
      Nio.close(server);
      Nio.close(selector);
      throw new TransportException("cannot listen on " + listen, e);
    }
  }

  @Override
  public Address address() {
    return loop.self;
  }

  @Override
  protected void begin(Receiver receiver) {
    loop.start(receiver);
  }

  @Override
  protected @Nullable ByteBuffer room(Address to, int length) {
    Peer peer = loop.peers.of(to);
    peer.everClaimed = true;
    peer.claimedAtNanos = loop.nowNanos;
    Connection connection = peer.current;
    if (connection != null && peer.isSilent(loop.nowNanos, loop.config.silenceMax().toNanos())) {
      connection.close(TcpCount.CLOSED_SILENT);
      connection = null;
    }
    ByteBuffer room = connection == null ? null : connection.claim(length);
    if (room == null) {
      loop.counters.add(TcpCount.CLAIMS_REFUSED);
      loop.peers.refuse(peer);
    } else {
      claimed = connection;
    }
    return room;
  }

  /// By the certificate that the peer's last connection began with.
  @Override
  public boolean mayVote(Address peer) {
    return loop.peers.mayVote(peer);
  }

  @Override
  public @Nullable String votingObjection() {
    return credentials == null ? null : credentials.votingObjection();
  }

  @Override
  protected void again(Address to) {
    loop.peers.renew(loop.peers.of(to), loop.config.backoffMax().toNanos());
  }

  @Override
  protected void turn(long waitNanosMax) {
    loop.turn(waitNanosMax);
  }

  @Override
  protected void countWakeup() {
    loop.counters.addShared(TcpCount.WAKEUPS);
  }

  /// What was carried (frames, bytes, writes, reads, wakeups) and what went wrong, by reason, since the start; over TLS
  /// also how long the own certificate is still valid.
  ///
  /// @return a copy, taken by any thread
  @Override
  public List<Metric> metrics() {
    List<Metric> counted = loop.counters.metrics();
    return credentials == null ? counted : Stream.concat(counted.stream(), Stream.of(credentials.validity())).toList();
  }

  @Override
  protected void release() {
    // The file goes before the port: whoever gets the port next may use the file's name.
    if (unixSockets != null) {
      unixSockets.remove(endpoint);
    }
    loop.end();
  }

  /// Offers [TcpTransport] as `tcp`, with Unix domain sockets between nodes of one user on one host.
  public static final class Provider implements TransportProvider {
    /// For the service loader.
    public Provider() {}

    @Override
    public String name() {
      return "tcp";
    }

    @Override
    public Transport open(TransportSettings settings) {
      TcpConfig config = settings.profile() == Profile.WAN ? TcpConfig.wan() : TcpConfig.lan();
      Credentials own = settings.tls() == null ? null : Credentials.of(settings.tls(), Credentials.NODES);
      TcpConfig chosen = settings.insecure() ? config.withInsecure() : config;
      return TcpTransport.open(settings.listen(), settings.advertised(), chosen, own);
    }

    @Override
    public void requireCertificates(Path tls, String cluster) throws TransportException {
      Credentials.require(tls, cluster, Credentials.NODES);
    }
  }
}
