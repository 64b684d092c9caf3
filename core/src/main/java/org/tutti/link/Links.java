package org.tutti.link;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Refused;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// All channels of a node: finds the [Link] for a packet, drops what is not for this node, and says who was heard.
///
/// A peer is known by its incarnation; its name and address come with its first packets. Links open by themselves and
/// are closed by the node when no group needs the peer, or sooner, when too many are open that nobody needs. Work is
/// done for open links only.
public final class Links {
  private static final int SHUT_KEPT_MAX = 1024; // links without streams: somebody called, or was needed once
  // Open links that nobody needs. When a large group is founded its members are strangers to each other first: if the
  // coordinator's link were closed for those of others, the group would not come together.
  private static final int STRANGERS_MAX = 1024;

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
    /// @param beat  how many of its heartbeats it had lived when it said that; repeated packets may come late
    /// @param first whether it was not known before
    void heard(MemberId peer, long beat, boolean first);

    /// How long this node has lived.
    ///
    /// @return the number of its heartbeats, from 1, which each packet says
    long beat();

    /// A node of another cluster has dropped what this node said to it.
    ///
    /// @param by      who it says to be
    /// @param cluster how it says that its cluster is called
    default void refused(MemberId by, String cluster) {}

    /// A node understands no version of the protocol that this one does: it said so, or its packets show it. At most
    /// once per second for each address, ten times per second in total.
    ///
    /// @param refused who, and the versions of both in words
    default void refused(Refused refused) {}

    /// What nodes of other clusters are told that this one is called; always the same.
    ///
    /// @return the name; empty to tell them nothing
    default String cluster() {
      return "";
    }

    /// Whom the node needs. All others are strangers: they are heard, but little is kept for them.
    ///
    /// @return the node's own set, always the same, which it changes
    Set<MemberId> needed();
  }

  private final Packet.Speaker speaker;
  private final MemberId self;
  private final FrameSender sender;
  private final Counters counters;
  private final Receiver receiver;
  private final Map<Long, Link> open = new LinkedHashMap<>(); // by incarnation, in the order of opening
  private final Map<Long, Link> shut = new LinkedHashMap<>(); // by incarnation, in the order of shutting
  private final DueLinks due = new DueLinks();
  private final InStream.Kept kept = new InStream.Kept();
  private final Map<Address, Integer> spoken = new LinkedHashMap<>(); // versions that nodes there have asked for
  private final Refusals refusals;
  private long streamNext = 1;
  private long openNext;

  /// Names become eight bytes on the wire (FNV-1a).
  ///
  /// @param name of a cluster or a group
  /// @return its hash
  public static long hash(String name) {
    long hash = 0xcbf29ce484222325L;
    for (byte next : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ next & 0xff) * 0x100000001b3L;
    }
    return hash;
  }

  /// Makes the links of a node, none open.
  ///
  /// @param self     this node
  /// @param cluster  [#hash] of the cluster's name; packets of others are dropped
  /// @param sender   where frames go
  /// @param counters where drops are counted
  /// @param receiver what is told of arrivals
  /// @throws IllegalArgumentException when a frame cannot hold this node's name and address and something else
  public Links(MemberId self, long cluster, FrameSender sender, Counters counters, Receiver receiver) {
    this(self, cluster, Versions.OWN, sender, counters, receiver);
  }

  /// Makes the links of a node that speaks other versions than this build.
  ///
  /// @param self     this node
  /// @param cluster  [#hash] of the cluster's name; packets of others are dropped
  /// @param versions what it understands
  /// @param sender   where frames go
  /// @param counters where drops are counted
  /// @param receiver what is told of arrivals
  /// @throws IllegalArgumentException when a frame cannot hold this node's name and address and something else
  public Links(
      MemberId self, long cluster, Versions versions, FrameSender sender, Counters counters, Receiver receiver) {
    this(new Packet.Speaker(self, cluster, versions), sender, counters, receiver);
  }

  Links(Packet.Speaker speaker, FrameSender sender, Counters counters, Receiver receiver) {
    MemberId self = speaker.self();
    int version = speaker.versions().oldest();
    int least = Packet.begin(version, Packet.DATA, speaker, 0, true, false).length() + Packet.DATA_BYTES_MAX;
    if (sender.traits().frameBytesMax() <= least + Chunk.HEADER_MAX) {
      throw new IllegalArgumentException(
          "name and address are too long for frames of " + sender.traits().frameBytesMax() + " bytes: " + self.name());
    }
    this.speaker = speaker;
    this.self = self;
    this.sender = sender;
    this.counters = counters;
    this.receiver = receiver;
    this.refusals = new Refusals(speaker, receiver.cluster(), sender, receiver::beat);
  }

  /// Handles a frame; drops it with a counted reason when it is malformed or not for this node.
  ///
  /// @param now   the time
  /// @param frame lent
  public void arrived(long now, ByteBuffer frame) {
    try {
      Packet packet = Packet.read(frame, sender.traits().checksum(), speaker.versions());
      if (packet.cluster() != speaker.cluster()) {
        counters.count(Count.PACKET_OF_OTHER_CLUSTER);
        refusals.answerCluster(now, packet);
        return;
      }
      if (packet.kind() == Packet.REFUSAL) {
        refused(packet);
        return;
      }
      if (!speaker.versions().has(packet.version())) {
        ofOtherVersion(now, packet);
        return;
      }
      Link known = find(packet.source());
      MemberId before = known == null ? null : known.peer();
      Link link = accept(packet, known);
      if (link != null) {
        boolean first = !link.peer().equals(before);
        if (first) {
          due.touch(link); // another address may have room
        }
        receiver.heard(link.peer(), packet.beat(), first);
        if (packet.kind() == Packet.DATAGRAM) {
          receiver.datagram(link.peer(), packet.body());
        } else {
          handle(now, link, packet);
        }
      }
    } catch (Malformed malformed) {
      counters.damaged(malformed.reason());
    }
  }

  /// Says which versions are understood here. The other one goes on in one that both have, or is told why not.
  private void ofOtherVersion(long now, Packet packet) {
    counters.count(Count.PACKET_OF_OTHER_VERSION);
    MemberId from = packet.identity();
    Versions its = packet.versions();
    boolean forUs = packet.destination() == 0 || packet.destination() == self.incarnation();
    if (forUs && from != null && its != null && refusals.answerVersion(now, packet)) {
      tellIfForeign(from, its);
    }
  }

  /// Tells people when there is no version that both have.
  private boolean tellIfForeign(MemberId by, Versions its) {
    boolean foreign = speaker.versions().common(its) == 0;
    if (foreign) {
      String words = "it speaks " + its + " of the protocol, this node " + speaker.versions();
      receiver.refused(new Refused(by.address(), Refused.Reason.OTHER_VERSION, words));
    }
    return foreign;
  }

  private void refused(Packet packet) throws Malformed {
    MemberId by = packet.identity();
    Versions its = packet.versions();
    if (packet.destination() != self.incarnation() || by == null || its == null) {
      counters.count(Count.PACKET_FOR_OTHER_LIFE);
      return;
    }
    String cluster = new WireReader(packet.body()).text(Names.BYTES_MAX);
    if (!cluster.isEmpty()) {
      if (Names.fault(cluster) != null) {
        throw new Malformed("refusal");
      }
      receiver.refused(by, cluster);
    } else if (tellIfForeign(by, its)) {
      counters.count(Count.REFUSED_FOR_VERSION);
    } else {
      speak(by, its);
    }
  }

  /// A node does not understand the version in which it was spoken to, but another one that this node has.
  private void speak(MemberId to, Versions its) {
    Link link = find(to.incarnation());
    if (link != null) {
      link.speak(its);
    }
    spoken.remove(to.address());
    spoken.put(to.address(), speaker.versions().common(its));
    if (spoken.size() > SHUT_KEPT_MAX) {
      spoken.remove(spoken.keySet().iterator().next());
    }
  }

  private void handle(long now, Link link, Packet packet) throws Malformed {
    try {
      link.arrived(now, packet.kind(), packet.body());
    } finally {
      settle(link);
      shutStrangers();
    }
  }

  private @Nullable Link accept(Packet packet, @Nullable Link known) {
    if (packet.source() == self.incarnation()) {
      counters.count(Count.PACKET_OF_OWN);
      return null;
    }
    if (packet.destination() != self.incarnation() && (packet.destination() != 0 || packet.kind() != Packet.DATAGRAM)) {
      counters.count(Count.PACKET_FOR_OTHER_LIFE);
      return null;
    }
    MemberId identity = packet.identity();
    if (known == null && identity == null) {
      counters.count(Count.PACKET_OF_UNKNOWN);
      return null;
    }
    Link link = known == null ? remember(identity) : known;
    Versions versions = packet.versions();
    if (identity != null && versions != null && !link.introduced(identity, versions)) {
      counters.count(Count.PACKET_OF_CHANGED);
      return null;
    }
    if (packet.destination() != 0) {
      link.known();
    }
    return link;
  }

  // ---- which links there are -------------------------------------------------------------------------------------

  private @Nullable Link find(long incarnation) {
    Link link = open.get(incarnation);
    return link == null ? shut.get(incarnation) : link;
  }

  private Link of(MemberId peer) {
    Link link = find(peer.incarnation());
    return link == null ? remember(peer) : link;
  }

  private Link remember(MemberId peer) {
    var path = new Path(speaker, peer, sender, receiver::beat, counters);
    var link = new Link(path, kept, () -> streamNext++, receiver);
    keepShut(link);
    return link;
  }

  private void keepShut(Link link) {
    due.forget(link);
    shut.put(link.peer().incarnation(), link);
    if (shut.size() > SHUT_KEPT_MAX) {
      shut.remove(shut.keySet().iterator().next());
    }
  }

  /// Puts a link among those where it belongs by now.
  private void settle(Link link) {
    Long key = link.peer().incarnation();
    if (!link.isOpen()) {
      if (open.remove(key) != null) {
        keepShut(link);
      }
      return;
    }
    if (open.putIfAbsent(key, link) == null) {
      link.opened(openNext++);
      shut.remove(key);
    }
    due.touch(link);
  }

  /// Closes the oldest links that nobody needs when there are too many; who is meant seriously opens another stream.
  private void shutStrangers() {
    Set<MemberId> needed = receiver.needed();
    Iterator<Link> oldest = open.values().iterator();
    while (open.size() > needed.size() + STRANGERS_MAX && oldest.hasNext()) {
      Link link = oldest.next();
      if (!needed.contains(link.peer())) {
        counters.count(Count.STRANGERS_CLOSED);
        oldest.remove();
        link.close();
        keepShut(link);
      }
    }
  }

  // ---- what the node wants ---------------------------------------------------------------------------------------

  /// Queues a message on the channel to a peer.
  ///
  /// @param to      the peer
  /// @param message the bytes
  public void send(MemberId to, Encoded message) {
    Link link = of(to);
    link.send(message);
    settle(link);
  }

  /// A peer says nothing more: it goes when all that it has said is acknowledged. So that is no longer delayed.
  ///
  /// @param now  the time
  /// @param peer the peer; nothing happens when there is no link to it
  public void hurry(long now, MemberId peer) {
    Link link = open.get(peer.incarnation());
    if (link != null && link.peer().equals(peer)) {
      link.in().hurry(now);
      due.touch(link);
    }
  }

  /// Sends a message beside the channel, at once and without any promise.
  ///
  /// @param now     the time
  /// @param to      the peer
  /// @param message the bytes; must fit into one frame
  public void datagram(long now, MemberId to, Encoded message) {
    Link link = of(to);
    link.datagram(now, message);
    due.touch(link); // there may be no more room
  }

  /// Sends a message to whatever life is at an address.
  ///
  /// @param to      the address
  /// @param message the bytes; must fit into one frame
  /// @return false when the transport has no way there yet, or no room: it tells when it has
  public boolean datagram(Address to, Encoded message) {
    boolean sum = sender.traits().checksum();
    int version = spoken.getOrDefault(to, speaker.versions().oldest());
    var packet = Packet.begin(version, Packet.DATAGRAM, speaker, 0, true, sum);
    packet.raw(message.joined());
    return Packet.write(packet, to, sender, receiver.beat());
  }

  /// The transport has room for an address again.
  ///
  /// @param address the address
  public void ready(Address address) {
    ready(open, address);
    ready(shut, address); // a refused datagram, for example
  }

  /// The transport has another connection to an address: what was on the way there is sent again.
  ///
  /// @param now     the time, in nanoseconds
  /// @param address the address
  public void reconnected(long now, Address address) {
    for (Link link : open.values()) {
      if (link.peer().address().equals(address)) {
        link.reconnected(now);
        due.touch(link);
      }
    }
  }

  private void ready(Map<Long, Link> links, Address address) {
    for (Link link : links.values()) {
      if (link.peer().address().equals(address)) {
        link.ready();
        due.touch(link);
      }
    }
  }

  /// Closes the channel to a peer and drops what is on the way.
  ///
  /// @param peer the peer
  public void close(MemberId peer) {
    Link link = open.get(peer.incarnation());
    if (link != null) {
      link.close();
      settle(link);
    }
  }

  /// Whether something is queued for a peer, or not acknowledged by it.
  ///
  /// @param peer the peer
  /// @return whether its channel is busy
  public boolean isBusy(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link != null && link.isBusy();
  }

  /// Who has an open channel.
  ///
  /// @return the peers, in the order in which the channels were opened
  public List<MemberId> open() {
    List<MemberId> peers = new ArrayList<>(open.size());
    for (Link link : open.values()) {
      peers.add(link.peer());
    }
    return peers;
  }

  /// When a packet was last sent to a peer that shows it that this node lives, whatever the path is: long ones may get
  /// lost while short ones pass.
  ///
  /// @param peer the peer
  /// @return the time, or [Long#MIN_VALUE] for never
  public long lastSignNanos(MemberId peer) {
    Link link = find(peer.incarnation());
    return link == null ? Long.MIN_VALUE : link.lastSignNanos();
  }

  /// When a peer's stream last went on.
  ///
  /// @param peer the peer
  /// @return the time, or [Long#MIN_VALUE] for never
  public long lastTakenNanos(MemberId peer) {
    Link link = find(peer.incarnation());
    return link == null ? Long.MIN_VALUE : link.lastTakenNanos();
  }

  /// How long packets to a peer wait for the line: as the transport says, or how much longer they take than the fastest
  /// ones did lately.
  ///
  /// @param now  the time
  /// @param peer the peer
  /// @return nanoseconds, 0 when few are on the way or nothing is known
  public long queueingNanos(long now, MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link == null ? 0 : link.out().queueingNanos(now);
  }

  /// How much of messages a peer has acknowledged since its link was made.
  ///
  /// @param peer the peer
  /// @return bytes
  public long acknowledgedBytes(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link == null ? 0 : link.out().acknowledgedBytes();
  }

  /// How much of messages is queued for a peer or not acknowledged by it.
  ///
  /// @param peer the peer
  /// @return bytes
  public long queuedBytes(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link == null ? 0 : link.out().outstandingBytes();
  }

  /// Whether packets with the same content for several peers leave this host once, and reach a peer so.
  ///
  /// @param peer the peer
  /// @return whether they do
  public boolean isMulticast(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link != null && link.isMulticast();
  }

  /// How much of a sender's bulk is queued for a peer and in no packet yet.
  ///
  /// @param peer   the peer
  /// @param sender the sender
  /// @return bytes
  public long waitingBytes(MemberId peer, MemberId sender) {
    Link link = open.get(peer.incarnation());
    return link == null ? 0 : link.out().waitingBytes(sender);
  }

  /// How many packets were sent to a peer again since its link was made.
  ///
  /// @param peer the peer
  /// @return packets
  public long repeated(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link == null ? 0 : link.out().repeated();
  }

  /// Which versions of the protocol a peer has said to speak.
  ///
  /// @param peer the peer
  /// @return the versions, or null as long as it has not said so
  public @Nullable Versions versions(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link == null ? null : link.versions();
  }

  /// How long a packet to a peer and its acknowledgement take, on the average of the last ones.
  ///
  /// @param peer the peer
  /// @return nanoseconds; below 0 when nothing was measured
  public long roundTripNanos(MemberId peer) {
    Link link = open.get(peer.incarnation());
    return link == null ? -1 : link.out().roundTripNanos();
  }

  /// Writes packets: what is queued, what is due again, acknowledgements.
  ///
  /// @param now the time
  public void flush(long now) {
    due.flush(now);
  }

  /// When [#flush] is wanted next.
  ///
  /// @return the time, or [Long#MAX_VALUE]
  public long deadline() {
    return due.deadline();
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(shut.size() <= SHUT_KEPT_MAX, "only so many closed links are kept");
    due.check();
    List<InStream> streams = new ArrayList<>(open.size());
    open.forEach((incarnation, link) -> {
      Invariant.check(link.isOpen() && !shut.containsKey(incarnation), "an open link has a stream, and is not shut");
      Invariant.check(link.peer().incarnation() == incarnation, "a link is found by its peer's incarnation");
      link.check();
      streams.add(link.in());
    });
    kept.check(streams); // a closed stream keeps nothing
    for (Link link : shut.values()) {
      Invariant.check(
          !link.isOpen() && link.place == Link.NOWHERE, "a link that is shut has no stream, and waits for nothing");
    }
  }

  /// Tells nodes of other clusters that they are in the wrong place, and how this one is called; and nodes that speak
  /// in a version that is not understood here, which ones are.
  ///
  /// ```
  ///   n9 of "test"                     n1 of "prod"
  ///     | ~~ hello, cluster #test ~~~> |   dropped
  ///     | <~~ REFUSAL "prod" ~~~~~~~~~ |   at most one a second to each, and ten to all
  ///
  ///   n9, versions 5 to 7              n1, versions 6 to 8
  ///     | ~~ hello in 5, "5 to 7" ~~~> |   dropped
  ///     | <~~ REFUSAL "", "6 to 8" ~~~ |
  ///     | ~~ hello in 7 ~~~~~~~~~~~~~> |   understood
  /// ```
  ///
  /// It goes where the refused node says to be, by the transport: which over UDP sends nothing but a greeting to an
  /// address that has not answered one. Nobody answers to a refusal.
  private static final class Refusals {
    private static final long PAUSE_NANOS = 1_000_000_000L;
    private static final int ANSWERS_MAX = 10; // in that time

    private final Packet.Speaker speaker;
    private final String cluster;
    private final FrameSender sender;
    private final LongSupplier beat;
    private final Map<Address, Long> answered = new LinkedHashMap<>(); // when, the oldest first

    Refusals(Packet.Speaker speaker, String cluster, FrameSender sender, LongSupplier beat) {
      this.speaker = speaker;
      this.cluster = cluster;
      this.sender = sender;
      this.beat = beat;
    }

    /// Answers a packet of another cluster, unless that was done lately.
    void answerCluster(long now, Packet refused) {
      if (!cluster.isEmpty() && refused.kind() == Packet.DATAGRAM) {
        answer(now, refused, cluster);
      }
    }

    /// Answers a packet of another version, unless that was done lately.
    ///
    /// @return whether it was not
    boolean answerVersion(long now, Packet refused) {
      return answer(now, refused, "");
    }

    private boolean answer(long now, Packet refused, String words) {
      MemberId to = refused.identity();
      if (to == null) {
        return false;
      }
      answered.values().removeIf(at -> now - at >= PAUSE_NANOS);
      if (answered.size() >= ANSWERS_MAX || answered.putIfAbsent(to.address(), now) != null) {
        return false;
      }
      boolean sum = sender.traits().checksum();
      int version = speaker.versions().oldest();
      WireWriter packet =
          Packet.begin(version, Packet.REFUSAL, speaker.in(refused.cluster()), to.incarnation(), true, sum);
      packet.text(words);
      if (packet.length() <= sender.traits().frameBytesMax()) {
        Packet.write(packet, to.address(), sender, beat.getAsLong());
      }
      return true;
    }
  }
}
