package org.tutti.net.udp;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.net.Nio;
import org.tutti.net.SelectorTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Carries frames over UDP: several in a datagram or a long one in several, one datagram in one packet of the network.
/// What goes to several peers leaves as one IP multicast where [UdpConfig#multicast] names a group, to those who are
/// known to hear it.
///
/// It loses frames where the network does, and regulates its speed as TCP does: never is more on the way to a peer than
/// the peer has granted of its receive buffer, and than the network has carried without more loss than usual; and what
/// leaves is spread over the round trip. What is beyond that is refused, and [Receiver#onReady] follows. Lost frames
/// are not sent again here: that is done by the links above.
///
/// A peer is greeted when a frame is first claimed for it, and after it has ended or been silent; until it answers,
/// claims are refused. Nothing is kept for a greeting, and only who gets what is sent to its address is believed to be
/// there. With a [UdpKey] all datagrams are encrypted and authenticated, and none is taken twice; without one a node
/// listens on loopback only.
///
/// Addresses are `host:port` with a literal host, written the same way by all nodes. Input is not trusted: what breaks
/// the rules is dropped and counted, see [#metrics]. A wait in [#poll] is rounded up to whole milliseconds. [#wakeup],
/// [#close] and [#metrics] may be called by any thread, all else by the engine thread only.
public final class UdpTransport extends SelectorTransport {
  private static final Duration RETRANSMIT_AFTER = Duration.ofMillis(20);
  private static final int HEADERS_IPV4 = 28;
  private static final int HEADERS_IPV6 = 48;
  private static final System.Logger LOG = System.getLogger(UdpTransport.class.getName());

  private final Address self;
  private final UdpLoop loop;

  private UdpTransport(Address self, UdpLoop loop) {
    super(traits(loop), loop.selector);
    this.self = self;
    this.loop = loop;
  }

  private static Traits traits(UdpLoop loop) {
    return new Traits(loop.bufferBytes - OutgoingDatagram.frameAt(), RETRANSMIT_AFTER, true);
  }

  /// Listens on an address; logs how much the kernel granted to the receive buffer, as a small one makes all slow.
  ///
  /// @param listen the host, a literal or a name that is looked up now, and the port, where 0 lets the kernel choose
  /// @param config the settings
  /// @return a transport whose [#address] tells the host literal and the actual port
  /// @throws TransportException when that is not possible, or the host is not loopback and there is no key, with the
  ///                            reason in one line
  public static UdpTransport open(Address listen, UdpConfig config) {
    return open(listen, null, config);
  }

  /// Listens on an address that peers know by another one, because something between passes datagrams on, in both
  /// directions.
  ///
  /// @param listen     the host and the port, as in [#open(Address, UdpConfig)]
  /// @param advertised the literal host and the port to which peers send; null for those listened on
  /// @param config     the settings
  /// @return a transport whose [#address] is the advertised one
  /// @throws TransportException when that is not possible, with the reason in one line
  public static UdpTransport open(Address listen, @Nullable Address advertised, UdpConfig config) {
    Endpoint wish = Endpoint.resolve(listen);
    Endpoint shown = advertised == null ? null : Endpoint.advertised(advertised);
    if (config.keys() == null) {
      wish.requireLoopback(listen, "without a key on loopback only: any process that reaches it could act as a member");
    }
    boolean six = wish.inet() instanceof Inet6Address;
    DatagramChannel channel = null;
    Multicasts multicasts = null;
    Selector selector = null;
    try {
      channel = DatagramChannel.open(family(wish.inet()));
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
      if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
        channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      }
      channel.setOption(StandardSocketOptions.SO_SNDBUF, config.sendBufferBytes());
      channel.bind(wish.socket());
      int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
      int granted = channel.getOption(StandardSocketOptions.SO_RCVBUF);
      int datagramBytes = datagramBytes(config, NetworkInterface.getByInetAddress(wish.inet()), six);
      multicasts = config.multicast() == null ? null : Multicasts.open(config.multicast(), config, channel);
      selector = Selector.open();
      UdpLoop loop =
          new UdpLoop(config, datagramBytes, six ? HEADERS_IPV6 : HEADERS_IPV4, channel, multicasts, selector);
      var transport = new UdpTransport(shown == null ? wish.at(port) : shown.at(shown.port()), loop);
      transport.report(config.receiveBufferBytes(), granted);
      return transport;
    } catch (IOException e) {
      close(channel, multicasts, selector);
      throw new TransportException("cannot listen on " + listen, e);
    } catch (TransportException e) {
      close(channel, multicasts, selector);
      throw e;
    }
  }

  private static void close(
      @Nullable DatagramChannel channel, @Nullable Multicasts multicasts, @Nullable Selector selector) {
    Nio.close(channel);
    Nio.close(multicasts == null ? null : multicasts.channel);
    Nio.close(selector);
  }

  static ProtocolFamily family(InetAddress inet) {
    return inet instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
  }

  /// As much as goes in one packet of the interface.
  private static int datagramBytes(UdpConfig config, @Nullable NetworkInterface device, boolean six)
      throws IOException {
    int mtu = device == null ? 0 : device.getMTU();
    int most = mtu <= 0 ? UdpConfig.DATAGRAM_BYTES_LIMIT : mtu - (six ? HEADERS_IPV6 : HEADERS_IPV4);
    int whole = Math.clamp(most, UdpConfig.DATAGRAM_BYTES_MIN, config.datagramBytesMax());
    return config.keys() == null ? whole : whole - Seal.BYTES;
  }

  private void report(int asked, int granted) {
    loop.counters.set(UdpCount.RECEIVE_BUFFER_ASKED, asked);
    loop.counters.set(UdpCount.RECEIVE_BUFFER_GRANTED, granted);
    LOG.log(
        granted < asked ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
        "UDP at {0}: asked for a receive buffer of {1} bytes, granted {2}; datagrams of {3} bytes",
        self,
        String.valueOf(asked),
        String.valueOf(granted),
        String.valueOf(loop.datagramBytes));
    if (loop.multicasts != null) {
      loop.counters.set(UdpCount.RECEIVE_BUFFER_GRANTED_MULTICASTS, loop.multicasts.receiveBufferBytes);
      LOG.log(
          loop.multicasts.receiveBufferBytes < asked ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
          "UDP multicasts to {0}: asked for a receive buffer of {1} bytes, granted {2}",
          loop.multicasts,
          String.valueOf(asked),
          String.valueOf(loop.multicasts.receiveBufferBytes));
    }
  }

  @Override
  public Address address() {
    return self;
  }

  @Override
  protected void begin(Receiver receiver) {
    loop.start(receiver);
  }

  @Override
  protected @Nullable ByteBuffer room(Address to, int length) {
    UdpPeer peer = loop.peers.of(to);
    return peer == null ? null : room(peer, length);
  }

  private @Nullable ByteBuffer room(UdpPeer peer, int length) {
    peer.usedNanos = loop.nowNanos;
    ByteBuffer room = peer.claim(length);
    if (room == null) {
      loop.counters.add(UdpCount.CLAIMS_REFUSED);
      peer.refuse();
    } else {
      claimed = peer;
    }
    return room;
  }

  @Override
  public boolean isMulticast(Address to) {
    UdpPeer peer = loop.multicasts == null ? null : loop.peers.of(to);
    return peer != null && peer.isMulticast();
  }

  @Override
  public int frameBytes(Address to) {
    UdpPeer peer = loop.peers.of(to);
    return peer == null
        ? traits().frameBytesMax()
        : Math.clamp(peer.frameBytes(), Traits.FRAME_BYTES_MIN, traits().frameBytesMax());
  }

  @Override
  protected void turn(long waitNanosMax) {
    loop.turn(waitNanosMax);
  }

  @Override
  protected void release() {
    loop.end();
  }

  @Override
  protected void countWakeup() {
    loop.counters.addShared(UdpCount.WAKEUPS);
  }

  /// What was carried (frames, datagrams, bytes, wakeups), the receive buffer, and what went wrong, by reason.
  ///
  /// @return a copy, taken by any thread
  @Override
  public List<Metric> metrics() {
    List<Metric> all = new ArrayList<>(loop.counters.metrics());
    all.addAll(loop.multicastCounters.metrics());
    return all;
  }

  /// Offers [UdpTransport] as `udp`; with keys if the system property `tutti.udp.key` names a file with some, with
  /// multicasts if `tutti.udp.multicast` says where, as `GROUP:PORT@INTERFACE`, and with a system call for each
  /// datagram if `tutti.udp.trains` is `false`.
  public static final class Provider implements TransportProvider {
    private static final String KEY = "tutti.udp.key";
    private static final String MULTICAST = "tutti.udp.multicast";
    private static final String TRAINS = "tutti.udp.trains";

    /// For the service loader.
    public Provider() {}

    @Override
    public String name() {
      return "udp";
    }

    @Override
    public Transport open(TransportSettings settings) {
      String where = System.getProperty(MULTICAST);
      String file = System.getProperty(KEY);
      try {
        UdpConfig config = UdpConfig.lan().withTrains(!"false".equals(System.getProperty(TRAINS)));
        config = file == null ? config : config.withKeys(UdpKeys.follow(Path.of(file)));
        config = where == null ? config : config.withMulticast(UdpMulticast.parse(where));
        return UdpTransport.open(settings.listen(), settings.advertised(), config);
      } catch (IOException e) {
        throw new TransportException("no key", e);
      } catch (IllegalArgumentException e) {
        throw new TransportException(MULTICAST + ": " + e.getMessage());
      }
    }
  }
}
