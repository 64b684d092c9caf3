package org.tutti.net.udp;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// The peers of a [UdpLoop], by what they are called and by where they speak from; engine thread only.
final class UdpPeers {
  private static final long FORGET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long SPEAKER_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long COMMON_FRAME_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final UdpLoop loop;
  private final boolean onlyIpv4;
  private final Map<SocketAddress, UdpPeer> bySocket = new HashMap<>();
  private final Map<Address, UdpPeer> byAddress = new HashMap<>();
  private long numbersUsed; // no peer that was forgotten has a higher one
  private int speakers = 1;
  private long tidyAt;
  private int commonFrameBytes;
  private long commonFrameUntil;

  /// @param onlyIpv4 the socket reaches no other addresses
  UdpPeers(UdpLoop loop, boolean onlyIpv4) {
    this.loop = loop;
    this.onlyIpv4 = onlyIpv4;
    this.tidyAt = loop.nowNanos + FORGET_NANOS;
    this.commonFrameUntil = loop.nowNanos;
  }

  /// How many speak, or spoke lately.
  int speakers() {
    return speakers;
  }

  /// Somebody new speaks.
  void hear() {
    speakers++;
  }

  Collection<UdpPeer> all() {
    return bySocket.values();
  }

  /// Whether a life is that of a peer.
  boolean isPeer(long life) {
    return bySocket.values().stream().anyMatch(peer -> peer.isLife(life));
  }

  /// The peer with a life of which half is known.
  @Nullable UdpPeer ofHalf(int life) {
    for (UdpPeer peer : bySocket.values()) {
      if (peer.isHalf(life)) {
        return peer;
      }
    }
    return null;
  }

  /// The peer at an address, or null when the address is none that the socket reaches.
  @Nullable UdpPeer of(Address address) {
    UdpPeer known = byAddress.get(address);
    if (known != null) {
      return known;
    }
    Endpoint endpoint = Endpoint.ofLiteral(address);
    if (endpoint == null || endpoint.port() == 0 || onlyIpv4 && !(endpoint.inet() instanceof Inet4Address)) {
      loop.counters.add(UdpCount.ADDRESS_UNUSABLE);
      return null;
    }
    UdpPeer peer = at(endpoint.socket());
    if (peer.address != null) {
      byAddress.remove(peer.address); // it is written in two ways
    }
    peer.address = address;
    byAddress.put(address, peer);
    return peer;
  }

  /// The peer that speaks from a socket, if it is known.
  @Nullable UdpPeer known(InetSocketAddress socket) {
    return bySocket.get(socket);
  }

  /// The peer that speaks from a socket.
  UdpPeer at(InetSocketAddress socket) {
    UdpPeer peer = bySocket.get(socket);
    if (peer == null) {
      if (bySocket.size() >= loop.config.peersMax()) {
        makeRoom();
      }
      peer = new UdpPeer(loop, socket, numbersUsed);
      bySocket.put(socket, peer);
    }
    return peer;
  }

  private void makeRoom() {
    UdpPeer oldest = null;
    for (UdpPeer peer : bySocket.values()) {
      if (oldest == null || peer.usedNanos - oldest.usedNanos < 0) {
        oldest = peer;
      }
    }
    if (oldest != null) {
      loop.counters.add(UdpCount.DROP_TOO_MANY_PEERS);
      oldest.farewell();
      bySocket.remove(oldest.at);
      forget(oldest);
    }
  }

  private void forget(UdpPeer peer) {
    peer.abandon();
    numbersUsed = Math.max(numbersUsed, peer.numbersUsed());
    if (peer.address != null) {
      byAddress.remove(peer.address, peer);
    }
  }

  /// When [#tidy] has something to do, in nanoseconds from now.
  long pauseNanos() {
    return tidyAt - loop.nowNanos;
  }

  /// When it is time, forgets those that nobody wants and counts those who speak.
  void tidy() {
    if (pauseNanos() > 0) {
      return;
    }
    int active = 0;
    Iterator<UdpPeer> all = bySocket.values().iterator();
    while (all.hasNext()) {
      UdpPeer peer = all.next();
      long unused = loop.nowNanos - peer.usedNanos;
      if (peer.isOpen() && unused < SPEAKER_NANOS) {
        active++;
      }
      if (unused > FORGET_NANOS && !(peer.isOpen() && peer.isBusy())) {
        all.remove();
        forget(peer);
      }
    }
    speakers = active;
    tidyAt = loop.nowNanos + SPEAKER_NANOS;
  }

  /// How long a frame for all that receive multicasts had better be: as the worst of their paths has it, as of less
  /// than a tenth of a second ago.
  int commonFrameBytes() {
    if (loop.nowNanos - commonFrameUntil >= 0) {
      commonFrameUntil = loop.nowNanos + COMMON_FRAME_NANOS;
      commonFrameBytes = Integer.MAX_VALUE;
      for (UdpPeer peer : bySocket.values()) {
        if (peer.isMulticast()) {
          commonFrameBytes = Math.min(commonFrameBytes, FrameLength.common(peer.lossRate(), peer.pathBytes()));
        }
      }
    }
    return commonFrameBytes;
  }

  /// Tells the size of the narrowest path.
  void narrowest() {
    int least = 0;
    for (UdpPeer peer : bySocket.values()) {
      int known = peer.isOpen() ? peer.pathBytes() : 0;
      least = least == 0 || known > 0 && known < least ? known : least;
    }
    loop.counters.set(UdpCount.PATH_BYTES_LEAST, least);
  }
}
