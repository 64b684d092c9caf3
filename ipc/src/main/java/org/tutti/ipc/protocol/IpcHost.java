package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.MemberId;
import org.tutti.effect.Counters;
import org.tutti.link.Links;
import org.tutti.link.Rejections;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Refused;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireWriter;

/// One host as a deterministic machine: its links, which other hosts are there, and the protocol of its processes.
///
/// It greets the addresses that it was given, and every host that it hears, by a datagram without content. A host that
/// is silent for the time of silence, or has another life, is lost.
public final class IpcHost implements Links.Receiver {
  /// How many others a host hears at most.
  public static final int HOSTS_MAX = 256;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
  private static final Encoded GREETING = new Encoded(NOTHING, NOTHING);

  /// How long things may take, in nanoseconds.
  ///
  /// @param greetNanos   how often a host greets
  /// @param silenceNanos how long a host may be silent
  /// @param protocol     those of the protocol
  public record Times(long greetNanos, long silenceNanos, IpcProtocol.Times protocol) {}

  private static final int KEEPS = 5; // times of silence: how long an answer of the group-id server is good
  private static final String CLUSTERS = "ipc/"; // nodes of groups have other names, so the two never talk

  private final MemberId self;
  private final String cluster;
  private final List<Address> contacts;
  private final Times times;
  private final Links links;
  private final IpcProtocol protocol;
  private final IssuedGroups groups;
  private final Counters counters = new Counters();
  private final Rejections rejections = new Rejections();

  private final Set<MemberId> hosts = new TreeSet<>(); // the others that are heard
  private final Set<Address> ungreeted = new TreeSet<>(); // of this round, as the transport did not take the greeting
  private final Map<MemberId, Long> heardAt = new LinkedHashMap<>();
  private long now;
  private long greetAt;
  private long silenceAt; // until then nobody is silent for too long
  private long beat = 1;
  private long messages;

  /// Makes a host without processes.
  ///
  /// @param self     its name, address and life
  /// @param cluster  hosts of other clusters are not heard
  /// @param sender   takes its frames
  /// @param contacts where other hosts may be
  /// @param times    how long things may take
  public IpcHost(MemberId self, String cluster, FrameSender sender, List<Address> contacts, Times times) {
    this(self, cluster, sender, contacts, times, PairProtocol.Settings.DEFAULT);
  }

  /// Makes a host without processes.
  ///
  /// @param self     its name, address and life
  /// @param cluster  hosts of other clusters are not heard
  /// @param sender   takes its frames
  /// @param contacts where other hosts may be
  /// @param times    how long things may take
  /// @param settings of communications of two processes
  public IpcHost(
      MemberId self,
      String cluster,
      FrameSender sender,
      List<Address> contacts,
      Times times,
      PairProtocol.Settings settings) {
    this.self = self;
    this.cluster = cluster;
    this.contacts = List.copyOf(contacts);
    this.times = times;
    this.links = new Links(self, Links.hash(CLUSTERS + cluster), sender, counters, this);
    var peers = new Peers();
    this.protocol = new IpcProtocol(self, times.protocol(), settings, peers);
    var asking =
        new IssuedGroups.Times(KEEPS * times.silenceNanos(), times.greetNanos(), times.protocol().acknowledgeNanos());
    this.groups = new IssuedGroups(self, asking, peers, protocol);
  }

  /// Which host it is.
  ///
  /// @return its name, address and life
  public MemberId self() {
    return self;
  }

  /// The protocol; to be called between [#begin] and [#turn].
  ///
  /// @return of this host's processes
  public IpcProtocol protocol() {
    return protocol;
  }

  /// Groups with ids that a server gives out, and what goes by them; to be called between [#begin] and [#turn].
  ///
  /// @return of this host
  public IssuedGroups groups() {
    return groups;
  }

  /// The other hosts that are heard.
  @Override
  public Set<MemberId> needed() {
    return hosts;
  }

  /// By whom this host was refused lately.
  ///
  /// @return the same list as long as they do not change
  public List<Refused> refused() {
    return rejections.list();
  }

  /// How many messages of the protocol it has sent to other hosts; greetings and repetitions are none.
  ///
  /// @return messages
  public long messages() {
    return messages;
  }

  // ---- inputs ------------------------------------------------------------------------------------------------------

  /// Says what time it is, before all other inputs.
  ///
  /// @param time in nanoseconds
  public void begin(long time) {
    now = time;
  }

  /// A frame has come.
  ///
  /// @param frame all of it; not kept
  public void arrived(ByteBuffer frame) {
    links.arrived(now, frame);
  }

  /// A peer does not take this host in.
  ///
  /// @param refused who, and why
  @Override
  public void refused(Refused refused) {
    rejections.add(now, refused);
  }

  /// The transport has a way to an address, or room again. A contact is greeted at once then: without a connection its
  /// greeting was lost, and the next one would come a round later.
  ///
  /// @param address the address
  public void ready(Address address) {
    links.ready(address);
    if (ungreeted.remove(address)) {
      greet(address);
    }
  }

  /// The transport has another connection to an address: what was on the way may be lost.
  ///
  /// @param address the address
  public void reconnected(Address address) {
    links.reconnected(now, address);
  }

  /// Does what is due, and writes what is to be sent.
  public void turn() {
    if (now >= greetAt) {
      greetAt = now + times.greetNanos();
      beat++;
      greet();
    }
    if (now >= silenceAt) {
      loseTheSilent();
    }
    rejections.expire(now);
    groups.tick();
    protocol.tick();
    links.flush(now);
  }

  /// When [#turn] is wanted next.
  ///
  /// @return the time, in nanoseconds
  public long deadline() {
    long protocols = Math.min(protocol.deadline(), groups.deadline());
    return Math.min(Math.min(greetAt, silenceAt), Math.min(links.deadline(), protocols));
  }

  private void loseTheSilent() {
    for (MemberId host : List.copyOf(hosts)) {
      if (now - heardAt.get(host) >= times.silenceNanos()) {
        lose(host);
      }
    }
    long longest = heardAt.values().stream().mapToLong(Long::longValue).min().orElse(now);
    silenceAt = longest + times.silenceNanos();
  }

  private void greet() {
    ungreeted.clear();
    for (Address contact : contacts) {
      if (!contact.equals(self.address()) && hosts.stream().noneMatch(host -> host.address().equals(contact))) {
        greet(contact);
      }
    }
    for (MemberId host : hosts) {
      links.datagram(now, host, GREETING);
    }
  }

  private void greet(Address contact) {
    if (!links.datagram(contact, GREETING)) {
      ungreeted.add(contact);
    }
  }

  private void lose(MemberId host) {
    hosts.remove(host);
    heardAt.remove(host);
    links.close(host);
    protocol.lost(host);
    groups.lost(host);
  }

  // ---- what the links tell -----------------------------------------------------------------------------------------

  @Override
  public String cluster() {
    return CLUSTERS + cluster;
  }

  @Override
  public void refused(MemberId by, String its) {
    Address at = by.address();
    rejections.add(
        now,
        its.startsWith(CLUSTERS)
            ? Refused.otherCluster(at, its.substring(CLUSTERS.length()), cluster)
            : new Refused(at, Refused.Reason.OTHER_CLUSTER, "it is a member of groups, and no host of ipc"));
  }

  @Override
  public void heard(MemberId peer, long itsBeat, boolean first) {
    rejections.heard(peer.address());
    if (heardAt.replace(peer, now) != null) {
      return;
    }
    for (MemberId host : List.copyOf(hosts)) {
      if (host.supersedes(peer)) {
        return;
      }
      if (peer.supersedes(host)) {
        lose(host);
      }
    }
    if (hosts.size() < HOSTS_MAX) {
      heardAt.put(peer, now);
      hosts.add(peer);
      protocol.memberships().heard(peer);
      groups.newcomer();
    }
  }

  @Override
  public void message(MemberId from, ByteBuffer message) {
    if (!hosts.contains(from)) {
      return;
    }
    try {
      if (PairMessage.isOne(message)) {
        protocol.arrived(from, PairMessage.read(message));
      } else if (MembershipMessage.isOne(message)) {
        protocol.memberships().arrived(from, MembershipMessage.read(message));
      } else {
        groups.arrived(from, IpcMessage.read(message));
      }
    } catch (Malformed malformed) {
      counters.malformed(malformed.reason());
    }
  }

  @Override
  public void datagram(MemberId from, ByteBuffer message) {}

  @Override
  public long beat() {
    return beat;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    links.check();
    protocol.check();
    groups.check();
  }

  private final class Peers implements IpcProtocol.Port {
    @Override
    public long now() {
      return now;
    }

    @Override
    public Set<MemberId> hosts() {
      return hosts;
    }

    @Override
    public void send(Collection<MemberId> to, IpcMessage message) {
      if (!to.isEmpty()) {
        var out = new WireWriter();
        IpcMessage.write(out, groups.outgoing(message));
        send(to, out);
      }
    }

    @Override
    public void send(MemberId to, PairMessage message) {
      var out = new WireWriter();
      PairMessage.write(out, message);
      send(List.of(to), out);
    }

    @Override
    public void send(Collection<MemberId> to, MembershipMessage message) {
      if (!to.isEmpty()) {
        var out = new WireWriter();
        MembershipMessage.write(out, message);
        send(to, out);
      }
    }

    private void send(Collection<MemberId> to, WireWriter out) {
      var encoded = new Encoded(out.copy(), NOTHING);
      for (MemberId host : to) {
        if (hosts.contains(host)) {
          messages++;
          links.send(host, encoded);
        }
      }
    }
  }
}
