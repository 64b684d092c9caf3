package org.tutti.bench.member;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.Answer;
import org.tutti.replica.Client;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Command;
import org.tutti.replica.Policy;
import org.tutti.replica.Replica;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// Servers of random numbers, and a last process with their clients, each at a host of its own: what clients call them
/// by, and how long that takes, is the matter.
final class PolicyTarget implements BenchTarget {
  static final String NAME = "policies";

  private static final String SERVICE = "numbers";
  private static final int NODE_PORT = 7000;
  private static final int CLIENTS_PORT = 8000;
  private static final int REQUEST_BYTES = 16;
  private static final int HEARTBEATS = 10; // in the time of suspicion
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<Caller> callers = new ArrayList<>();
  private final AtomicLong reduced = new AtomicLong(); // outcomes without the reply of a server that has gone
  private List<CompletableFuture<Long>> open = List.of();
  private Map<String, String> settings = Map.of();
  private int servers;
  private Duration suspect = Duration.ZERO;
  private String host = "";
  private List<String> hosts = List.of(); // of the servers
  private @Nullable Node node;
  private @Nullable Replica replica;

  @Override
  public String name() {
    return NAME;
  }

  /// Settings: `servers`, the number of those; `suspect` and `silence`, in milliseconds; `ordering` of the servers;
  /// `kind` of the clients' groups, or none; `dissemination` and `collection`, or none; `hedged`; `switching`, to all
  /// on suspicion of the manager.
  @Override
  public String open(Map<String, String> given) {
    settings = Map.copyOf(given);
    servers = Integer.parseInt(text("servers"));
    suspect = Duration.ofMillis(Long.parseLong(text("suspect")));
    host = settings.getOrDefault(HOST, LOOPBACK);
    return host;
  }

  private String text(String name) {
    String value = settings.get(name);
    if (value == null) {
      throw new IllegalArgumentException("a setting is missing: " + name);
    }
    return value;
  }

  @Override
  public void form(int rank, List<String> addresses) throws IOException {
    hosts = addresses.subList(0, servers);
    if (rank < servers) {
      node = started("n" + rank, NODE_PORT);
      String[] names = IntStream.range(0, servers).mapToObj(other -> "n" + other).toArray(String[]::new);
      replica =
          Replica.of(SERVICE, new Numbers())
              .clients(host + ":" + CLIENTS_PORT)
              .insecure() // nobody else reaches this network
              .clientGroups()
              .ordering(Ordering.valueOf(text("ordering")))
              .expecting(names)
              .start(node);
    }
  }

  private Node started(String name, int port) throws IOException {
    Transport transport = TuttiTarget.transport(Map.of("insecure", "true"), host + ":" + port);
    List<Address> contacts = hosts.stream().map(at -> new Address(at + ":" + NODE_PORT)).toList();
    NodeBuilder how = Node.named(name).contacts(contacts).transport(transport);
    return how.times(suspect.dividedBy(HEARTBEATS), suspect).start();
  }

  @Override
  public void ready() throws InterruptedException, TimeoutException {
    if (replica == null) {
      return;
    }
    replica.awaitServing(PATIENCE);
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (View view = view(); view == null || view.size() < servers; view = view()) {
      pause(end, "a view of " + servers + " servers");
    }
  }

  private static void pause(long end, String what) throws InterruptedException, TimeoutException {
    if (System.nanoTime() - end > 0) {
      throw new TimeoutException("no " + what);
    }
    TimeUnit.MILLISECONDS.sleep(1);
  }

  private @Nullable View view() {
    return replica == null ? null : replica.group().view();
  }

  /// One client.
  private final class Caller implements AutoCloseable {
    private final @Nullable Node member;
    private final Client client;
    private final boolean collects;

    Caller(int number) throws IOException {
      Duration silence = Duration.ofMillis(Long.parseLong(text("silence")));
      Client.Builder builder =
          Client.of(SERVICE)
              .at(hosts.stream().map(at -> at + ":" + CLIENTS_PORT).toArray(String[]::new))
              .silence(silence)
              .deadline(PATIENCE);
      Policy policy = policy();
      collects = policy != null && policy.collection() == Policy.Collection.ALL;
      if (policy != null) {
        builder.policy(policy);
      }
      if (settings.containsKey("hedged")) {
        builder.hedged();
      }
      if (settings.containsKey("switching")) {
        builder.allOnSuspicion(silence.dividedBy(2));
      }
      if (settings.containsKey("kind")) {
        member = started("c" + number, NODE_PORT + 1 + number);
        builder.group(member, ClientGroup.Kind.valueOf(text("kind")));
      } else {
        member = null;
      }
      client = builder.connect();
    }

    private @Nullable Policy policy() {
      return settings.containsKey("dissemination")
          ? new Policy(
              Policy.Dissemination.valueOf(text("dissemination")),
              Policy.Collection.valueOf(text("collection")),
              Replication.ACTIVE,
              Ordering.valueOf(text("ordering")))
          : null;
    }

    /// @return how long it took, in nanoseconds
    CompletableFuture<Long> call() throws InterruptedException {
      long begun = System.nanoTime();
      ByteBuffer request = ByteBuffer.wrap(new byte[REQUEST_BYTES]);
      CompletableFuture<?> outcome =
          collects ? client.collect(request, PATIENCE).thenAccept(this::check) : client.call(request);
      return outcome.thenApply(_ -> System.nanoTime() - begun);
    }

    private void check(Consolidated<Answer> outcome) {
      switch (outcome) {
        case Consolidated.Success<Answer> _ -> {}
        case Consolidated.ReducedMembership<Answer> _ -> reduced.incrementAndGet();
        default -> throw new IllegalStateException("not the replies of all: " + outcome);
      }
    }

    /// Whether its group has all servers that it is to have.
    boolean isBound() {
      int wanted = "INCLUSIVE".equals(settings.get("kind")) ? servers : 1;
      return member == null || client.groupDetails().stream().anyMatch(group -> group.members().size() == 1 + wanted);
    }

    long refuted() throws InterruptedException {
      return member == null ? 0 : Metric.sum(member.metrics(), "view.suspicions.refuted");
    }

    @Override
    public void close() {
      client.close();
      if (member != null) {
        member.close();
      }
    }
  }

  /// Servers say who the manager is, and how many clients they have refused; the clients' process does the rest.
  @Override
  public Map<String, ?> perform(String[] command) throws InterruptedException, TimeoutException {
    return switch (command[0]) {
      case "manager" -> {
        View view = view();
        if (view == null) {
          throw new IllegalStateException("there is no view");
        }
        yield Map.of("rank", view.members().getFirst().name().substring(1));
      }
      case "refused" ->
          Map.of("count", replica == null ? 0 : Metric.sum(replica.metrics(), "replica.clients.redirected"));
      case "refuted" -> {
        long count = 0;
        for (Caller caller : callers) {
          count += caller.refuted();
        }
        yield Map.of("count", count, "open", open.stream().filter(call -> !call.isDone()).count());
      }
      case "callers" -> {
        startCallers(Integer.parseInt(command[1]));
        yield Map.of("count", callers.size());
      }
      case "series" -> times(series(Integer.parseInt(command[1])));
      case "call" -> {
        open = new ArrayList<>();
        for (Caller caller : callers) {
          open.add(caller.call());
        }
        yield Map.of("open", open.size());
      }
      case "outcome" -> times(all(open));
      default -> throw new IllegalArgumentException("no command: " + command[0]);
    };
  }

  /// Each has been answered, and its group is complete.
  private void startCallers(int count) throws InterruptedException, TimeoutException {
    try {
      for (int number = 0; number < count; number++) {
        callers.add(new Caller(number));
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    for (int round = 0; round < 2; round++) { // the first one forms groups
      List<CompletableFuture<Long>> first = new ArrayList<>();
      for (Caller caller : callers) {
        first.add(caller.call());
      }
      all(first);
    }
    reduced.set(0);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!callers.stream().allMatch(Caller::isBound)) {
      pause(end, "group with all servers");
    }
  }

  /// Each makes one call after the other.
  private List<Long> series(int each) throws InterruptedException, TimeoutException {
    List<CompletableFuture<Long>> ends = new ArrayList<>();
    for (Caller caller : callers) {
      var end = new CompletableFuture<Long>();
      ends.add(end);
      Thread.ofVirtual()
          .start(() -> {
            try {
              long sum = 0;
              for (int call = 0; call < each; call++) {
                sum += caller.call().get();
              }
              end.complete(sum / each);
            } catch (InterruptedException | ExecutionException | RuntimeException failure) {
              end.completeExceptionally(failure);
            }
          });
    }
    return all(ends);
  }

  private static List<Long> all(List<CompletableFuture<Long>> futures) throws InterruptedException, TimeoutException {
    List<Long> values = new ArrayList<>();
    for (CompletableFuture<Long> future : futures) {
      try {
        values.add(future.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        throw new IllegalStateException("a call failed", e.getCause());
      }
    }
    return values;
  }

  private Map<String, ?> times(List<Long> nanos) {
    long mean = Math.round(nanos.stream().mapToLong(each -> each).average().orElseThrow());
    return Map.of("mean", mean, "reduced", reduced.getAndSet(0));
  }

  /// A random number for each position, the same at all servers.
  private static final class Numbers implements StateMachine {
    private long count;

    @Override
    public ByteBuffer apply(Command command) {
      count++;
      return ByteBuffer.allocate(Long.BYTES).putLong(0, new SplittableRandom(command.position()).nextLong());
    }

    @Override
    public ByteBuffer query(ByteBuffer question) {
      return ByteBuffer.allocate(Long.BYTES).putLong(0, count);
    }

    @Override
    public Snapshot snapshot() {
      long copy = count;
      return out -> out.write(ByteBuffer.allocate(Long.BYTES).putLong(0, copy).array());
    }

    @Override
    public void restore(InputStream in) throws IOException {
      count = ByteBuffer.wrap(in.readNBytes(Long.BYTES)).getLong();
    }
  }

  @Override
  public long delivered() {
    return 0;
  }

  @Override
  public long flood(int bytes, long forNanos) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public void close() {
    callers.forEach(Caller::close);
    if (replica != null) {
      replica.close();
    }
    if (node != null) {
      node.close();
    }
  }
}
