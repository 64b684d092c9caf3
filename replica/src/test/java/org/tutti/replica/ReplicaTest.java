package org.tutti.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.fixture.LogRecords;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.SessionTable;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Replicas whose members meet in memory, and clients over TCP.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplicaTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Policy ALL_REPLIES =
      new Policy(Policy.Dissemination.MANAGER, Policy.Collection.ALL, Replication.ACTIVE, Ordering.SEQUENCER);

  /// A counter that refuses to be negative; commands and queries may ask for a reply of zeros, so many bytes long.
  private static final class Counter implements StateMachine {
    private final Runnable restores; // at the beginning of a restore
    private final Runnable applies; // at the beginning of each command
    private final LongSupplier error; // of its state, which clients do not see
    private long value;

    Counter(Runnable restores, Runnable applies, LongSupplier error) {
      this.restores = restores;
      this.applies = applies;
      this.error = error;
    }

    @Override
    public OptionalLong digest() {
      return OptionalLong.of(value + error.getAsLong());
    }

    @Override
    public ByteBuffer apply(Command command) {
      applies.run();
      long change = command.payload().getLong();
      if (value + change < 0) {
        throw new IllegalArgumentException("the counter is " + value);
      }
      value += change;
      boolean asksForZeros = command.payload().remaining() == Integer.BYTES;
      return asksForZeros ? ByteBuffer.allocate(command.payload().getInt()) : number(value);
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return request.hasRemaining() ? ByteBuffer.allocate(request.getInt()) : number(value);
    }

    @Override
    public Snapshot snapshot() {
      byte[] copy = number(value).array();
      return out -> {
        out.write(copy, 0, 4);
        if (DONOR_GOES.getAndSet(false)) {
          throw new IOException("the donor gives up");
        }
        out.write(copy, 4, 4);
      };
    }

    @Override
    public void restore(InputStream in) throws IOException {
      restores.run();
      value = ByteBuffer.wrap(in.readNBytes(Long.BYTES)).getLong();
    }
  }

  private static final Duration CALM = Duration.ofSeconds(30); // a replica that is put out has no clients
  private static final Duration ALERT = Duration.ofMillis(500); // where one ends without a word

  private static final AtomicBoolean DONOR_GOES = new AtomicBoolean();

  private final InProcess hub = new InProcess();
  private Duration session = Duration.ofMinutes(1);
  private Duration suspectAfter = CALM;
  private int connectionsMax = 1000;
  private Runnable restores = () -> {};
  private final CountDownLatch free = new CountDownLatch(1); // until then c does nothing more, if it is stuck
  private volatile boolean stuck;
  private volatile boolean drifts; // the state of c
  private final List<Node> nodes = new ArrayList<>();
  private final List<Replica> replicas = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final Queue<String> heard = new ConcurrentLinkedQueue<>();

  private static ByteBuffer number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
  }

  private Replica start(String name) {
    Node node =
        Node.named(name)
            .contacts(List.of(new Address("a"), new Address("b"), new Address("c")))
            .times(Duration.ofMillis(50), suspectAfter)
            .transport(hub.open(new Address(name)))
            .start();
    nodes.add(node);
    boolean last = name.equals("c");
    Replica replica =
        Replica.of("counter", new Counter(restores, last ? this::stayStuck : () -> {}, () -> last && drifts ? 16 : 0))
            .compareEvery(Duration.ofSeconds(1))
            .session(session)
            .connectionsMax(connectionsMax)
            .watch(
                new Replica.Watcher() {
                  @Override
                  public void viewed(View view) {
                    heard.add(name + " sees " + view.size() + (view.primary() ? "" : ", not primary"));
                  }

                  @Override
                  public void served(boolean serves, long position) {
                    heard.add(name + (serves ? " serves" : " ceases to serve"));
                  }

                  @Override
                  public void diverged(Divergence found) {
                    heard.add(name + " finds " + new TreeMap<>(found.digests()));
                  }
                })
            .expecting("a", "b", "c")
            .start(node);
    replicas.add(replica);
    return replica;
  }

  private void stayStuck() {
    if (stuck) {
      try {
        free.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void startAll() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      start(name);
    }
    for (Replica replica : replicas) {
      replica.awaitServing(PATIENCE);
    }
  }

  private Client client(String... at) {
    Client client = Client.of("counter").at(at).deadline(PATIENCE).connect();
    clients.add(client);
    return client;
  }

  private static long call(Client client, long change) throws Exception {
    return client.call(number(change)).get().getLong();
  }

  private static long read(Client client, Read read) throws Exception {
    return client.query(ByteBuffer.allocate(0), read).get().getLong();
  }

  @AfterEach
  void stop() {
    free.countDown();
    clients.forEach(Client::close);
    replicas.forEach(Replica::close);
    nodes.forEach(Node::close);
  }

  @Test
  void commandsAreExecutedOnceWhileReplicasGo() throws Exception {
    startAll();
    Client client = client(replicas.get(0).clients(), replicas.get(1).clients());
    List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      replies.add(client.call(number(1)));
      if (i == 300) {
        replicas.get(0).close();
        nodes.get(0).close();
      }
    }
    for (int i = 0; i < replies.size(); i++) {
      assertThat(replies.get(i).get().getLong()).isEqualTo(i + 1);
    }
    assertThat(read(client, Read.LINEARIZABLE)).isEqualTo(1000);
  }

  @Test
  void aClientSaysWhereItIsConnected() throws Exception {
    startAll();
    String at = replicas.get(0).clients();
    Client client = client(at);
    assertThat(call(client, 1)).isEqualTo(1);
    assertThat(client).hasToString("client of \"counter\", connected at " + at);
    client.close();
    assertThat(client).hasToString("client of \"counter\", closed, last at " + at);
  }

  @Test
  void aReplicaWhoseNodeIsClosedEndsWithoutAWarning() throws Exception {
    try (var logged = new LogRecords("org.tutti.replica")) {
      Replica replica = start("a");
      start("b");
      replica.awaitServing(PATIENCE);
      nodes.get(0).close();
      while (replica.ended() == null) { // until it has taken its last event
        Thread.onSpinWait();
      }
      assertThat(replica.ended()).hasMessageContaining("the membership has ended");
      assertThat(logged.all()).isEmpty();
    }
  }

  @Test
  void aHedgedClientsCommandsAreExecutedOnceToo() throws Exception {
    startAll();
    Client client =
        Client.of("counter")
            .at(replicas.get(0).clients(), replicas.get(1).clients())
            .hedged()
            .deadline(PATIENCE)
            .connect();
    clients.add(client);
    for (int i = 1; i <= 2000; i++) {
      assertThat(call(client, 1)).isEqualTo(i);
      if (i == 1000) {
        replicas.get(0).close();
        nodes.get(0).close();
      }
    }
    assertThat(client.hedges()).isBetween(1L, 2000L / 20 + 4);
  }

  /// Bound to replica c, and with copies to the others.
  private Client toAll(Duration silence) throws Exception {
    var policy = new Policy(Policy.Dissemination.ALL, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);
    Client client =
        Client.of("counter").at(replicas.get(2).clients()).policy(policy).silence(silence).deadline(PATIENCE).connect();
    clients.add(client);
    assertThat(call(client, 1)).isEqualTo(1);
    for (Instant end = Instant.now().plus(PATIENCE); open(0) + open(1) + open(2) < 3; Thread.onSpinWait()) {
      assertThat(Instant.now()).as(open(0) + ", " + open(1) + " and " + open(2) + " clients").isBefore(end);
    }
    assertThat(call(client, 1)).isEqualTo(2);
    return client;
  }

  @Test
  void aClientThatSendsToAllGoesOnWhenTheReplicaThatItIsBoundToEnds() throws Exception {
    suspectAfter = ALERT;
    startAll();
    Client client = toAll(Duration.ofSeconds(1));
    List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      replies.add(client.call(number(1)));
      if (i == 300) {
        Thread.currentThread().interrupt(); // so the node does not wait until it has left
        nodes.get(2).close();
        assertThat(Thread.interrupted()).isTrue();
        replicas.get(2).close();
      }
    }
    for (int i = 0; i < replies.size(); i++) {
      assertThat(replies.get(i).get().getLong()).as("each executed once, in order").isEqualTo(i + 3);
    }
    assertThat(read(client, Read.LINEARIZABLE)).isEqualTo(1002);
    assertThat(Metric.sum(client.metrics(), "client.replicas.left")).isPositive();
    assertThat(Metric.sum(replicas.get(0).metrics(), "replica.commands.repeated")).isPositive();
  }

  private static String words(Consolidated<Answer> outcome) {
    return switch (outcome) {
      case Consolidated.Success<Answer>(Answer chosen, var replies) ->
          chosen.payload().getLong() + " by " + replies.size();
      case Consolidated.ReducedMembership<Answer>(Answer chosen, var _, var departed) ->
          chosen.payload().getLong() + " without " + departed;
      case Consolidated.Timeout<Answer> late -> "nothing yet of " + late.silent();
      default -> "they differ: " + outcome.replies();
    };
  }

  @Test
  void aClientCollectsTheRepliesOfAllAndIsToldWhoHasLeft() throws Exception {
    suspectAfter = ALERT;
    startAll();
    Client client = Client.of("counter").at(replicas.get(2).clients()).policy(ALL_REPLIES).deadline(PATIENCE).connect();
    clients.add(client);
    long value = 1;
    Instant end = Instant.now().plus(PATIENCE);
    while (!words(client.collect(number(1), PATIENCE).get()).equals(value + " by 3")) { // once all have said they serve
      assertThat(Instant.now()).isBefore(end);
      value++;
    }
    assertThat(call(client, 1)).isEqualTo(value + 1);
    assertThatThrownBy(() -> call(client, -10_000_000)).hasMessageContaining("the counter is ");
    stuck = true;
    CompletableFuture<Consolidated<Answer>> open = client.collect(number(1), PATIENCE);
    assertThat(words(client.collect(number(1), Duration.ofMillis(100)).get()))
        .startsWith("nothing yet of [")
        .contains("c")
        .endsWith("]");
    assertThat(open.isDone()).isFalse();
    Thread.currentThread().interrupt(); // so the node does not wait until it has left
    nodes.get(2).close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(words(open.get())).isEqualTo((value + 2) + " without [c]");
    assertThat(read(client, Read.LINEARIZABLE)).isEqualTo(value + 3);
  }

  @Test
  void theManagerGathersTheRepliesOfAllHoweverLongTheyAre() throws Exception {
    startAll();
    Client client =
        Client.of("counter").at(replicas.get(2).clients()).policy(ALL_REPLIES).bundled().deadline(PATIENCE).connect();
    clients.add(client);
    Instant end = Instant.now().plus(PATIENCE);
    while (client.collect(number(1), PATIENCE).get().replies().size() < 3) { // once all have said they serve
      assertThat(Instant.now()).isBefore(end);
    }
    for (int bytes : List.of(Long.BYTES, 100_000, SessionTable.REPLY_BYTES_MAX - 64, SessionTable.REPLY_BYTES_MAX)) {
      ByteBuffer command = ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putInt(Long.BYTES, bytes);
      Consolidated<Answer> outcome = client.collect(command, PATIENCE).get();
      assertThat(outcome.replies()).as(bytes + " bytes: " + outcome).hasSize(3);
      outcome.replies().forEach(reply -> assertThat(reply.value().payload().remaining()).isEqualTo(bytes));
    }
  }

  /// The client would not leave the replica before its calls are over: the copies are what is answered.
  @Test
  void aClientThatSendsToAllDoesNotWaitForAReplicaThatSaysNothingMore() throws Exception {
    startAll();
    Client client = toAll(PATIENCE.multipliedBy(10));
    stuck = true;
    for (int i = 3; i < 100; i++) {
      assertThat(call(client, 1)).isEqualTo(i);
    }
    assertThat(Metric.sum(client.metrics(), "client.replicas.left")).isZero();
  }

  @Test
  void callsGoOnWhileTheReplicasSwitchTheirOrderingAndClientsAreTold() throws Exception {
    startAll();
    Client any = client(replicas.get(0).clients());
    var first =
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);
    Client manager = Client.of("counter").at(replicas.get(1).clients()).deadline(PATIENCE).policy(first).connect();
    clients.add(manager);
    assertThat(call(manager, 1)).isEqualTo(1);
    assertThat(manager.policy()).isEqualTo(first);
    List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
    for (Ordering to : List.of(Ordering.SYMMETRIC, Ordering.SEQUENCER, Ordering.SYMMETRIC)) {
      CompletableFuture<Void> switched = replicas.get(replies.size() % 3).group().switchTo(to);
      for (int i = 0; i < 100; i++) {
        replies.add((i % 2 == 0 ? any : manager).call(number(1)));
      }
      switched.get();
      awaitPolicy(manager, first.agreed(Replication.ACTIVE, to));
    }
    for (CompletableFuture<ByteBuffer> reply : replies) {
      reply.get();
    }
    assertThat(read(any, Read.LINEARIZABLE)).as("each executed once").isEqualTo(replies.size() + 1);
    assertThat(any.policy()).isNull();
    assertThat(Metric.sum(manager.metrics(), "client.replicas.left")).as("to the manager").isLessThan(2);
  }

  private static void awaitPolicy(Client client, Policy policy) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!policy.equals(client.policy())) {
      assertThat(Instant.now()).as("not told of " + policy + ", but " + client.policy()).isBefore(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void aReplicaWithAnotherStateIsFoundByAllOfThem() throws Exception {
    startAll();
    Client client = client(replicas.get(0).clients());
    assertThat(call(client, 5)).isEqualTo(5);
    Duration wait = Duration.ofSeconds(30);
    StateComparison equal = client.compareStates(wait).get();
    assertThat(equal.digests()).isEqualTo(Map.of("a", 5L, "b", 5L, "c", 5L));
    assertThat(equal.isEqual()).isTrue();
    drifts = true;
    StateComparison different = client(replicas.get(1).clients()).compareStates(wait).get();
    assertThat(different.digests()).isEqualTo(Map.of("a", 5L, "b", 5L, "c", 21L));
    assertThat(different.position()).isGreaterThan(equal.position());
    List<String> expected = Stream.of("a", "b", "c").map(name -> name + " finds {a=5, b=5, c=21}").toList();
    for (Instant end = Instant.now().plus(PATIENCE); !heard.containsAll(expected); Thread.onSpinWait()) {
      assertThat(Instant.now()).as(heard.toString()).isBefore(end); // the next comparison, if one was late in this one
    }
    assertThat(heard).filteredOn(words -> words.contains(" finds ")).allMatch(words -> words.contains("c=21"));
    assertThat(replicas).allMatch(one -> Metric.sum(one.metrics(), "replica.states.different") > 0);
    assertThat(call(client, 1)).isEqualTo(6);
  }

  @Test
  void aNewcomerHasTheStateAndTheSessions() throws Exception {
    startAll();
    Client client = client(replicas.get(0).clients());
    assertThat(call(client, 5)).isEqualTo(5);
    replicas.get(1).close();
    nodes.get(1).close();
    Replica newcomer = start("b");
    newcomer.awaitServing(PATIENCE);
    replicas.get(0).close(); // the client goes to one of the others, of whom it has been told
    nodes.get(0).close();
    assertThat(call(client, 1)).isEqualTo(6);
    assertThat(Metric.sum(client.metrics(), "client.replicas.left")).isPositive();
    Client other = client(newcomer.clients());
    assertThat(read(other, Read.LINEARIZABLE)).isEqualTo(6);
    assertThat(Metric.sum(newcomer.metrics(), "replica.sessions.open")).isEqualTo(1);
  }

  @Test
  void clientsThatAreAllAtOneReplicaAreShared() throws Exception {
    startAll();
    String first = replicas.get(0).clients();
    List<Client> all = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      all.add(client(first));
    }
    Instant end = Instant.now().plus(PATIENCE);
    for (long value = 0; open(1) < 3 || open(2) < 3; ) {
      for (Client each : all) {
        assertThat(call(each, 1)).isEqualTo(++value);
      }
      assertThat(Instant.now()).as(open(0) + ", " + open(1) + " and " + open(2) + " clients").isBefore(end);
    }
    assertThat(Metric.sum(replicas.get(0).metrics(), "replica.clients.moved")).isBetween(6L, 10L);
  }

  private long open(int replica) {
    return Metric.sum(replicas.get(replica).metrics(), "replica.connections.open");
  }

  @Test
  void aReplicaThatGetsAStateHoldsUpNobody() throws Exception {
    start("a");
    start("b");
    for (Replica replica : replicas) {
      replica.awaitServing(PATIENCE);
    }
    Client client = client(replicas.get(0).clients());
    assertThat(call(client, 5)).isEqualTo(5);
    var begun = new CountDownLatch(1);
    var mayEnd = new CountDownLatch(1);
    restores =
        () -> {
          begun.countDown();
          try {
            mayEnd.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    Replica newcomer = start("c");
    assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(newcomer.isServing()).isFalse();
    assertThat(Metric.sum(newcomer.metrics(), "replica.sessions.open")).isZero();
    try (var socket = new Socket("127.0.0.1", port(2))) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      assertThat(socket.getInputStream().read()).as("turned away at once").isNegative();
    }
    assertThat(call(client, 1)).isEqualTo(6);
    mayEnd.countDown();
    newcomer.awaitServing(PATIENCE);
    assertThat(read(client(newcomer.clients()), Read.LINEARIZABLE)).isEqualTo(6);
  }

  @Test
  void aNewcomerWhoseDonorGivesUpGetsTheStateAllTheSame() throws Exception {
    startAll();
    Client client = client(replicas.get(0).clients());
    assertThat(call(client, 5)).isEqualTo(5);
    replicas.get(1).close();
    nodes.get(1).close();
    DONOR_GOES.set(true);
    Replica newcomer = start("b");
    newcomer.awaitServing(PATIENCE);
    assertThat(DONOR_GOES).isFalse();
    assertThat(read(client(newcomer.clients()), Read.LOCAL)).isEqualTo(5);
  }

  @Test
  void whoWatchesHearsOfViewsAndOfService() throws Exception {
    startAll();
    assertThat(heard).contains("a serves", "b serves", "c serves");
    replicas.get(1).close();
    awaitHeard("a sees 2");
    assertThat(replicas.get(1).isServing()).isFalse();
  }

  private void awaitHeard(String words) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!heard.contains(words)) {
      assertThat(Instant.now()).as("not heard: " + words + ", but " + heard).isBefore(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void whatTheServiceRefusesTheClientIsTold() throws Exception {
    startAll();
    Client client = client(replicas.get(2).clients());
    var refused = catchThrowableOfType(ExecutionException.class, () -> client.call(number(-1)).get());
    assertThat(refused.getCause()).isInstanceOf(CommandFailedException.class).hasMessage("the counter is 0");
    assertThat(call(client, 2)).isEqualTo(2);
  }

  @Test
  void everyReadSeesWhatItMust() throws Exception {
    startAll();
    Client writer = client(replicas.get(0).clients());
    Client reader = client(replicas.get(2).clients());
    for (int i = 1; i <= 100; i++) {
      assertThat(call(writer, 1)).isEqualTo(i);
      assertThat(read(reader, Read.LINEARIZABLE)).isGreaterThanOrEqualTo(i);
      assertThat(read(writer, Read.SEQUENTIAL)).isGreaterThanOrEqualTo(i);
      assertThat(read(reader, Read.LOCAL)).isBetween(0L, (long) i);
    }
  }

  @Test
  void aCallThatFindsNobodyEndsAtItsDeadlineAndWasNotExecuted() throws Exception {
    Client client = client("127.0.0.1:1");
    var late =
        catchThrowableOfType(ExecutionException.class, () -> client.call(number(1), Duration.ofMillis(200)).get());
    assertThat(late.getCause())
        .isInstanceOfSatisfying(CallTimeoutException.class, timeout -> assertThat(timeout.mayBeExecuted()).isFalse())
        .hasMessageContaining("127.0.0.1:1");
  }

  @Test
  void aCallThatIsCancelledInTimeIsNotExecuted() throws Exception {
    Client client = client("127.0.0.1:1");
    CompletableFuture<ByteBuffer> call = client.call(number(1));
    call.cancel(false);
    client.close();
    assertThat(call).isCancelled();
    assertThatThrownBy(() -> client.call(number(1)).get()).hasCauseInstanceOf(ClientClosedException.class);
  }

  @Test
  void aSessionWhoseClientIsGoneExpiresAlthoughNobodyIsConnected() throws Exception {
    session = Duration.ofSeconds(1);
    startAll();
    while (!opensASession(replicas.get(1).clients())) {
      Thread.onSpinWait(); // the replica may still be taken out of the first views, and back
    }
    awaitSessions(0);
  }

  /// Opens a session and goes without a word.
  private static boolean opensASession(String at) throws IOException, Frame.MalformedException {
    try (var socket = new Socket("127.0.0.1", Integer.parseInt(at.substring(at.indexOf(':') + 1)))) {
      socket.getOutputStream().write(new Frame.Hello("counter", Frame.NO_POLICY).encode().array());
      socket.getOutputStream().write(new Frame.Open(7, new SessionTable.Secret(1, 2)).encode().array());
      var in = new DataInputStream(socket.getInputStream());
      while (true) {
        switch (Frame.decode(ByteBuffer.wrap(in.readNBytes(in.readInt())))) {
          case Frame.Opened opened -> {
            return opened.session() > 0;
          }
          case Frame.Away _ -> {
            return false;
          }
          default -> {}
        }
      }
    } catch (EOFException | SocketException _) { // it may also close between the two frames
      return false;
    }
  }

  private void awaitSessions(long count) {
    Instant end = Instant.now().plus(PATIENCE);
    for (Replica replica : replicas) {
      while (Metric.sum(replica.metrics(), "replica.sessions.open") != count) {
        assertThat(Instant.now()).as("not " + count + " sessions: " + replica.metrics()).isBefore(end);
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void whoIsNoClientIsToldWhyAndCounted() throws Exception {
    startAll();
    assertThat(answer("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8))).contains("a frame of 1195725856 bytes");
    assertThat(answer(new byte[] {0, 0, 0, 0})).contains("a frame of 0 bytes");
    assertThat(answer(ByteBuffer.allocate(4).putInt(Frame.HELLO_BYTES_MAX + 1).array())).contains("a frame of 1025");
    assertThat(answer(new byte[] {22, 3, 1, 2, 0, 1, 0})).contains("do not use TLS");
    assertThat(answer(new byte[] {0, 0, 0, 2, 99, 0})).contains("no frame of kind 99");
    byte[] hello = new Frame.Hello("other", Frame.NO_POLICY).encode().array();
    assertThat(answer(hello)).contains("this is service \"counter\"");
    byte[] unknown = new Frame.Hello("counter", 0x3f000000).encode().array();
    assertThat(answer(unknown)).contains("there is no policy 3f000000");
    byte[] unmade = new Frame.Hello("counter", 0x00020000).encode().array(); // all replies, of passive replication
    assertThat(answer(unmade)).contains("passive replication gives one reply");
    assertThat(closed("policy")).isEqualTo(2);
    assertThat(closed("malformed")).isEqualTo(2);
    assertThat(closed("bad-length")).isEqualTo(3);
    assertThat(closed("is-tls")).isEqualTo(1);
    assertThat(call(client(replicas.get(0).clients()), 1)).isEqualTo(1);
  }

  /// How many connections the first replica has ended for a reason.
  private long closed(String reason) {
    return replicas.get(0).metrics().stream()
        .filter(metric -> reason.equals(metric.tag("reason")))
        .mapToLong(Metric::value)
        .sum();
  }

  /// What a replica says to some bytes until it ends the connection.
  private String answer(byte[] said) throws IOException {
    String at = replicas.get(0).clients();
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(at.substring(at.indexOf(':') + 1))));
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write(said);
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void framesThatDoNotEndYieldToOthers() throws Exception {
    startAll();
    List<Socket> stuck = new ArrayList<>();
    try {
      for (int i = 0; i < 12; i++) { // more than 64 MiB
        var socket = new Socket("127.0.0.1", port(0));
        stuck.add(socket);
        ByteBuffer long8 = ByteBuffer.allocate(Integer.BYTES + (6 << 20)).putInt(0, Frame.PAYLOAD_BYTES_MAX);
        socket.getOutputStream().write(new Frame.Hello("counter", Frame.NO_POLICY).encode().array());
        socket.getOutputStream().write(long8.array());
      }
      Instant end = Instant.now().plus(PATIENCE);
      while (closed("unfinished") < 12 - 8) {
        assertThat(Instant.now()).as("as many were ended: " + replicas.get(0).metrics()).isBefore(end);
        Thread.onSpinWait();
      }
      assertThat(closed("unfinished")).isEqualTo(12 - 8);
      stuck.getFirst().setSoTimeout((int) PATIENCE.toMillis());
      assertThat(new String(stuck.getFirst().getInputStream().readAllBytes(), UTF_8))
          .contains("did not come to its end");
      ByteBuffer command = ByteBuffer.allocate(Frame.PAYLOAD_BYTES_MAX).putLong(0, 5);
      assertThat(client(replicas.get(0).clients()).call(command).get().getLong()).isEqualTo(5);
    } finally {
      for (Socket socket : stuck) {
        socket.close();
      }
    }
  }

  private int port(int replica) {
    String at = replicas.get(replica).clients();
    return Integer.parseInt(at.substring(at.indexOf(':') + 1));
  }

  private static long clientThreads() {
    return Thread.getAllStackTraces().keySet().stream().filter(it -> it.getName().equals("tutti-clients")).count();
  }

  @Test
  void theClientsOfAProcessShareAFewThreads() throws Exception {
    startAll();
    for (int round = 1; round <= 3; round++) {
      List<Client> these = new ArrayList<>();
      List<CompletableFuture<Void>> closed = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        these.add(client(replicas.get(i % 3).clients()));
      }
      for (Client each : these) {
        closed.add(each.call(number(1)).thenRun(each::close)); // by the thread that is shared
      }
      assertThat(clientThreads()).isBetween(1L, (long) Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
      for (CompletableFuture<Void> each : closed) {
        each.get();
      }
      assertThat(call(client(replicas.get(0).clients()), 0)).isEqualTo(20 * round); // perhaps on a new thread
    }
  }

  @Test
  void eachCallOfManyThreadsAtOneClientIsAnsweredOnce() throws Exception {
    startAll();
    Client shared = client(replicas.get(0).clients());
    Queue<Long> replies = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      var over = new CompletableFuture<Void>();
      threads.add(over);
      Thread.startVirtualThread(() -> {
        try {
          for (int call = 0; call < 50; call++) {
            replies.add(call(shared, 1));
          }
          over.complete(null);
        } catch (Exception why) {
          over.completeExceptionally(why);
        }
      });
    }
    for (CompletableFuture<Void> each : threads) {
      each.get();
    }
    assertThat(replies).hasSize(1600).doesNotHaveDuplicates();
    assertThat(call(shared, 0)).isEqualTo(1600);
  }

  /// By the clients' own thread, which writes what follows of several replies together, unless it is much.
  @Test
  void whatFollowsOfRepliesIsExecuted() throws Exception {
    startAll();
    Client client = client(replicas.get(0).clients());
    List<CompletableFuture<Long>> chains = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      chains.add(chain(client, 30));
    }
    for (CompletableFuture<Long> each : chains) {
      each.get();
    }
    assertThat(call(client, 0)).isEqualTo(20 * 30);
  }

  /// One call after the other, each in what follows of the one before; every tenth with much payload.
  private static CompletableFuture<Long> chain(Client client, int length) {
    try {
      int bytes = length % 10 == 0 ? 1 << 18 : Long.BYTES;
      CompletableFuture<ByteBuffer> reply = client.call(ByteBuffer.allocate(bytes).putLong(0, 1));
      return length == 1
          ? reply.thenApply(ByteBuffer::getLong)
          : reply.thenCompose(before -> chain(client, length - 1));
    } catch (InterruptedException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Test
  void whoFloodsWithConnectionsIsRefusedAndKnownClientsAreServed() throws Exception {
    connectionsMax = 20;
    startAll();
    // Clients with a policy do not count when replicas balance their load: the known one is not sent to another
    // replica.
    var policy = new Policy(Policy.Dissemination.ALL, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);
    byte[] hello = new Frame.Hello("counter", policy.code()).encode().array();
    List<Socket> greeted = new ArrayList<>();
    try {
      Client known = // it stays: one that hears nothing for the usual second goes to another replica
          Client.of("counter").at(replicas.get(0).clients()).silence(CALM).deadline(PATIENCE).connect();
      clients.add(known);
      assertThat(call(known, 1)).isEqualTo(1);
      for (int i = 1; i < connectionsMax; i++) {
        var socket = new Socket("127.0.0.1", port(0));
        greeted.add(socket);
        socket.getOutputStream().write(hello);
        assertThat(socket.getInputStream().read()).isNotNegative();
      }
      for (int i = 0; i < 100; i++) {
        assertThat(answer(new byte[0])).contains("there are too many clients here");
      }
      assertThat(closed("too-many")).isEqualTo(100);
      assertThat(call(known, 1)).isEqualTo(2);
      assertThat(call(client(replicas.get(0).clients(), replicas.get(1).clients()), 1)).isEqualTo(3);
    } finally {
      for (Socket socket : greeted) {
        socket.close();
      }
    }
  }

  @Test
  void aClientThatDoesNotReadLosesItsConnectionAndNobodyElseNotices() throws Exception {
    startAll();
    String at = replicas.get(0).clients();
    try (var socket = new Socket("127.0.0.1", Integer.parseInt(at.substring(at.indexOf(':') + 1)))) {
      socket.getOutputStream().write(new Frame.Hello("counter", Frame.NO_POLICY).encode().array());
      ByteBuffer megabytes = ByteBuffer.allocate(Integer.BYTES).putInt(0, 4 << 20);
      for (int i = 0; i < 20; i++) {
        socket.getOutputStream().write(new Frame.Query(i, Read.LOCAL, 0, megabytes).encode().array());
      }
      assertThat(call(client(at), 1)).isEqualTo(1);
      assertThat(socket.isConnected()).isTrue();
      var in = new DataInputStream(socket.getInputStream());
      assertThatThrownBy(() -> in.skipNBytes(100 << 20)).isInstanceOf(IOException.class);
      assertThat(replicas.get(0).metrics())
          .anyMatch(metric -> "slow".equals(metric.tag("reason")) && metric.value() == 1);
    }
  }
}
