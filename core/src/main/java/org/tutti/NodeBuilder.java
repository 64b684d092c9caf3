package org.tutti;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.NodeHost;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.Profile;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// A node to be started, by its name and plain settings. What carries its frames and what keeps its history is found by
/// name among the modules that are there:
///
/// {@snippet class="ApiExamplesTest" region="builder"}
///
/// or given, by those who bring a transport or a storage of their own, or connect nodes of one process through memory:
///
/// {@snippet class="ApiExamplesTest" region="memory"}
///
/// Not thread-safe. Each [#start()] starts another node; what was given to a builder can serve one node only. Ranges
/// are checked when the node is started. Its text shows what differs from the defaults first.
public final class NodeBuilder {
  private static final int HEARTBEATS = 10; // in the time of suspicion, as profiles have it
  private static final Address LOOPBACK = new Address("127.0.0.1:0");
  private static final Map<String, @Nullable Object> DEFAULTS = new NodeBuilder("").byName();

  private final String name;
  private String cluster = "tutti";
  private String transport = "tcp";
  private @Nullable Transport givenTransport;
  private @Nullable Address listen;
  private @Nullable Address advertised;
  private List<Address> contacts = List.of();
  private @Nullable Discovery discovery;
  private @Nullable Path tls;
  private boolean insecure;
  private @Nullable Path data;
  private @Nullable StableStorage storage;
  private @Nullable Path spillTo;
  private Profile profile = Profile.LAN;
  private Duration heartbeat = profile.heartbeat();
  private Duration suspectAfter = profile.suspectAfter();
  private Duration spin = Duration.ZERO;
  private int groupVersionMax = View.VERSION_MAX;

  NodeBuilder(String name) {
    this.name = name;
  }

  /// Says where the node listens.
  ///
  /// @param address in the transport's form, mostly `host:port`, where port 0 lets the kernel choose; by default
  ///                `127.0.0.1:0`
  /// @return this builder
  /// @throws IllegalArgumentException when it is empty, or longer than [Address#BYTES_MAX]
  public NodeBuilder listen(String address) {
    listen = new Address(address);
    return this;
  }

  /// Says by which address others reach this node, when it is not the one that it listens on: behind a forwarded port,
  /// or where it listens on all interfaces.
  ///
  /// @param address in the transport's form
  /// @return this builder
  /// @throws IllegalArgumentException when it is empty, or longer than [Address#BYTES_MAX]
  public NodeBuilder advertise(String address) {
    advertised = new Address(address);
    return this;
  }

  /// Says whom the node asks when it joins, and after a partition. One that answers is enough; all nodes may have the
  /// same list, themselves among it.
  ///
  /// @param addresses where other nodes are reached; they replace those of an earlier call
  /// @return this builder
  /// @throws IllegalArgumentException when one is empty, or longer than [Address#BYTES_MAX]
  public NodeBuilder contacts(String... addresses) {
    return contacts(Stream.of(addresses).map(Address::new).toList());
  }

  /// Says whom the node asks when it joins, and after a partition, as [#contacts(String...)].
  ///
  /// @param addresses where other nodes are reached; they replace those of an earlier call; copied
  /// @return this builder
  public NodeBuilder contacts(Collection<Address> addresses) {
    contacts = List.copyOf(addresses);
    return this;
  }

  /// Says who is asked for contacts, beside those that are given ([Node#discover]).
  ///
  /// @param source belongs to the node that is started, which closes it; so only one can be
  /// @return this builder
  public NodeBuilder discover(Discovery source) {
    discovery = Objects.requireNonNull(source, "source");
    return this;
  }

  /// Chooses the cluster. Nodes of different clusters ignore each other; certificates must be for this one.
  ///
  /// @param value its name, 1 to 255 bytes without control characters; by default `tutti`
  /// @return this builder
  public NodeBuilder cluster(String value) {
    cluster = value;
    return this;
  }

  /// Chooses the transport, the same at all nodes.
  ///
  /// @param value the name of one that is there ([TransportProvider#installed()]), such as `udp` or `grpc`; by default
  ///              `tcp`
  /// @return this builder
  public NodeBuilder transport(String value) {
    transport = value;
    givenTransport = null;
    return this;
  }

  /// Gives the node a transport that is open already, in place of one that is chosen by its name. Where it listens and
  /// how it encrypts was decided then, so [#listen], [#advertise], [#tls] and [#insecure] do not go with it.
  ///
  /// @param value carries the node's frames; belongs to the node once it is started, which closes it
  /// @return this builder
  public NodeBuilder transport(Transport value) {
    givenTransport = value;
    return this;
  }

  /// Encrypts, and speaks only with nodes that show a certificate of the same authority and cluster. With a certificate
  /// for the role `observer` only, over TCP, the node may observe groups and not vote.
  ///
  /// @param directory with this node's `cert.pem` and `key.pem`, and the authority's `ca.pem`; changed files are used
  ///                  from then on
  /// @return this builder
  public NodeBuilder tls(Path directory) {
    tls = directory;
    return this;
  }

  /// Lets the node listen on other addresses than loopback without certificates: whoever reaches it is believed.
  ///
  /// @return this builder
  public NodeBuilder insecure() {
    insecure = true;
    return this;
  }

  /// Says where the node keeps what its groups must not forget ([GroupConfig#durability()]).
  ///
  /// @param directory its own, of this name only; it is made when it is not there; other users must not have any
  ///                  permission in one that holds a storage, and lose them in one that is empty
  /// @return this builder
  public NodeBuilder data(Path directory) {
    data = directory;
    storage = null;
    return this;
  }

  /// Gives the node a stable storage that is open already, in place of a directory. When it knows a group, creating or
  /// joining the group restarts that membership: this node stands for the member that it was, waits until a quorum of
  /// the last primary view is back, and founds nothing anew. The same holds for a directory.
  ///
  /// @param value of this node's name only; belongs to the node once it is started, which closes it; null for none
  /// @return this builder
  public NodeBuilder storage(@Nullable StableStorage value) {
    storage = value;
    data = null;
    return this;
  }

  /// Says where members of this node may write what their applications do not take ([MemberConfig#spillBytesMax]). It
  /// is not what the node keeps: files are deleted as soon as they are open, where the system allows that, or when they
  /// are read; those that a crash has left, when a node with this directory starts.
  ///
  /// @param directory may be that of several nodes, not the one of [#data]; it is made when it is not there; other
  ///                  users must not have any permission
  /// @return this builder
  public NodeBuilder spillTo(@Nullable Path directory) {
    spillTo = directory;
    return this;
  }

  /// Chooses the times of the failure detector, and what the transport has for the like.
  ///
  /// @param value what lies between the nodes; by default [Profile#LAN]
  /// @return this builder
  public NodeBuilder profile(Profile value) {
    profile = value;
    return times(value.heartbeat(), value.suspectAfter());
  }

  /// Chooses after what silence a peer is suspected, in place of the profile's time, with ten heartbeats in it, as the
  /// profiles have. Longer is better on machines that pause, and about the same is best at all nodes.
  ///
  /// @param silence positive; for example 5 s
  /// @return this builder
  public NodeBuilder suspectAfter(Duration silence) {
    return times(silence.dividedBy(HEARTBEATS), silence);
  }

  /// Chooses both times of the failure detector, in place of the profile's.
  ///
  /// @param heartbeatEvery how often a silent node shows that it lives; positive
  /// @param suspect        after what silence a peer is suspected; at least three heartbeats
  /// @return this builder
  public NodeBuilder times(Duration heartbeatEvery, Duration suspect) {
    heartbeat = heartbeatEvery;
    suspectAfter = suspect;
    return this;
  }

  /// Chooses for how long the engine thread, which has run out of input, looks for more before it waits to be woken
  /// up. That saves some microseconds of each message, and takes a whole core while it lasts.
  ///
  /// @param value zero, which is the default, or for example 50 microseconds
  /// @return this builder
  public NodeBuilder spin(Duration value) {
    spin = value;
    return this;
  }

  /// Keeps the way back to an older build open while nodes are upgraded. A group goes to the next version of the
  /// protocol, for ever, as soon as all its members have it; not while one of them admits to no more than this. Where a
  /// group has gone further already, this node takes part all the same.
  ///
  /// @param value a version of the protocol, as [View#version()] tells it; at least the lowest that this build speaks,
  ///              at most 255, which is the default and limits nothing; above what this build speaks it limits nothing
  ///              either
  /// @return this builder
  public NodeBuilder groupVersionMax(int value) {
    groupVersionMax = value;
    return this;
  }

  /// Starts the node. It keeps the process running until it is closed.
  ///
  /// When it cannot be started, a transport or storage that was given still belongs to the caller.
  ///
  /// @return the running node
  /// @throws IllegalArgumentException when a setting is out of its range, or two do not go together; when no transport
  ///                                  has the name that was given, or it has no TLS; or when name and address are too
  ///                                  long for a member or for the transport's frames
  /// @throws IllegalStateException when there is no stable storage among the modules
  /// @throws StorageException when the storage is in use, damaged, or none, or other users may use its directory; when
  ///                          the directory for spilling cannot be used, or others may use it
  /// @throws TransportException when the transport cannot be opened, such as where the port is in use, where the
  ///                            address is not loopback and there are no certificates, or where these are for another
  ///                            cluster
  public Node start() {
    return NodeHost.installed().start(settings());
  }

  /// The settings for a [NodeHost] other than that of the process. Programs call [#start()].
  ///
  /// @return the settings as they are now
  /// @throws IllegalArgumentException when a setting is out of its range, or two do not go together
  public NodeSettings settings() {
    if (givenTransport != null && (listen != null || advertised != null || tls != null || insecure)) {
      throw new IllegalArgumentException("listen, advertise, tls and insecure do not go with a transport that is open");
    }
    return new Settings(
        name,
        cluster,
        contacts,
        discovery,
        heartbeat,
        suspectAfter,
        spin,
        groupVersionMax,
        givenTransport,
        transport,
        new TransportSettings(listening(), advertised, tls, insecure, profile),
        storage,
        data,
        spillTo);
  }

  private Address listening() {
    return listen != null ? listen : LOOPBACK;
  }

  private record Settings(
      String name,
      String cluster,
      List<Address> contacts,
      @Nullable Discovery discovery,
      Duration heartbeat,
      Duration suspectAfter,
      Duration spin,
      int groupVersionMax,
      @Nullable Transport transport,
      String transportName,
      TransportSettings transportSettings,
      @Nullable StableStorage storage,
      @Nullable Path data,
      @Nullable Path spillTo)
      implements NodeSettings {
    Settings {
      Names.require("a node's", name, Names.faultOfNode(name));
      Names.require("a cluster's", cluster, Names.fault(cluster));
      if (!heartbeat.isPositive()) {
        throw new IllegalArgumentException("heartbeat is positive, not " + heartbeat);
      }
      if (suspectAfter.compareTo(heartbeat.multipliedBy(3)) < 0) {
        throw new IllegalArgumentException(
            "suspectAfter is at least three heartbeats of " + heartbeat + ", not " + suspectAfter);
      }
      if (spin.isNegative()) {
        throw new IllegalArgumentException("spin is 0 or more, not " + spin);
      }
      if (groupVersionMax < 1 || groupVersionMax > View.VERSION_MAX) {
        throw new IllegalArgumentException("groupVersionMax is 1 to " + View.VERSION_MAX + ", not " + groupVersionMax);
      }
    }
  }

  private Map<String, @Nullable Object> byName() {
    var map = new LinkedHashMap<String, @Nullable Object>();
    map.put("name", name);
    map.put("cluster", cluster);
    map.put("transport", givenTransport != null ? givenTransport : transport);
    map.put("listen", givenTransport != null ? null : listening());
    map.put("advertise", advertised);
    map.put("contacts", contacts);
    map.put("discover", discovery);
    map.put("tls", tls);
    map.put("insecure", insecure);
    map.put("data", data);
    map.put("storage", storage);
    map.put("spillTo", spillTo);
    map.put("profile", profile);
    map.put("heartbeat", heartbeat);
    map.put("suspectAfter", suspectAfter);
    map.put("spin", spin);
    map.put("groupVersionMax", groupVersionMax);
    return map;
  }

  @Override
  public String toString() {
    return SettingText.of("NodeBuilder", byName(), DEFAULTS);
  }
}
