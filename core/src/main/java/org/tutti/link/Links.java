package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.effect.Counters;
import org.tutti.transport.Address;
import org.tutti.transport.Outlet;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;

/// All channels of a node: finds the [Link] for a packet, drops what is not for this node, and says who was heard.
///
/// A peer is known by its incarnation; its name and address come with its first packets. Links open by themselves and
/// are closed by the node when no group needs the peer.
public final class Links {
  private static final int CLOSED_KEPT_MAX = 1024;

  /// What the links tell their node. Called within [#arrived].
  public interface Receiver {
    /// The next message of the channel from a peer.
    ///
    /// @param from    the peer
    /// @param message lent
    void message(MemberId from, ByteBuffer message);

    /// A message beside the channel; it may be a repetition, or old.
    ///
    /// @param from    the peer
    /// @param message lent; empty for a sign of life
    void datagram(MemberId from, ByteBuffer message);

    /// Something came from a peer.
    ///
    /// @param peer  the peer
    /// @param first whether it was not known before
    void heard(MemberId peer, boolean first);
  }

  private final MemberId self;
  private final long cluster;
  private final Outlet outlet;
  private final Counters counters;
  private final Receiver receiver;
  private final Map<Long, Link> links = new LinkedHashMap<>();
  private long streamNext = 1;

  /// Makes the links of a node, none open.
  ///
  /// @param self     this node
  /// @param cluster  hash of the cluster's name; packets of others are dropped
  /// @param outlet   where frames go
  /// @param counters where drops are counted
  /// @param receiver what is told of arrivals
  public Links(MemberId self, long cluster, Outlet outlet, Counters counters, Receiver receiver) {
    this.self = self;
    this.cluster = cluster;
    this.outlet = outlet;
    this.counters = counters;
    this.receiver = receiver;
  }

  /// Handles a frame; drops it with a counted reason when it is malformed or not for this node.
  ///
  /// @param now   the time
  /// @param frame lent
  public void arrived(long now, ByteBuffer frame) {
    try {
      Packet packet = Packet.read(frame, outlet.traits().checksum());
      boolean first = !links.containsKey(packet.source());
      Link link = accept(packet);
      if (link != null) {
        receiver.heard(link.peer(), first);
        if (packet.kind() == Packet.DATAGRAM) {
          receiver.datagram(link.peer(), packet.body());
        } else {
          link.arrived(now, packet.kind(), packet.body());
        }
      }
    } catch (Malformed malformed) {
      counters.count("drop.malformed " + malformed.reason());
    }
  }

  private @Nullable Link accept(Packet packet) {
    if (packet.cluster() != cluster) {
      counters.count("drop.other cluster");
      return null;
    }
    if (packet.source() == self.incarnation()) {
      counters.count("drop.own packet");
      return null;
    }
    if (packet.destination() != self.incarnation() && (packet.destination() != 0 || packet.kind() != Packet.DATAGRAM)) {
      counters.count("drop.other incarnation");
      return null;
    }
    MemberId identity = packet.identity();
    Link link = links.get(packet.source());
    if (link == null) {
      if (identity == null) {
        counters.count("drop.unknown sender");
        return null;
      }
      link = open(identity);
    } else if (identity != null && !identity.equals(link.peer())) {
      counters.count("drop.identity changed");
      return null;
    }
    if (packet.destination() != 0) {
      link.known();
    }
    return link;
  }

  private Link open(MemberId peer) {
    Link link = links.get(peer.incarnation());
    if (link == null) {
      forgetOldest();
      var path = new Path(self, peer, cluster, outlet, counters);
      link = new Link(path, () -> streamNext++, message -> receiver.message(peer, message));
      links.put(peer.incarnation(), link);
    }
    return link;
  }

  private void forgetOldest() {
    if (links.size() < CLOSED_KEPT_MAX) {
      return;
    }
    Iterator<Link> oldest = links.values().iterator();
    while (oldest.hasNext()) {
      Link link = oldest.next();
      if (!link.isOpen()) {
        oldest.remove();
        return;
      }
    }
  }

  /// Queues a message on the channel to a peer.
  ///
  /// @param to      the peer
  /// @param message the bytes
  public void send(MemberId to, Encoded message) {
    open(to).send(message);
  }

  /// Sends a message beside the channel, at once and without any promise.
  ///
  /// @param now     the time
  /// @param to      the peer
  /// @param message the bytes; must fit into one frame
  public void datagram(long now, MemberId to, Encoded message) {
    open(to).datagram(now, message);
  }

  /// Sends a message to whatever life is at an address.
  ///
  /// @param to      the address
  /// @param message the bytes; must fit into one frame
  public void datagram(Address to, Encoded message) {
    boolean sum = outlet.traits().checksum();
    var packet = Packet.begin(Packet.DATAGRAM, cluster, self, 0, true, sum);
    packet.raw(message.joined());
    ByteBuffer frame = outlet.claim(to, packet.length());
    if (frame != null) {
      int start = frame.position();
      packet.copyTo(frame);
      if (sum) {
        Packet.seal(frame, start, frame.position());
      }
      outlet.commit();
    }
  }

  /// The transport has room for an address again.
  ///
  /// @param address the address
  public void ready(Address address) {
    for (Link link : links.values()) {
      if (link.peer().address().equals(address)) {
        link.ready();
      }
    }
  }

  /// Closes the channel to a peer and drops what is on the way.
  ///
  /// @param peer the peer
  public void close(MemberId peer) {
    Link link = links.get(peer.incarnation());
    if (link != null) {
      link.close();
    }
  }

  /// Whether something is queued for a peer, or not acknowledged by it.
  ///
  /// @param peer the peer
  /// @return whether its channel is busy
  public boolean isBusy(MemberId peer) {
    Link link = links.get(peer.incarnation());
    return link != null && link.isBusy();
  }

  /// Who has an open channel.
  ///
  /// @return the peers, in the order in which they were first heard of
  public List<MemberId> open() {
    List<MemberId> open = new ArrayList<>();
    for (Link link : links.values()) {
      if (link.isOpen()) {
        open.add(link.peer());
      }
    }
    return open;
  }

  /// When something was last sent to a peer.
  ///
  /// @param peer the peer
  /// @return the time, or [Long#MIN_VALUE] for never
  public long lastSentNanos(MemberId peer) {
    Link link = links.get(peer.incarnation());
    return link == null ? Long.MIN_VALUE : link.lastSentNanos();
  }

  /// Writes packets: what is queued, what is due again, acknowledgements.
  ///
  /// @param now the time
  public void flush(long now) {
    for (Link link : links.values()) {
      if (link.isOpen()) {
        link.flush(now);
      }
    }
  }

  /// When [#flush] is wanted next.
  ///
  /// @return the time, or [Long#MAX_VALUE]
  public long deadline() {
    long deadline = Long.MAX_VALUE;
    for (Link link : links.values()) {
      if (link.isOpen()) {
        deadline = Math.min(deadline, link.deadline());
      }
    }
    return deadline;
  }
}
