package org.tutti.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.TuttiException;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Profile;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;

/// Asks a contact whether it would take a member in, without becoming one.
///
/// For each address a node is started that is to observe the group if the group's electorate is a name that nobody has.
/// Whoever coordinates the group answers the node's call with what was decided for the group, and by that the node
/// refuses itself before it has taken part in anything ([Node#observe(String, GroupConfig, MemberConfig)]). So peer and
/// node have agreed on transport, certificates or keys, version, cluster and group, and no view has changed. What a
/// peer has against the node is told by it as it is to a member.
final class ContactCheck {
  static final String CHECK = "contact";
  private static final String MULTICAST = "multicast";
  private static final Set<String> OVER_TCP = Set.of("tcp", "rmi", "grpc", "iiop");
  private static final Duration HEARTBEAT = Duration.ofMillis(50); // a node calls once in two of them
  private static final Duration SUSPECT = Duration.ofMillis(500);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final GroupConfig NOBODYS = GroupConfig.builder().electorate("doctor-" + UUID.randomUUID()).build();

  private final String group;
  private final String cluster;
  private final TransportOption carrier;
  private final Set<Address> own;
  private final ConcurrentMap<String, CompletableFuture<List<Finding>>> paths;
  private final String text;
  private final Duration timeout;
  private final long deadlineNanos;

  /// @param member what is known of this host's member
  /// @param own    where it is reached, if it runs
  /// @param text   the contact, as it was written
  ContactCheck(DoctorCommand member, Set<Address> own, String text) {
    this.group = member.group;
    this.cluster = member.cluster;
    this.carrier = member.carrier;
    this.own = own;
    this.paths = member.paths;
    this.text = text;
    this.timeout = member.timeout;
    this.deadlineNanos = System.nanoTime() + timeout.toNanos();
  }

  /// Asks it; takes no longer than the timeout, and a moment.
  List<Finding> find() {
    return Finding.of(
        CHECK,
        text,
        () -> {
          Contact contact = new Contact.Converter().convert(text);
          return contact instanceof Contact.At(_, Address address) ? askOrFail(address) : search(contact);
        });
  }

  private long leftMillis() {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
  }

  private boolean isOver() {
    return System.nanoTime() - deadlineNanos >= 0;
  }

  // ---- whom a source names ---------------------------------------------------------------------------------------

  private List<Finding> search(Contact contact) throws IOException, InterruptedException {
    boolean speak = contact instanceof Contact.Multicast;
    List<Address> found;
    try (Discovery discovery = CombinedDiscovery.onlooker(contact, group, cluster, carrier.context())) {
      found = discovery.find();
      // Of those who speak of themselves somebody may come yet.
      while (speak && found.isEmpty() && !isOver()) {
        found = discovery.find();
      }
    }
    if (found.isEmpty()) {
      String advice = "right if no member runs yet" + (speak ? "; else look at the IGMP snooping of the switches" : "");
      return List.of(Finding.warn(CHECK, text, speak ? "nobody is heard there" : "names no member now", advice));
    }
    List<CompletableFuture<List<Finding>>> all =
        found.stream().map(one -> CompletableFuture.supplyAsync(() -> askOrFail(one), ContactCheck::start)).toList();
    var findings = new ArrayList<Finding>();
    if (speak) {
      String words = "multicasts arrive here from " + found.size() + (found.size() == 1 ? " member" : " members");
      findings.add(Finding.ok(MULTICAST, text, words));
    }
    try {
      all.forEach(one -> findings.addAll(one.join()));
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException bug ? bug : e;
    }
    return findings;
  }

  /// A thread that does not keep the command from its end.
  static void start(Runnable task) {
    Thread.ofPlatform().daemon().name("contact").start(task);
  }

  private List<Finding> askOrFail(Address address) {
    try {
      return ask(address);
    } catch (Failure | TuttiException e) {
      return List.of(fail(address, String.valueOf(e.getMessage()), null));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of(fail(address, "interrupted", null));
    }
  }

  // ---- what one says ---------------------------------------------------------------------------------------------

  private List<Finding> ask(Address address) throws InterruptedException {
    if (own.contains(address)) {
      return List.of(ok(address, "it is this member itself, which is not asked"));
    }
    if (OVER_TCP.contains(carrier.transport())) {
      look(address);
      Finding closed = connect(address);
      if (closed != null) {
        return List.of(closed);
      }
    }
    Transport transport = carrier.open(Session.facing(address.text()), null, cluster, Profile.LAN);
    Node node;
    try {
      node =
          Node.named("doctor-" + UUID.randomUUID()) // nobody's: a name that a member has would be fought for
              .cluster(cluster)
              .contacts(List.of(address))
              .transport(transport)
              .times(HEARTBEAT, SUSPECT)
              .start();
    } catch (RuntimeException e) {
      transport.close();
      throw e;
    }
    try (node) {
      Finding said = talk(node, address);
      // Over UDP the longest datagram that has arrived there.
      long bytes = Metric.byKey(node.metrics()).getOrDefault("udp.path.bytes", 0L);
      Endpoint endpoint = Endpoint.ofLiteral(address);
      if (bytes > 0 && endpoint != null) {
        String host = endpoint.inet().getHostAddress();
        paths.putIfAbsent(host, CompletableFuture.completedFuture(List.of(PathCheck.known(host, bytes))));
      }
      boolean asks = carrier.multicasts() && said.grade() != Finding.Grade.FAIL;
      Finding heard = asks ? multicast(node, address) : null;
      return heard == null ? List.of(said) : List.of(said, heard);
    }
  }

  /// Begins to look at the path to its host, once for each. Not over UDP, which looks itself, and whose members would
  /// get datagrams that are none of theirs.
  private void look(Address address) {
    Endpoint endpoint = Endpoint.ofLiteral(address);
    if (endpoint != null) {
      var path = new PathCheck(endpoint.socket(), deadlineNanos);
      paths.computeIfAbsent(
          endpoint.inet().getHostAddress(),
          _ -> CompletableFuture.supplyAsync(() -> List.of(path.find()), ContactCheck::start));
    }
  }

  /// Tells at once what a node would try again and again.
  private @Nullable Finding connect(Address address) {
    Endpoint endpoint = Endpoint.ofLiteral(address);
    if (endpoint == null) {
      return fail(address, "not a literal address", null);
    }
    try (var socket = new Socket()) {
      socket.connect(endpoint.socket(), (int) leftMillis());
      return null;
    } catch (ConnectException e) {
      String words = "nothing listens there (" + e.getMessage() + ")";
      return fail(address, words, "start that member, or correct the address");
    } catch (SocketTimeoutException e) {
      return fail(address, "no answer" + waited(), "look for a wrong address, or a firewall between");
    } catch (IOException e) {
      return fail(address, String.valueOf(e.getMessage()), "look for a route to that host");
    }
  }

  private Finding talk(Node node, Address address) throws InterruptedException {
    Group visit = node.observe(group, NOBODYS, MemberConfig.builder().takesState(false).build());
    while (true) {
      if (visit.receive(LOOK) instanceof Event.Closed(End end)) {
        return end.cause() == End.Cause.REFUSED
            ? ok(address, "it is in group \"" + group + "\"")
            : fail(address, end.words(), null);
      }
      List<Refused> refused = visit.status().refused();
      if (!refused.isEmpty()) {
        Refused first = refused.getFirst();
        String by = first.by().equals(address) ? "" : first.by() + ": ";
        return fail(address, by + first.words(), advice(first.reason()));
      }
      if (isOver()) {
        return silence(node, address);
      }
    }
  }

  /// Whether multicasts arrive, in both directions: nodes over UDP ask each other that.
  ///
  /// @return null when there was nobody to ask
  private @Nullable Finding multicast(Node node, Address address) throws InterruptedException {
    while (true) {
      Map<String, Long> counts = Metric.byKey(node.metrics());
      long asked = counts.getOrDefault("udp.multicast.peers{kind=asked}", 0L);
      long receiving = counts.getOrDefault("udp.multicast.peers{kind=receiving}", 0L);
      long heard = counts.getOrDefault("udp.multicast.peers{kind=heard}", 0L);
      if (asked > 0 && receiving == asked && heard == asked) {
        return Finding.ok(MULTICAST, text, resolved(address) + "multicasts arrive there, and those from there here");
      }
      if (isOver() && asked == 0) {
        return null;
      }
      if (isOver()) {
        String words =
            receiving < asked && heard < asked
                ? "multicasts arrive neither there nor from there here"
                : receiving < asked ? "multicasts do not arrive there" : "multicasts from there do not arrive here";
        return Finding.warn(
            MULTICAST,
            text,
            resolved(address) + words + waited() + ": unicast is used",
            "give -Dtutti.udp.multicast there as here; else look at the IGMP snooping of the switches");
      }
      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
    }
  }

  /// The node was neither answered nor refused.
  private Finding silence(Node node, Address address) throws InterruptedException {
    Map<String, Long> counts = Metric.byKey(node.metrics());
    boolean connected =
        counts.entrySet().stream().anyMatch(one -> one.getKey().contains(".peers.connected") && one.getValue() > 0);
    if (!connected) {
      return fail(
          address,
          "no node answers" + waited(),
          "start that member, or look for a wrong address, another --transport, or a firewall between");
    }
    if (counts.getOrDefault("engine.messages.dropped{reason=newcomer}", 0L) > 0) {
      return ok(address, "it is in group \"" + group + "\", which is not founded yet");
    }
    return warn(
        address,
        "a node answers, and nothing comes of group \"" + group + "\"" + waited(),
        "right if it is in other groups only, or if nobody has founded this one; else the group's most senior member"
            + " does not reach this host: look for a firewall");
  }

  private static String advice(Refused.Reason reason) {
    return switch (reason) {
      case OTHER_CLUSTER -> "correct --join, or give --cluster (and a certificate for it) as there";
      case NAME_IN_USE -> "give another --name";
      case MAY_ONLY_OBSERVE -> "give a certificate for the role member in --tls";
      case NOT_TLS -> "leave --tls out here, or give it there";
      case IS_TLS -> "give --tls DIR";
      case ITS_CERTIFICATE -> "renew the certificate there, or put its authority into ca.pem here";
      case OWN_CERTIFICATE -> "renew the certificate of --tls, or put its authority into ca.pem there";
      case OTHER_KEY -> "start all members with the same keys (-Dtutti.udp.key=FILE)";
      case OTHER_VERSION -> "run the same version on both hosts: tutti version";
      case OTHER_ADDRESS -> "name it in --join as its own --advertise or --listen does";
      case FOREIGN -> "another program has that port: correct the address, or --transport";
    };
  }

  private String waited() {
    return " (waited " + TimeConverter.show(timeout) + ")";
  }

  // ---- words -----------------------------------------------------------------------------------------------------

  private Finding ok(Address address, String words) {
    return Finding.ok(CHECK, text, resolved(address) + words);
  }

  private Finding warn(Address address, String words, String advice) {
    return Finding.warn(CHECK, text, resolved(address) + words, advice);
  }

  private Finding fail(Address address, String words, @Nullable String advice) {
    return Finding.fail(CHECK, text, resolved(address) + words, advice);
  }

  /// The address, if it is not what was written.
  private String resolved(Address address) {
    return address.text().equals(text) ? "" : "at " + address + ", ";
  }
}
