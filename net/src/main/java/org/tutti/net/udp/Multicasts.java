package org.tutti.net.udp;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.net.Nio;
import org.tutti.net.udp.multicast.MulticastPeer;
import org.tutti.transport.Endpoint;
import org.tutti.transport.TransportException;

/// The multicast side of a [UdpTransport]: joins the group, asks who hears it, finds frames that may leave together.
final class Multicasts {
  /// Shorter frames wait for company in a datagram to one peer.
  static final int FRAME_BYTES_MIN = 64;

  private static final long ASK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final System.Logger LOG = System.getLogger(UdpTransport.class.getName());

  final DatagramChannel channel;
  final int receiveBufferBytes;
  private final String name;
  private final InetSocketAddress group;
  private final Map<Object, List<MulticastDatagram>> waiting = new HashMap<>();
  private long askAt;

  private Multicasts(UdpMulticast where, InetSocketAddress group, DatagramChannel channel) throws IOException {
    this.name = where.group() + " on " + where.device();
    this.group = group;
    this.channel = channel;
    this.receiveBufferBytes = channel.getOption(StandardSocketOptions.SO_RCVBUF);
  }

  /// Joins the group, or logs why it cannot be.
  ///
  /// @param sender gets the interface as that of its multicasts
  static @Nullable Multicasts open(UdpMulticast where, UdpConfig config, DatagramChannel sender) {
    DatagramChannel channel = null;
    try {
      NetworkInterface device = NetworkInterface.getByName(where.device());
      if (device == null) {
        throw new TransportException("cannot multicast on " + where.device() + ": there is no such interface");
      }
      channel = DatagramChannel.open(UdpTransport.family(where.endpoint().inet()));
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
      InetSocketAddress group = scoped(where.endpoint(), device);
      channel.bind(group);
      channel.join(where.endpoint().inet(), device);
      sender.setOption(StandardSocketOptions.IP_MULTICAST_IF, device);
      return new Multicasts(where, group, channel);
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
      Nio.close(channel);
      LOG.log(
          System.Logger.Level.WARNING,
          "no multicast to {0} on {1}: {2}; unicast is used for every peer",
          where.group(),
          where.device(),
          e.getMessage());
      return null;
    }
  }

  /// A group of IPv6 that ends at a link, `ff02::`, means nothing without the interface.
  private static InetSocketAddress scoped(Endpoint group, NetworkInterface device) throws IOException {
    InetAddress inet = group.inet();
    boolean six = inet instanceof Inet6Address;
    return new InetSocketAddress(
        six ? Inet6Address.getByAddress(null, inet.getAddress(), device.getIndex()) : inet, group.port());
  }

  InetSocketAddress group() {
    return group;
  }

  @Override
  public String toString() {
    return name;
  }

  // ---- who hears it ----------------------------------------------------------------------------------------------

  /// Somebody new is there.
  void askSoon(long now) {
    askAt = Math.min(askAt, now);
  }

  /// When to ask next, in nanoseconds from now.
  long pauseNanos(long now) {
    return askAt - now;
  }

  /// The peers that there are.
  ///
  /// @param asked     how many; when there are any, a question is to go to the group
  /// @param receiving how many of these have said lately that they receive multicasts
  /// @param heard     multicasts of how many have come
  record Company(int asked, int receiving, int heard) {}

  /// Looks whom to ask, when it is time: more often while somebody new has not answered.
  Company ask(long now, Iterable<UdpPeer> peers) {
    boolean fresh = false;
    int asked = 0;
    int receiving = 0;
    int heard = 0;
    for (UdpPeer peer : peers) {
      if (peer.isOpen()) {
        MulticastPeer.Hearing hearing = peer.hearing(this);
        fresh |= hearing == MulticastPeer.Hearing.UNKNOWN;
        asked++;
        receiving += hearing == MulticastPeer.Hearing.YES ? 1 : 0;
        heard += peer.isHeard() ? 1 : 0;
      }
    }
    askAt = now + (fresh ? ASK_AGAIN_NANOS : ASK_EVERY_NANOS);
    return new Company(asked, receiving, heard);
  }

  void tell(UdpPeer peer, boolean hears) {
    LOG.log(
        hears ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
        hears ? "{0} hears multicasts to {1}" : "{0} does not hear multicasts to {1}: unicast is used for it",
        peer.at,
        this);
  }

  // ---- what leaves together --------------------------------------------------------------------------------------

  /// What a frame ends with; the same object for all peers.
  private record Content(Object of, int from) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Content content && content.of == of && content.from == from;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(of) + from;
    }
  }

  /// A frame waits for a peer: if one that ends like it waits for another peer, they go together.
  ///
  /// @param content what it ends with; null when only the bytes tell
  /// @param from    which bytes of the content
  void add(OutgoingDatagram outgoing, @Nullable Object content, int from) {
    Object key = content == null ? MulticastDatagram.key(outgoing) : new Content(content, from);
    List<MulticastDatagram> alike = waiting.computeIfAbsent(key, _ -> new ArrayList<>(1));
    for (MulticastDatagram multicast : alike) {
      if (multicast.join(outgoing)) {
        return;
      }
    }
    alike.add(new MulticastDatagram(key, outgoing));
  }

  /// An outgoing datagram has left, or never will.
  void remove(MulticastDatagram multicast, OutgoingDatagram outgoing) {
    multicast.outgoings.remove(outgoing);
    outgoing.multicast = null;
    if (multicast.outgoings.isEmpty()) {
      List<MulticastDatagram> alike = waiting.get(multicast.key);
      if (alike != null && alike.remove(multicast) && alike.isEmpty()) {
        waiting.remove(multicast.key);
      }
    }
  }
}
