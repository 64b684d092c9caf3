package org.tutti.cli;

import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.View;
import org.tutti.ipc.ids.GroupIdClient;
import org.tutti.ipc.ids.GroupIdServer;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.Profile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti ipc ids`: one replica of the server that gives out ids of groups.
@Command(
    name = "ids",
    customSynopsis =
        "tutti ipc ids --name N --listen HOST:PORT --clients HOST:PORT --join HOST:PORT,... --expect NAMES --data DIR"
            + " [OPTION...]",
    description = {
      "Runs one replica of the server that gives out ids of groups and keeps what their passwords come to, until"
          + " Ctrl-C.",
      "Three of them, each with --data and with the names of all three, go on when one has crashed, and lose nothing"
          + " when all have ended. The same line starts a replica the first time and later."
    })
final class IpcIdsCommand implements Callable<Integer> {
  private static final long LOOK_MILLIS = 500; // how often it is looked whether the replica is still at work

  @Option(
      names = "--name",
      required = true,
      paramLabel = "N",
      converter = MemberOptions.NameConverter.OfNode.class,
      description = "This replica's name, unlike those of the others, and the same at each start.")
  String name = "";

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where the other replicas reach this one; port 0: any free port.")
  Address listen = new Address("-");

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
            + " none; without, all ids and passwords are lost when all replicas have ended."
      })
  @Nullable Path data;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "tutti",
      converter = MemberOptions.NameConverter.class,
      description = "Replicas of other clusters are refused; default: ${DEFAULT-VALUE}.")
  String cluster = "tutti";

  @Option(
      names = "--suspect-after",
      paramLabel = "TIME",
      converter = MemberOptions.SilenceConverter.class,
      description = "After what silence this replica suspects another one, 30ms to 10m; default: 1s.")
  Duration suspectAfter = Profile.LAN.suspectAfter();

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

  @Option(names = "--verbose", description = "Print stack traces of errors.")
  boolean verbose;

  private final Watcher watcher = new Watcher();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    Replica.Builder settings = settings();
    carrier.check(cluster);
    carrier.guard(clients);
    NodeBuilder node =
        Node.named(name)
            .cluster(cluster)
            .contacts(join)
            .suspectAfter(suspectAfter)
            .transport(carrier.open(listen, null, cluster, Profile.LAN));
    if (data != null) {
      node.data(data.resolve("log"));
    }
    var ended = new CountDownLatch(1);
    try (Node running = node.start();
        Replica replica = settings.start(running)) {
      Thread hook = Thread.ofPlatform().name("signal").unstarted(() -> onSignal(running, replica));
      Runtime.getRuntime().addShutdownHook(hook);
      watcher.listens(running.self().address().text(), replica.clients());
      while (!ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        Throwable why = replica.ended();
        if (why != null) {
          Session.forget(hook);
          throw new Failure("the replica has ended: " + why, why);
        }
      }
      return 0;
    } catch (UncheckedIOException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  /// To be stopped is the success of a command that runs until then.
  private static void onSignal(Node node, Replica replica) {
    replica.close();
    node.close();
    Runtime.getRuntime().halt(0);
  }

  private Replica.Builder settings() {
    if (clientsTls != null && carrier.tls() == null) {
      throw new ParameterException(spec.commandLine(), "--clients-tls needs --tls");
    }
    Replica.Builder settings =
        Replica.of(GroupIdClient.SERVICE, new GroupIdServer()).clients(clients.text()).watch(watcher);
    found(settings);
    if (data != null) {
      settings.data(data.resolve("snapshots"));
    }
    Path tls = clientsTls != null ? clientsTls : carrier.tls();
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
    } else if (expected.contains(name)) {
      settings.expecting(expected.toArray(String[]::new));
    } else if (!expected.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--expect names this replica, too: " + name);
    } else if (join.isEmpty()) {
      settings.founding();
    }
  }

  /// Says when clients are served, and when they are not; first of all where.
  private final class Watcher implements Replica.Watcher {
    private boolean isServing;
    private boolean hasSpoken;

    @Override
    public void viewed(View view) {}

    @Override
    public synchronized void served(boolean serves, long position) {
      isServing = serves;
      if (hasSpoken) {
        tellWhetherItServes();
      }
    }

    synchronized void listens(String at, String clientsAt) {
      hasSpoken = true;
      out.line(name + " listens on " + at, "listening", "name", name, "address", at, "clients", clientsAt);
      if (isServing) {
        tellWhetherItServes();
      }
      out.flush();
    }

    private void tellWhetherItServes() {
      String text = isServing ? name + " serves clients" : name + " does not serve clients now";
      out.line(text, "serves", "name", name, "serves", isServing);
      out.flush();
    }
  }
}
