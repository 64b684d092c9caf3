package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.View;
import org.tutti.registry.http.MetricsPort;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;
import org.tutti.replica.spi.PortProvider;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Profile;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options of commands that run one replica of a server, until they are stopped.
final class ReplicaOptions {
  private static final Duration CALL_MAX = Duration.ofSeconds(10); // of clients that cannot say how long they wait
  private static final long LOOK_MILLIS = 500; // how often it is looked whether the replica is still at work

  @Mixin NodeOptions own = new NodeOptions();

  @Option(
      names = "--clients",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where clients reach this replica; port 0: any free port.")
  Address clients = new Address("-");

  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where the other replicas listen; its own address does no harm.")
  List<Address> join = List.of();

  @Option(
      names = "--expect",
      split = ",",
      paramLabel = "NAMES",
      description = {
        "The names of the replicas that found the server together, this one's included, or their number, as with"
            + " `tutti member`; the same at all replicas and at every start.",
        "Without it this replica joins a server that is there; if it has no --join either, it is a server alone."
      })
  Set<String> expected = new LinkedHashSet<>();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "Store what the server must not forget in this directory, for this replica alone. All replicas have one, or"
            + " none; without, all that the server keeps is lost when all replicas have ended."
      })
  @Nullable Path data;

  @Option(
      names = "--group-version-max",
      paramLabel = "VERSION",
      converter = MemberOptions.VersionConverter.class,
      description =
          "The highest version of the protocol to which this replica lets its group rise, 1 to 255: keeps the way back"
              + " to an older Tutti open while replicas are upgraded. Default: any.")
  int groupVersionMax = View.VERSION_MAX;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = {
        "Show Prometheus the metrics of this replica and its ports at http://HOST:PORT/metrics; it has no TLS, so other"
            + " addresses than loopback need --insecure. Default: it does not."
      })
  @Nullable Address metrics;

  @Mixin TransportOption carrier = new TransportOption();

  @Option(
      names = "--clients-tls",
      paramLabel = "DIR",
      description = {
        "With --tls: another certificate for the port of clients, of their cluster; default: that of --tls. Whoever has"
            + " a certificate of the replicas' own cluster can become a replica, and read all that the server keeps."
      })
  @Nullable Path clientsTls;

  @Mixin Output out = new Output();

  @Mixin Settings.Options settings = new Settings.Options();

  @Option(names = "--verbose", description = "Print stack traces of errors.")
  boolean verbose;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  /// Opens the port of clients that speak another protocol.
  @FunctionalInterface
  interface Opening {
    PortProvider.Port open(Client client) throws IOException;
  }

  /// Runs the replica until it is stopped or ends.
  ///
  /// @param service its name
  /// @param machine the service
  /// @param opening of another port, or null
  Integer run(String service, StateMachine machine, @Nullable Opening opening) throws InterruptedException {
    var watcher = new Watcher();
    Replica.Builder settings = settings(service, machine).watch(watcher);
    carrier.check(own.cluster);
    carrier.guard(clients);
    NodeBuilder node =
        Node.named(own.name)
            .cluster(own.cluster)
            .contacts(join)
            .suspectAfter(own.suspectAfter)
            .groupVersionMax(groupVersionMax)
            .transport(carrier.open(own.listen, null, own.cluster, Profile.LAN));
    if (data != null) {
      node.data(data.resolve("log"));
    }
    try (Node running = node.start();
        Replica replica = settings.start(running);
        Client caller = opening == null ? null : client(service, replica);
        PortProvider.Port port = opening == null ? null : opening.open(caller);
        MetricsPort _ = show(running, replica, port)) {
      Thread hook = Thread.ofPlatform().name("signal").unstarted(() -> onSignal(running, replica, port));
      Runtime.getRuntime().addShutdownHook(hook);
      watcher.listens(running.self().address().text(), replica.clients(), port);
      awaitEnd(replica, hook);
      return 0;
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) { // or a range that only the node knows
      throw Failure.ofSetting(e);
    }
  }

  private @Nullable MetricsPort show(Node node, Replica replica, PortProvider.@Nullable Port port) throws IOException {
    if (metrics == null) {
      return null;
    }
    carrier.guardPlain(metrics);
    Endpoint at = Endpoint.resolve(metrics);
    return MetricsPort.open(
        new InetSocketAddress(at.inet(), at.port()),
        () -> {
          List<Metric> all = new ArrayList<>(node.metrics());
          all.addAll(replica.metrics());
          all.addAll(port == null ? List.of() : port.metrics());
          return all;
        });
  }

  private static void awaitEnd(Replica replica, Thread hook) throws InterruptedException {
    var never = new CountDownLatch(1);
    while (!never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      Throwable why = replica.ended();
      if (why != null) {
        Session.forget(hook);
        throw new Failure("the replica has ended: " + why, why);
      }
    }
  }

  /// To be stopped is the success of a command that runs until then.
  private static void onSignal(Node node, Replica replica, PortProvider.@Nullable Port port) {
    if (port != null) {
      port.close();
    }
    replica.close();
    node.close();
    Runtime.getRuntime().halt(0);
  }

  /// By which the other port's clients call the service, at this replica first.
  private Client client(String service, Replica replica) {
    Client.Builder settings = Client.of(service).at(replica.clients()).deadline(CALL_MAX);
    Path tls = tlsOfClients();
    if (tls != null) {
      settings.tls(TransportOption.credentials(tls));
    }
    return settings.connect();
  }

  private @Nullable Path tlsOfClients() {
    return clientsTls != null ? clientsTls : carrier.tls();
  }

  private Replica.Builder settings(String service, StateMachine machine) {
    if (clientsTls != null && carrier.tls() == null) {
      throw new ParameterException(spec.commandLine(), "--clients-tls needs --tls");
    }
    Replica.Builder settings = Replica.of(service, machine).clients(clients.text());
    found(settings);
    if (data != null) {
      settings.data(data.resolve("snapshots"));
    }
    Path tls = tlsOfClients();
    if (tls != null) {
      settings.tls(TransportOption.credentials(tls));
    } else {
      settings.insecure(); // where it may be: that was looked at
    }
    return settings;
  }

  private void found(Replica.Builder settings) {
    String only = expected.size() == 1 ? expected.iterator().next() : "";
    if (only.matches("[-+]?[0-9]+")) {
      var number = new BigInteger(only);
      if (number.signum() < 1 || number.compareTo(BigInteger.valueOf(Node.EXPECTED_MAX)) > 0) {
        throw new ParameterException(
            spec.commandLine(), "--expect: the number of replicas is 1 to " + Node.EXPECTED_MAX + ", not " + only);
      }
      settings.expecting(number.intValue());
    } else if (expected.contains(own.name)) {
      settings.expecting(expected.toArray(String[]::new));
    } else if (!expected.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--expect names this replica, too: " + own.name);
    } else if (join.isEmpty()) {
      settings.founding();
    }
  }

  /// Says when clients are served, and when they are not; first of all where.
  private final class Watcher implements Replica.Watcher {
    private boolean isServing;
    private boolean isPrimary;
    private boolean hasServed;
    private boolean hasSpoken;
    private PortProvider.@Nullable Port beside;

    @Override
    public synchronized void viewed(View view) {
      isPrimary = view.primary();
      tellPort();
    }

    @Override
    public synchronized void served(boolean serves, long position) {
      isServing = serves;
      hasServed |= serves;
      tellPort();
      if (hasSpoken) {
        tellWhetherItServes();
      }
    }

    /// In a primary view a replica that does not serve yet hands requests on to one that does.
    private void tellPort() {
      if (beside != null) {
        beside.reachable(hasServed && isPrimary);
      }
    }

    synchronized void listens(String at, String clientsAt, PortProvider.@Nullable Port port) {
      hasSpoken = true;
      String portAt = port == null ? null : port.address();
      out.line(
          own.name + " listens on " + at + (portAt == null ? "" : ", for ORBs on " + portAt),
          "listening",
          "name",
          own.name,
          "address",
          at,
          "clients",
          clientsAt,
          "iiop",
          portAt,
          "reference",
          port == null ? null : port.reference());
      beside = port;
      tellPort();
      if (isServing) {
        tellWhetherItServes();
      }
      out.flush();
    }

    private void tellWhetherItServes() {
      String text = isServing ? own.name + " serves clients" : own.name + " does not serve clients now";
      out.line(text, "serves", "name", own.name, "serves", isServing);
      out.flush();
    }
  }
}
