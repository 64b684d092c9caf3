package org.tutti.romiop;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jacorb.orb.etf.ListenerBase;
import org.jspecify.annotations.Nullable;
import org.omg.ETF.Profile;
import org.slf4j.LoggerFactory;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.registry.http.MetricsPort;
import org.tutti.replica.consolidation.Consolidation;

/// Makes this process a member of a group of objects, and gives its ORB one connection, from which the ORB reads the
/// requests of all clients in total order.
///
/// | property | meaning, and default |
/// | --- | --- |
/// | `tutti.romiop.group` | the group; a process without it is a client only |
/// | `tutti.romiop.cluster` | the cluster; `tutti` |
/// | `tutti.romiop.name` | this member's name |
/// | `tutti.romiop.listen` | its address, `HOST:PORT` |
/// | `tutti.romiop.contacts` | addresses of members, with commas |
/// | `tutti.romiop.members` | the names of all members, with commas; the same at all of them |
/// | `tutti.romiop.stack` | `ordered` or `reliable`, a [Stack]; `ordered`; the same at all members |
/// | `tutti.romiop.recoverable` | whether the objects give and take their state; `false`; the same at all members |
/// | `tutti.romiop.suspect_after` | after what silence a member is suspected, in ms, from 30; 1000 |
/// | `tutti.romiop.tls` | the directory of the certificate that members show each other; none |
/// | `tutti.romiop.insecure` | whether, without one, it may listen on other addresses than loopback; `false` |
/// | `tutti.romiop.gateway` | where this member listens for clients that speak IIOP only; none |
/// | `tutti.romiop.gateways` | those of all members, for references; this one |
/// | `tutti.romiop.metrics` | where this member shows its metrics over HTTP; it does not |
/// | `tutti.romiop.group_service` | a file with the reference to the group service, for clients with old ones; none |
/// | `tutti.romiop.references` | a directory, to which the references to the objects of the group are written; none |
/// | `tutti.romiop.objects` | the keys of the objects, with commas, each with a `jacorb.orb.objectKeyMap.KEY` |
final class RomiopListener extends ListenerBase {
  private static final long serialVersionUID = 1;

  private static final String GATEWAY = "tutti.romiop.gateway";
  private static final String STACK = "tutti.romiop.stack";
  private static final String RECOVERABLE = "tutti.romiop.recoverable";
  private static final String GROUP_SERVICE = "tutti.romiop.group_service";
  private static final String MEMBERS = "tutti.romiop.members";
  private static final String REFERENCES = "tutti.romiop.references";
  private static final String METRICS = "tutti.romiop.metrics";
  private static final int GATEWAY_BACKLOG = 50;
  private static final int REFERENCE_BYTES_MAX = 64 << 10;

  // Those that are also read for who asks for metrics.
  private transient volatile @Nullable Node node;
  private transient volatile @Nullable ServerConnection member;
  private transient volatile Supplier<List<Metric>> besides = List::of;
  private transient volatile @Nullable Gateway gateway;

  private transient @Nullable MetricsPort metrics;
  private transient NodeProperties nodes = new NodeProperties(Duration.ZERO); // until it is configured
  private transient boolean recoverable;
  private transient @Nullable ServerSocket gatewaySocket;
  private transient @Nullable GroupServiceClient groupService;

  /// Tells the log what came from the group and is not what members and clients send.
  static void refused(MemberId sender, Giop.BrokenGiopException why) {
    LoggerFactory.getLogger(RomiopListener.class).warn("refused from {}: {}", sender, why.getMessage());
  }

  @Override
  public void configure(Configuration configuration) throws ConfigurationException {
    super.configure(configuration);
    nodes = NodeProperties.of(configuration).at(configuration.getAttribute("tutti.romiop.listen"));
    recoverable = NodeProperties.flag(configuration, RECOVERABLE);
    String at = configuration.getAttribute(GATEWAY, "");
    try {
      RomiopProfile own =
          RomiopProfile.of(
              RomiopProfile.address(
                  configuration.getAttribute("tutti.romiop.cluster", "tutti"),
                  configuration.getAttribute("tutti.romiop.group"),
                  configuration.getAttribute("tutti.romiop.listen"),
                  stack()));
      own.configure(configuration);
      profile = own;
      rule();
      gateways();
      names();
      ClientConnection.joinTimeout(configuration);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(e.getMessage());
    }
    String reference = configuration.getAttribute(GROUP_SERVICE, "");
    if (!reference.isEmpty()) {
      groupService = groupService(Path.of(reference), !at.isEmpty());
    }
    if (!at.isEmpty()) {
      gatewaySocket = bound(at);
    }
    String shown = configuration.getAttribute(METRICS, "");
    if (!shown.isEmpty()) {
      metrics = metricsPort(shown);
    }
  }

  private MetricsPort metricsPort(String at) throws ConfigurationException {
    try {
      InetSocketAddress named = GroupReference.hostAndPort(at);
      return MetricsPort.open(new InetSocketAddress(allowed(METRICS, named), named.getPort()), this::metrics);
    } catch (IOException | IllegalArgumentException e) {
      throw new ConfigurationException(METRICS + "=" + at + ": " + e.getMessage());
    }
  }

  /// The host of a port that is not encrypted.
  private InetAddress allowed(String property, InetSocketAddress named) throws ConfigurationException, IOException {
    InetAddress host = InetAddress.getByName(named.getHostString());
    if (!host.isLoopbackAddress() && !nodes.insecure()) {
      throw new ConfigurationException(
          property
              + "="
              + named.getHostString()
              + ":"
              + named.getPort()
              + ": there is no TLS for it; only loopback unless tutti.romiop.insecure=true");
    }
    return host;
  }

  /// What the node, the member and the gateway count, as far as they are there.
  private List<Metric> metrics() throws InterruptedException {
    List<Metric> all = new ArrayList<>(besides.get());
    Node mine = node;
    ServerConnection connection = member;
    Gateway clients = gateway;
    if (mine != null) {
      all.addAll(mine.metrics());
    }
    if (connection != null) {
      all.addAll(connection.metrics());
    }
    if (clients != null) {
      all.addAll(clients.metrics());
    }
    return all;
  }

  /// Shows also what another one counts.
  void show(Supplier<List<Metric>> more) {
    besides = more;
  }

  private static GroupServiceClient groupService(Path file, boolean hasGateway) throws ConfigurationException {
    if (!hasGateway) {
      throw new ConfigurationException(GROUP_SERVICE + " goes with " + GATEWAY);
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(REFERENCE_BYTES_MAX);
      return new GroupServiceClient(IiopAddress.all(new String(bytes, StandardCharsets.ISO_8859_1).strip()));
    } catch (IOException e) {
      throw new ConfigurationException(GROUP_SERVICE + "=" + file + " cannot be read: " + e);
    } catch (Giop.BrokenGiopException e) {
      throw new ConfigurationException(GROUP_SERVICE + "=" + file + ": " + e.getMessage());
    }
  }

  /// Of the group. One whose members execute requests in different orders has no moment at which all would have missed
  /// the same ones, so that only a state helps who comes late; and no place at which all could decide alike whether a
  /// call that comes again through another gateway has expired.
  private Stack stack() throws ConfigurationException {
    Stack stack;
    try {
      stack = Stack.of(configuration.getAttribute(STACK, Stack.ORDERED.word()));
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(STACK + ": " + e.getMessage());
    }
    if (stack != Stack.ORDERED && !isRecoverable()) {
      throw new ConfigurationException(STACK + "=" + stack.word() + " needs " + RECOVERABLE + "=true");
    }
    if (stack != Stack.ORDERED && !configuration.getAttribute(GATEWAY, "").isEmpty()) {
      throw new ConfigurationException(STACK + "=" + stack.word() + " goes without " + GATEWAY);
    }
    return stack;
  }

  /// By which the gateway consolidates replies.
  private Consolidation rule() throws ConfigurationException {
    return ReplyRule.of(configuration.getAttribute(ClientConnection.REPLIES, ReplyRule.DEFAULT));
  }

  private List<InetSocketAddress> gateways() throws ConfigurationException {
    return GroupReference.addresses(
        configuration.getAttribute("tutti.romiop.gateways", configuration.getAttribute(GATEWAY, "")));
  }

  /// The names of all members.
  private Set<String> names() throws ConfigurationException {
    String text = configuration.getAttribute(MEMBERS);
    Set<String> names = new LinkedHashSet<>();
    for (String each : text.split(",")) {
      if (!names.add(each.strip())) {
        throw new ConfigurationException(MEMBERS + "=" + text + ": " + each.strip() + " is there twice");
      }
    }
    String own = configuration.getAttribute("tutti.romiop.name");
    if (!names.contains(own)) {
      throw new ConfigurationException(MEMBERS + "=" + text + ": without this member's name, " + own);
    }
    return names;
  }

  private ServerSocket bound(String address) throws ConfigurationException {
    try {
      InetSocketAddress at = GroupReference.hostAndPort(address);
      return new ServerSocket(at.getPort(), GATEWAY_BACKLOG, allowed(GATEWAY, at));
    } catch (IOException | IllegalArgumentException e) {
      throw new ConfigurationException(GATEWAY + "=" + address + ": " + e.getMessage());
    }
  }

  /// Writes the references to the objects of the group, if that is wanted.
  ///
  /// @param types the interface of each object, by its key
  void writeReferences(Map<String, String> types) {
    String directory = configuration.getAttribute(REFERENCES, "");
    try {
      if (!directory.isEmpty()) {
        RomiopProfile group = group();
        for (var each : types.entrySet()) {
          new GroupReference(each.getValue(), group, each.getKey(), gateways()).write(Path.of(directory));
        }
      }
    } catch (IOException e) {
      throw new org.omg.CORBA.INITIALIZE("tutti.romiop: " + REFERENCES + "=" + directory + " cannot be written: " + e);
    } catch (ConfigurationException | IllegalArgumentException e) {
      throw new org.omg.CORBA.INITIALIZE("tutti.romiop: " + e.getMessage());
    }
  }

  /// The group as clients find it: by all contacts.
  private RomiopProfile group() throws ConfigurationException {
    RomiopProfile own = (RomiopProfile) profile;
    String contacts = configuration.getAttribute("tutti.romiop.contacts").replace(',', '+');
    RomiopProfile all = RomiopProfile.of(RomiopProfile.address(own.cluster(), own.group(), contacts, own.stack()));
    all.configure(configuration);
    return all;
  }

  private void startGateway() throws ConfigurationException {
    List<String> keys = objects();
    ServerSocket socket = gatewaySocket;
    if (socket != null) {
      RomiopProfile group = group();
      Consolidation rule = rule();
      Duration within = ClientConnection.joinTimeout(configuration);
      var times = new GroupCaller.Times(nodes, within, Duration.ZERO);
      Gateway opened =
          new Gateway(
              socket,
              keys::contains,
              views -> GroupCaller.join(group, rule, times, views),
              currentReferences(group, keys),
              Gateway.Limits.usual());
      gateway = opened;
      opened.start();
    }
  }

  private @Nullable CurrentReferences currentReferences(RomiopProfile group, List<String> keys) {
    GroupServiceClient service = groupService;
    return service == null
        ? null
        : new CurrentReferences(
            service, keys.stream().map(key -> new GroupReference.Id(group.cluster(), group.group(), key)).toList());
  }

  /// The keys of the objects.
  List<String> objects() throws ConfigurationException {
    return List.of(configuration.getAttribute("tutti.romiop.objects").split(","));
  }

  /// Whether the objects give and take their state.
  boolean isRecoverable() {
    return recoverable;
  }

  /// Joins the group, or founds it with the other members.
  @Override
  public void listen() {
    join(this::deliverConnection, false);
  }

  /// Joins the group, or founds it with the other members, and opens the gateway.
  ///
  /// @param executing  gets the connection from which it reads requests
  /// @param needsState whether the objects are not as they were made
  void join(Consumer<ServerConnection> executing, boolean needsState) {
    boolean joined = false;
    try {
      RomiopProfile own = (RomiopProfile) profile;
      Node started =
          nodes
              .node(configuration.getAttribute("tutti.romiop.name"), configuration.getAttribute("tutti.romiop.listen"))
              .cluster(own.cluster())
              .contacts(configuration.getAttribute("tutti.romiop.contacts").split(","))
              .start();
      node = started;
      var group =
          started.joinOrCreate(
              own.stack().groupName(own.group()),
              names(),
              GroupConfig.builder().stateTransfer(isRecoverable()).build());
      ServerConnection connection = new ServerConnection(group, own, objects(), needsState);
      connection.configure(configuration);
      member = connection;
      executing.accept(connection);
      startGateway();
      joined = true;
    } catch (ConfigurationException | IllegalArgumentException e) {
      throw new org.omg.CORBA.INITIALIZE("tutti.romiop: " + e.getMessage());
    } finally {
      if (!joined) {
        destroy(); // a member that executes nothing would count as one
      }
    }
  }

  @Override
  public Profile endpoint() {
    return profile;
  }

  @Override
  public void destroy() {
    if (metrics != null) {
      metrics.close();
    }
    Gateway clients = gateway;
    if (clients != null) {
      clients.close();
    } else if (gatewaySocket != null) {
      close(gatewaySocket);
    }
    Node mine = node;
    if (mine != null) {
      mine.close();
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // It is closed as far as this process is concerned.
    }
  }
}
