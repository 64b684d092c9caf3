package org.tutti.verify.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// A network of one process that loses datagrams: nodes advertise its ports and not their own sockets, and what comes
/// to a node's port is passed on to the node, from the port of the one who sent it, or lost by chance.
public final class LossyNetwork implements AutoCloseable {
  private static final int BUFFER_BYTES = 4 << 20;

  private final Selector selector;
  private final SplittableRandom random;
  private final double loss;
  private final Map<SocketAddress, DatagramChannel> listeners = new ConcurrentHashMap<>(); // by the node's own address
  private final AtomicLong lost = new AtomicLong();
  private final Thread carrier = new Thread(this::carry, "lossy-network");
  private volatile SocketAddress silenced = new InetSocketAddress(0);
  private volatile SocketAddress deaf = new InetSocketAddress(0);
  private volatile int bytesMax = Integer.MAX_VALUE;

  /// Begins to carry.
  ///
  /// @param seed of the chances
  /// @param loss which part of the datagrams is lost, 0 to 1
  /// @throws IOException when there is no selector
  public LossyNetwork(long seed, double loss) throws IOException {
    this.selector = Selector.open();
    this.random = new SplittableRandom(seed);
    this.loss = loss;
    carrier.setDaemon(true);
    carrier.start();
  }

  /// Opens a node's transport behind a port.
  ///
  /// @param config its settings
  /// @return a transport that advertises the port
  /// @throws IOException when there is no socket
  public UdpTransport open(UdpConfig config) throws IOException {
    DatagramChannel listener = DatagramChannel.open();
    listener.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
    listener.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    var own = new InetSocketAddress(InetAddress.getLoopbackAddress(), LoopbackPorts.free());
    int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
    UdpTransport transport =
        UdpTransport.open(new Address("127.0.0.1:" + own.getPort()), new Address("127.0.0.1:" + port), config);
    listeners.put(own, listener);
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_READ, own);
    selector.wakeup();
    return transport;
  }

  /// From now on nothing comes to a node or from it.
  ///
  /// @param address what its transport advertises
  public void silence(Address address) {
    silenced = own(address);
  }

  /// From now on nothing comes to a node.
  ///
  /// @param address what its transport advertises
  public void deafen(Address address) {
    deaf = own(address);
  }

  private SocketAddress own(Address address) {
    String text = address.text();
    int port = Integer.parseInt(text.substring(text.lastIndexOf(':') + 1));
    return listeners.entrySet().stream()
        .filter(entry -> entry.getValue().socket().getLocalPort() == port)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  /// From now on longer datagrams get lost, and nobody says so.
  ///
  /// @param bytes the longest that gets through
  public void narrow(int bytes) {
    bytesMax = bytes;
  }

  /// How many were lost by chance.
  ///
  /// @return since the beginning
  public long lost() {
    return lost.get();
  }

  private void carry() {
    ByteBuffer datagram = ByteBuffer.allocateDirect(1 << 16);
    try {
      while (selector.isOpen()) {
        selector.select(key -> {
          try {
            pass((DatagramChannel) key.channel(), (SocketAddress) key.attachment(), datagram);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
      }
    } catch (IOException | UncheckedIOException | ClosedSelectorException _) {
      // The network is closed.
    }
  }

  private void pass(DatagramChannel listener, SocketAddress to, ByteBuffer datagram) throws IOException {
    for (SocketAddress from = listener.receive(datagram.clear());
        from != null;
        from = listener.receive(datagram.clear())) {
      DatagramChannel source = listeners.get(from);
      boolean cut = to.equals(deaf) || to.equals(silenced) || from.equals(silenced);
      if (source == null || cut || datagram.position() > bytesMax) {
        continue;
      }
      if (random.nextDouble() < loss) {
        lost.incrementAndGet();
      } else {
        source.send(datagram.flip(), to);
      }
    }
  }

  @Override
  public void close() throws IOException {
    selector.close();
    for (DatagramChannel listener : listeners.values()) {
      listener.close();
    }
  }
}
