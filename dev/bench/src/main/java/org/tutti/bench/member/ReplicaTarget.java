package org.tutti.bench.member;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.View;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// A replicated service: the first processes are its replicas, the others have clients.
final class ReplicaTarget implements BenchTarget {
  static final String NAME = "replica";

  private static final String SERVICE = "echo";
  private static final String APART = "|"; // between the addresses of a process
  private static final int PORT_MIN = 10_000;
  private static final int PORT_MAX = 30_000;
  private static final int ATTEMPTS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final EchoService machine = new EchoService();
  private int replicas;
  private String clientsAddress = "";
  private boolean patient;
  private Duration spin = Duration.ZERO;
  private @Nullable Transport transport;
  private @Nullable Node node;
  private @Nullable Replica replica;
  private @Nullable ServiceClients clients;

  @Override
  public String name() {
    return NAME;
  }

  /// Settings: `replicas`, the number of those; `suspect=long` where no view may change.
  @Override
  public String open(Map<String, String> settings) throws IOException {
    replicas = Integer.parseInt(settings.getOrDefault("replicas", "3"));
    patient = "long".equals(settings.get("suspect"));
    spin = Duration.ofNanos(Long.parseLong(settings.getOrDefault("spin", "0")));
    String at = settings.get(AT);
    String host = settings.getOrDefault(HOST, LOOPBACK);
    clientsAddress = at == null ? host + ":" + free(host) : at.split("\\" + APART)[1];
    transport = TuttiTarget.transport(settings, at == null ? host + ":" + free(host) : at.split("\\" + APART)[0]);
    return transport.address().text() + APART + clientsAddress;
  }

  /// A port that stays free while a process is replaced, too: systems take higher ones for connections that are made.
  private static int free(String host) throws IOException {
    for (int attempt = 1; ; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX);
      try (var _ = new ServerSocket(port, 1, InetAddress.getByName(host))) {
        return port;
      } catch (BindException taken) {
        if (attempt == ATTEMPTS) {
          throw taken;
        }
      }
    }
  }

  @Override
  public void form(int rank, List<String> addresses) {
    List<String[]> all = addresses.stream().limit(replicas).map(each -> each.split("\\" + APART)).toList();
    if (rank >= replicas) {
      opened(transport).close();
      transport = null;
      clients = new ServiceClients(SERVICE, all.stream().map(each -> each[1]).toList());
      return;
    }
    var contacts = new ArrayList<Address>();
    for (int other = 0; other < replicas; other++) {
      if (other != rank) {
        contacts.add(new Address(all.get(other)[0]));
      }
    }
    NodeBuilder how = Node.named(named(rank)).contacts(contacts).spin(spin).transport(opened(transport));
    node = (patient ? how.times(TuttiTarget.HEARTBEAT, TuttiTarget.SUSPECT) : how).start();
    String[] names = IntStream.range(0, replicas).mapToObj(ReplicaTarget::named).toArray(String[]::new);
    replica = Replica.of(SERVICE, machine).clients(clientsAddress).expecting(names).start(node);
  }

  private static String named(int rank) {
    return "n" + rank;
  }

  @Override
  public void ready() throws InterruptedException, TimeoutException {
    if (replica != null) {
      replica.awaitServing(PATIENCE);
      awaitAll();
    }
  }

  private void awaitAll() throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (View view = view(); view == null || view.size() < replicas; view = view()) {
      if (System.nanoTime() > end) {
        throw new TimeoutException("no view of " + replicas + " replicas but " + view);
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  private @Nullable View view() {
    return opened(replica).group().view();
  }

  @Override
  public Callers.Result calls(Calls calls) throws InterruptedException, ExecutionException, TimeoutException {
    return opened(clients).run(calls);
  }

  /// Replicas say who the manager is, and how many sessions and connections they have; clients do the rest.
  @Override
  public Map<String, ?> perform(String[] command) throws InterruptedException, TimeoutException {
    if (clients != null) {
      return clients.perform(command);
    }
    return switch (command[0]) {
      case "manager" -> {
        View view = view();
        if (view == null) {
          throw new IllegalStateException("there is no view");
        }
        yield Map.of("rank", view.members().getFirst().name().substring(1));
      }
      case "sessions" -> {
        Map<String, Long> counts = Metric.byKey(opened(replica).metrics());
        yield Map.of(
            "sessions", counts.getOrDefault("replica.sessions.open", 0L),
            "connections", counts.getOrDefault("replica.connections.open", 0L));
      }
      default -> throw new IllegalArgumentException("no command: " + command[0]);
    };
  }

  @Override
  public long delivered() {
    if (replica != null && replica.ended() != null) {
      throw new IllegalStateException("the replica has ended", replica.ended());
    }
    return machine.count();
  }

  @Override
  public Map<String, Long> counters() throws InterruptedException {
    if (replica == null) {
      return Map.of();
    }
    var metrics = new ArrayList<>(opened(node).metrics());
    metrics.addAll(replica.metrics());
    metrics.removeIf(metric -> metric.kind() == Metric.Kind.GAUGE);
    return Metric.byKey(metrics);
  }

  @Override
  public long flood(int bytes, long forNanos) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread) {
    throw new UnsupportedOperationException("not measured");
  }

  private static <T> T opened(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException("not opened, not formed yet, or the part of others");
    }
    return thing;
  }

  @Override
  public void close() {
    if (clients != null) {
      clients.close();
    }
    if (replica != null) {
      replica.close();
    }
    if (node != null) {
      node.close();
    }
  }
}
