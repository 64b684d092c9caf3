package org.tutti.verify.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.replica.Answer;
import org.tutti.replica.Client;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Command;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.Replica;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.transport.Address;

/// Three servers over TCP, and clients that are members of groups with them.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientGroupsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> SERVERS = List.of("n1", "n2", "n3");
  private static final Policy MANAGER =
      new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  /// A counter, which can be stopped in the middle of a command.
  private final class Counter implements StateMachine {
    private final String at;
    private long value;

    Counter(String at) {
      this.at = at;
    }

    @Override
    public ByteBuffer apply(Command command) {
      if (at.equals(stuck)) {
        reached.countDown();
        try {
          free.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      value += command.payload().getLong();
      return number(value);
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return number(value);
    }

    @Override
    public Snapshot snapshot() {
      byte[] copy = number(value).array();
      return out -> out.write(copy);
    }

    @Override
    public void restore(InputStream in) throws IOException {
      value = ByteBuffer.wrap(in.readNBytes(Long.BYTES)).getLong();
    }
  }

  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Replica> replicas = new HashMap<>();
  private final Map<String, PartitionableTransport> transports = new HashMap<>();
  private final List<Address> addresses = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final CountDownLatch reached = new CountDownLatch(1); // the server that is stuck has the command
  private final CountDownLatch free = new CountDownLatch(1);
  private volatile @Nullable String stuck;
  private Duration suspectAfter = Duration.ofMillis(1500);

  private static ByteBuffer number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
  }

  private Node node(String name) throws Exception {
    var transport =
        new PartitionableTransport(
            TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null)));
    transports.put(name, transport);
    Node node =
        Node.named(name)
            .contacts(List.copyOf(addresses))
            .times(Duration.ofMillis(100), suspectAfter)
            .transport(transport)
            .start();
    nodes.put(name, node);
    return node;
  }

  private void startServers() throws Exception {
    for (String name : SERVERS) {
      Node node = node(name);
      addresses.add(node.self().address());
      replicas.put(
          name, Replica.of("counter", new Counter(name)).clientGroups().expecting("n1", "n2", "n3").start(node));
    }
    for (Replica replica : replicas.values()) {
      replica.awaitServing(PATIENCE);
    }
    until("a view of all", () -> replicas.values().stream().allMatch(one -> viewOf(one).size() == 3));
  }

  private static View viewOf(Replica replica) {
    return Objects.requireNonNull(replica.group().view());
  }

  private Client client(ClientGroup.Kind kind, Policy policy) throws Exception {
    Client client =
        Client.of("counter")
            .group(node("c" + clients.size()), kind)
            .at(replicas.get("n3").clients())
            .policy(policy)
            .silence(Duration.ofSeconds(1))
            .deadline(PATIENCE)
            .connect();
    clients.add(client);
    return client;
  }

  private static Policy toAll(Policy.Collection collection) {
    return new Policy(Policy.Dissemination.ALL, collection, Replication.ACTIVE, Ordering.SEQUENCER);
  }

  private static long call(Client client, long change) throws Exception {
    return client.call(number(change)).get().getLong();
  }

  private static void until(String what, BooleanSupplier condition) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).as(what).isBefore(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static Set<String> names(List<MemberId> members) {
    return members.stream().map(MemberId::name).collect(Collectors.toSet());
  }

  /// The most senior server, by its name.
  private String manager() {
    return viewOf(replicas.get("n2")).members().getFirst().name();
  }

  /// Ends a node without a word to the others.
  private void kill(String name) throws InterruptedException {
    Thread.ofPlatform()
        .start(() -> {
          Thread.currentThread().interrupt();
          nodes.get(name).close();
        })
        .join();
  }

  @AfterEach
  void end() {
    free.countDown();
    clients.forEach(Client::close);
    replicas.values().forEach(Replica::close);
    nodes.values().forEach(Node::close);
  }

  @Test
  void aOneClusiveGroupHasTheClientAndItsManagerAndIsDeletedWithTheClient() throws Exception {
    startServers();
    Client client = client(ClientGroup.Kind.ONE_CLUSIVE, MANAGER);
    for (int i = 1; i <= 100; i++) {
      assertThat(call(client, 1)).isEqualTo(i);
    }
    assertThat(client.query(number(0), Read.LINEARIZABLE).get().getLong()).isEqualTo(100);
    String manager = manager();
    ClientGroup its = client.groupDetails().getFirst();
    assertThat(its.name()).startsWith("counter.client.c0.");
    assertThat(its.kind()).isEqualTo(ClientGroup.Kind.ONE_CLUSIVE);
    assertThat(its.client()).isEqualTo(nodes.get("c0").self());
    assertThat(names(its.members())).containsExactlyInAnyOrder("c0", manager);
    assertThat(its.manager()).isEqualTo(nodes.get(manager).self());
    assertThat(its.ordering()).isEqualTo(Ordering.SEQUENCER);
    assertThat(its.guarantee()).isEqualTo(Guarantee.AGREED);
    assertThat(its.position()).isGreaterThan(200);
    assertThat(replicas.get(manager).groupDetails()).extracting(ClientGroup::name).containsExactly(its.name());
    for (String other : SERVERS) {
      assertThat(replicas.get(other).groupDetails()).hasSize(other.equals(manager) ? 1 : 0);
    }
    client.close();
    until("no group at the server", () -> replicas.get(manager).groupDetails().isEmpty());
    assertThat(Metric.sum(replicas.get(manager).metrics(), "replica.clients.groups")).isZero();
    until("no session", () -> Metric.sum(replicas.get(manager).metrics(), "replica.sessions.open") == 0);
    assertThat(client.groupDetails()).isEmpty();
  }

  @Test
  void anInclusiveGroupHasAllServersWhoseRepliesAreCollected() throws Exception {
    startServers();
    Client client = client(ClientGroup.Kind.INCLUSIVE, toAll(Policy.Collection.ALL));
    long value = 0;
    for (int replies = 0; replies < 3; value++) { // once all have come
      Consolidated<Answer> outcome = client.collect(number(1), PATIENCE).get();
      assertThat(outcome).isInstanceOf(Consolidated.Success.class);
      replies = outcome.replies().size();
      assertThat(outcome.replies().getFirst().value().payload().getLong()).isEqualTo(value + 1);
    }
    ClientGroup its = client.groupDetails().getFirst();
    assertThat(client.groupDetails()).hasSize(1);
    assertThat(names(its.members())).containsExactlyInAnyOrder("c0", "n1", "n2", "n3");
    for (String server : SERVERS) {
      assertThat(replicas.get(server).groupDetails()).extracting(ClientGroup::name).containsExactly(its.name());
    }
    client.close();
    for (String server : SERVERS) {
      until("no group at " + server, () -> replicas.get(server).groupDetails().isEmpty());
    }
  }

  /// Each group has its client's ordering, and the servers' group orders the commands of both.
  @Test
  void aSymmetricAndASequencedGroupHaveTheSameServersAtOnce() throws Exception {
    startServers();
    List<Ordering> orderings = List.of(Ordering.SYMMETRIC, Ordering.SEQUENCER);
    List<Client> both = new ArrayList<>();
    for (Ordering ordering : orderings) {
      var wish = new Policy(Policy.Dissemination.ALL, Policy.Collection.MAJORITY, Replication.ACTIVE, ordering);
      both.add(client(ClientGroup.Kind.INCLUSIVE, wish));
    }
    List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      replies.add(both.get(i % 2).call(number(1)));
    }
    List<Long> values = new ArrayList<>();
    for (CompletableFuture<ByteBuffer> reply : replies) {
      values.add(reply.get().getLong());
    }
    assertThat(values).as("each executed once").doesNotHaveDuplicates().hasSize(100).allMatch(one -> one <= 100);
    for (int i = 0; i < 2; i++) {
      Client client = both.get(i);
      until("all servers", () -> client.groupDetails().getFirst().members().size() == 4);
      assertThat(client.groupDetails()).extracting(ClientGroup::ordering).containsExactly(orderings.get(i));
      assertThat(Objects.requireNonNull(client.policy()).ordering()).isEqualTo(Ordering.SEQUENCER);
    }
    for (String server : SERVERS) {
      assertThat(replicas.get(server).groupDetails())
          .extracting(ClientGroup::ordering)
          .containsExactlyInAnyOrderElementsOf(orderings);
    }
  }

  /// A client that has had a reply, and whose group has all servers that it is to have.
  private Client servedClient(ClientGroup.Kind kind) throws Exception {
    Client client = client(kind, MANAGER);
    assertThat(call(client, 1)).isEqualTo(1);
    int members = kind == ClientGroup.Kind.INCLUSIVE ? 1 + SERVERS.size() : 2;
    until("all servers", () -> client.groupDetails().stream().anyMatch(group -> group.members().size() == members));
    assertThat(client.groupDetails().getFirst().members().getFirst())
        .as("orders")
        .isEqualTo(nodes.get(manager()).self());
    return client;
  }

  private long relayed(String client) throws Exception {
    return Metric.sum(nodes.get(client).metrics(), "engine.batches.relayed");
  }

  /// One message over the way to the servers; those near each other tell each other of it.
  @Test
  void aRequestToTheManagerGoesThroughTheSequencerAndOneToAllDoesNot() throws Exception {
    startServers();
    Client client = servedClient(ClientGroup.Kind.INCLUSIVE);
    long before = relayed("c0");
    for (int i = 0; i < 5; i++) {
      call(client, 1);
    }
    assertThat(relayed("c0")).isGreaterThanOrEqualTo(before + 5);
    Client toAll = client(ClientGroup.Kind.INCLUSIVE, toAll(Policy.Collection.FIRST));
    assertThat(call(toAll, 1)).isEqualTo(7);
    assertThat(relayed("c1")).isZero();
  }

  /// The request has come to the manager, and to no other server of the service's group by it.
  @ParameterizedTest
  @EnumSource
  void aManagerIsKilledBeforeItHasPassedTheRequestOn(ClientGroup.Kind kind) throws Exception {
    startServers();
    Client client = servedClient(kind);
    String manager = manager();
    String before = client.groupDetails().getFirst().name();
    long handed = client.groupDetails().getFirst().position();
    Set<Address> others =
        addresses.stream().filter(at -> !at.equals(nodes.get(manager).self().address())).collect(Collectors.toSet());
    transports.get(manager).cut(others);
    CompletableFuture<ByteBuffer> open = client.call(number(2));
    until("the request in the group", () -> client.groupDetails().stream().allMatch(it -> it.position() > handed));
    kill(manager);
    assertThat(open.get().getLong()).isEqualTo(3);
    goesOnWith(client, kind, manager, before);
  }

  /// All servers have executed it, and the manager has not answered.
  @ParameterizedTest
  @EnumSource
  void aManagerIsKilledAfterItHasPassedTheRequestOn(ClientGroup.Kind kind) throws Exception {
    startServers();
    Client client = servedClient(kind);
    String manager = manager();
    String before = client.groupDetails().getFirst().name();
    stuck = manager;
    CompletableFuture<ByteBuffer> open = client.call(number(2));
    reached.await();
    Replica other = replicas.get(manager.equals("n1") ? "n2" : "n1");
    until("executed", () -> Metric.sum(other.metrics(), "replica.commands.executed") == 2);
    kill(manager);
    assertThat(open.get().getLong()).isEqualTo(3);
    long repeated = 0;
    for (String server : SERVERS) {
      repeated += server.equals(manager) ? 0 : Metric.sum(replicas.get(server).metrics(), "replica.commands.repeated");
    }
    assertThat(repeated).as("it came again under its number").isPositive();
    goesOnWith(client, kind, manager, before);
  }

  private void goesOnWith(Client client, ClientGroup.Kind kind, String gone, String before) throws Exception {
    assertThat(call(client, 1)).as("each was executed once").isEqualTo(4);
    until("a view without it", () -> !names(client.groupDetails().getFirst().members()).contains(gone));
    ClientGroup its = client.groupDetails().getFirst();
    if (kind == ClientGroup.Kind.INCLUSIVE) {
      assertThat(its.name()).as("the group goes on").isEqualTo(before);
      assertThat(its.members()).hasSize(3);
      assertThat(its.members().getLast()).as("a server orders, not the client").isEqualTo(its.client());
    } else {
      assertThat(its.name()).as("another group").isNotEqualTo(before);
      assertThat(its.members()).hasSize(2);
      assertThat(its.manager()).isEqualTo(viewOf(replicas.get(gone.equals("n1") ? "n2" : "n1")).members().getFirst());
    }
  }

  /// A client in a group with the manager, which has had the replies of all servers to two commands.
  private Client gatheringClient() throws Exception {
    startServers();
    var all = new Policy(Policy.Dissemination.MANAGER, Policy.Collection.ALL, Replication.ACTIVE, Ordering.SEQUENCER);
    Client client = client(ClientGroup.Kind.ONE_CLUSIVE, all);
    assertThat(client.collect(number(1), PATIENCE).get()).isInstanceOf(Consolidated.Success.class);
    assertThat(repliers(client, 1)).containsExactlyInAnyOrder("n1", "n2", "n3");
    assertThat(names(client.groupDetails().getFirst().members())).containsExactlyInAnyOrder("c0", manager());
    return client;
  }

  private static List<String> repliers(Client client, long change) throws Exception {
    return repliers(client.collect(number(change), PATIENCE).get());
  }

  private static List<String> repliers(Consolidated<Answer> outcome) {
    return outcome.replies().stream().map(reply -> reply.member().name()).toList();
  }

  private static long value(Consolidated<Answer> outcome) {
    return outcome.replies().getFirst().value().payload().getLong();
  }

  @Test
  void theManagerOfAOneClusiveGroupGivesTheRepliesOfAllServersInOneMessage() throws Exception {
    Client client = gatheringClient();
    assertThat(call(client, 1)).isEqualTo(3);
    assertThat(Metric.sum(replicas.get(manager()).metrics(), "replica.bundles.sent")).isEqualTo(3);
    for (String server : SERVERS) {
      assertThat(Metric.sum(replicas.get(server).metrics(), "replica.replies.dropped")).isZero();
    }
  }

  /// The manager has executed the command and waits for the reply of the one that is killed.
  @Test
  void aServerThatCrashesWhileItsReplyIsAwaitedIsNamedInTheBundle() throws Exception {
    Client client = gatheringClient();
    String other = manager().equals("n1") ? "n2" : "n1";
    MemberId gone = nodes.get(other).self();
    stuck = other;
    CompletableFuture<Consolidated<Answer>> open = client.collect(number(1), PATIENCE);
    reached.await();
    Replica manager = replicas.get(manager());
    until("executed", () -> Metric.sum(manager.metrics(), "replica.commands.executed") == 3);
    assertThat(open).isNotDone();
    kill(other);
    Consolidated<Answer> outcome = open.get();
    assertThat(outcome instanceof Consolidated.ReducedMembership<Answer> less ? less.departed() : Set.of())
        .isEqualTo(Set.of(gone));
    assertThat(repliers(outcome)).hasSize(2).doesNotContain(other);
    assertThat(value(outcome)).isEqualTo(3);
    assertThat(repliers(client, 1)).hasSize(2);
  }

  /// All servers have executed it, and the manager has not: the next one gathers the same replies.
  @Test
  void theNextManagerGathersTheRepliesThatTheOneBeforeHasNotGiven() throws Exception {
    Client client = gatheringClient();
    String manager = manager();
    stuck = manager;
    CompletableFuture<Consolidated<Answer>> open = client.collect(number(1), PATIENCE);
    reached.await();
    Replica other = replicas.get(manager.equals("n1") ? "n2" : "n1");
    until("executed", () -> Metric.sum(other.metrics(), "replica.commands.executed") == 3);
    kill(manager);
    Consolidated<Answer> outcome = open.get();
    assertThat(repliers(outcome)).hasSize(2).doesNotContain(manager);
    assertThat(value(outcome)).as("executed once").isEqualTo(3);
    assertThat(call(client, 1)).isEqualTo(4);
  }

  private long redirected() {
    return replicas.values().stream()
        .mapToLong(replica -> Metric.sum(replica.metrics(), "replica.clients.redirected"))
        .sum();
  }

  @Test
  void aClientThatSuspectsItsManagerWronglyIsRefusedByOthersAndFormsTheGroupAnew() throws Exception {
    suspectAfter = Duration.ofSeconds(20); // what is silent here is silent to the client, not to its group
    startServers();
    Client client = client(ClientGroup.Kind.ONE_CLUSIVE, MANAGER);
    assertThat(call(client, 1)).isEqualTo(1);
    String manager = manager();
    String before = client.groupDetails().getFirst().name();
    long refused = redirected();
    transports.get(manager).cut(Set.of(nodes.get("c0").self().address()));
    CompletableFuture<ByteBuffer> open = client.call(number(2));
    until("refused by another server", () -> redirected() > refused);
    transports.get(manager).cut(Set.of());
    assertThat(open.get().getLong()).isEqualTo(3);
    assertThat(call(client, 1)).isEqualTo(4);
    ClientGroup its = client.groupDetails().getFirst();
    assertThat(its.manager()).isEqualTo(nodes.get(manager).self());
    assertThat(its.name()).isNotEqualTo(before);
    assertThat(viewOf(replicas.get(manager)).size()).isEqualTo(3);
  }

  @Test
  void aWrongSuspicionInAnInclusiveGroupIsRefutedAndChangesNoView() throws Exception {
    startServers();
    Client client = servedClient(ClientGroup.Kind.INCLUSIVE);
    String manager = manager();
    ClientGroup before = client.groupDetails().getFirst();
    try (var logged = new LogRecords("org.tutti.Group")) {
      transports.get(manager).cut(Set.of(nodes.get("c0").self().address()));
      CompletableFuture<ByteBuffer> open = client.call(number(2));
      logged.next(".*" + before.name() + ".*is not suspected: .* has heard it.*");
      transports.get(manager).cut(Set.of());
      assertThat(open.get().getLong()).isEqualTo(3);
    }
    ClientGroup after = client.groupDetails().getFirst();
    assertThat(after.name()).isEqualTo(before.name());
    assertThat(after.members()).isEqualTo(before.members());
  }

  @Test
  void aClientWithoutAPolicyHasTheManagerThatItNames() throws Exception {
    startServers();
    for (String server : SERVERS) {
      Client client =
          Client.of("counter")
              .group(node("c" + server), ClientGroup.Kind.ONE_CLUSIVE)
              .at(replicas.get(server).clients())
              .connect();
      clients.add(client);
      call(client, 1);
      assertThat(client.groupDetails().getFirst().manager()).isEqualTo(nodes.get(server).self());
    }
  }

  @Test
  void whatDoesNotGoTogetherIsRefused() throws Exception {
    startServers();
    String at = replicas.get("n2").clients();
    Client.Builder several =
        Client.of("counter").group(node("c"), ClientGroup.Kind.ONE_CLUSIVE).policy(toAll(Policy.Collection.ALL));
    assertThatThrownBy(several::connect).hasMessageContaining("a one-clusive group has one server");
    Client.Builder one = Client.of("counter").at(at).bundled().policy(MANAGER);
    assertThatThrownBy(one::connect).hasMessageContaining("the manager gathers replies for a client that sends to it");
    Client.Builder hedged = Client.of("counter").group(nodes.get("c"), ClientGroup.Kind.INCLUSIVE).hedged();
    assertThatThrownBy(hedged::connect).hasMessageContaining("has no connections");
    Client.Builder nowhere = Client.of("counter").group(nodes.get("c"), ClientGroup.Kind.INCLUSIVE);
    assertThatThrownBy(nowhere::connect).hasMessage("a client needs the address of a replica, or a discovery");
  }

  @Test
  void clientsOfOneNodeFormTheirGroupsOneAfterTheOther() throws Exception {
    startServers();
    Node node = node("c");
    for (ClientGroup.Kind kind : List.of(ClientGroup.Kind.ONE_CLUSIVE, ClientGroup.Kind.INCLUSIVE)) {
      for (int i = 0; i < 2; i++) {
        clients.add(Client.of("counter").at(replicas.get("n2").clients()).group(node, kind).connect());
      }
    }
    List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
    for (Client client : clients) {
      replies.add(client.call(number(1)));
    }
    for (CompletableFuture<ByteBuffer> reply : replies) {
      reply.get();
    }
    assertThat(clients.stream().map(client -> client.groupDetails().getFirst().name())).doesNotHaveDuplicates();
    assertThat(call(clients.getFirst(), 1)).isEqualTo(5);
  }

  @Test
  void aClientOnAServersNodeIsServedByAnotherOneAndIsToldWhyNotByItsOwn() throws Exception {
    startServers();
    Client.Builder builder = Client.of("counter").group(nodes.get("n2"), ClientGroup.Kind.ONE_CLUSIVE);
    Client client = builder.at(replicas.get("n2").clients(), replicas.get("n3").clients()).connect();
    clients.add(client);
    assertThat(call(client, 1)).isEqualTo(1);
    assertThat(client.groupDetails().getFirst().manager()).isNotEqualTo(nodes.get("n2").self());
    Node own = nodes.get(manager());
    Client toItself =
        Client.of("counter")
            .group(own, ClientGroup.Kind.ONE_CLUSIVE)
            .at(replicas.get(manager()).clients())
            .policy(MANAGER)
            .deadline(Duration.ofSeconds(2))
            .connect();
    clients.add(toItself);
    assertThatThrownBy(() -> call(toItself, 1))
        .hasMessageContaining("cannot be asked: already a member of group \"counter.clients@");
  }
}
