package org.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Node;
import org.tutti.blocks.LeaderElection.Leader;
import org.tutti.replica.Client;
import org.tutti.replica.ClientClosedException;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Read;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// The blocks as programs use them, on one replica; what replicas do is tested elsewhere.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlocksTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration MOMENT = Duration.ofMillis(200);

  /// A way to the replica that can be cut: then a client is silent, and its program does not know.
  private static final class Way implements AutoCloseable {
    final ServerSocket server;
    final List<Socket> open = new ArrayList<>();
    private final int to;
    private boolean cut;

    Way(int to) throws IOException {
      this.to = to;
      this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      Thread.ofVirtual().start(this::accept);
    }

    String address() {
      return "127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
      try {
        while (true) {
          Socket client = server.accept();
          var replica = new Socket();
          replica.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to));
          synchronized (this) {
            open.add(client);
            open.add(replica);
            if (cut) {
              client.close();
            }
          }
          Thread.ofVirtual().start(() -> copy(client, replica));
          Thread.ofVirtual().start(() -> copy(replica, client));
        }
      } catch (IOException _) {
        // It is closed.
      }
    }

    private static void copy(Socket from, Socket into) {
      try (from;
          into) {
        from.getInputStream().transferTo(into.getOutputStream());
      } catch (IOException _) {
        // One of them is closed.
      }
    }

    synchronized void cut(boolean now) throws IOException {
      cut = now;
      if (now) {
        for (Socket socket : open) {
          socket.close();
        }
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
      cut(true);
    }
  }

  private final List<Client> clients = new ArrayList<>();
  private Node node;
  private Replica replica;

  @BeforeEach
  void start() throws Exception {
    node = Node.named("n1").transport(new InProcess().open(new Address("a"))).start();
    replica = Replica.of("blocks", new Blocks()).session(Duration.ofSeconds(1)).founding().start(node);
    replica.awaitServing(PATIENCE);
  }

  @AfterEach
  void stop() {
    clients.forEach(Client::close);
    replica.close();
    node.close();
  }

  private Client client(String at) {
    Client client = Client.of("blocks").at(at).silence(Duration.ofMillis(200)).deadline(PATIENCE).connect();
    clients.add(client);
    return client;
  }

  private Client client() {
    return client(replica.clients());
  }

  // ---- map ---------------------------------------------------------------------------------------------------------

  private ReplicatedMap<String, Long> stock(Client client) {
    return ReplicatedMap.of(client, "stock", Codec.text(), Codec.number());
  }

  @Test
  void aMapPutsGetsAndRemoves() throws Exception {
    ReplicatedMap<String, Long> stock = stock(client());
    assertThat(stock.put("bolts", 500L)).isNull();
    assertThat(stock.put("bolts", 480L)).isEqualTo(500);
    assertThat(stock.putIfAbsent("bolts", 7L)).isEqualTo(480);
    assertThat(stock.putIfAbsent("nuts", 7L)).isNull();
    assertThat(stock(client()).get("bolts")).isEqualTo(480);
    assertThat(stock.get("screws")).isNull();
    assertThat(stock.entries()).containsExactly(Map.entry("bolts", 480L), Map.entry("nuts", 7L));
    assertThat(stock.remove("nuts")).isEqualTo(7);
    assertThat(stock.remove("nuts")).isNull();
    assertThat(stock.size()).isEqualTo(1);
    assertThat(stock.reading(Read.SEQUENTIAL).get("bolts")).isEqualTo(480);
    assertThat(stock.putAsync("bolts", 1L).get().orElseThrow().value()).isEqualTo(480);
    assertThat(ReplicatedMap.of(client(), "other", Codec.text(), Codec.number()).size()).isZero();
  }

  @Test
  void aVersionIsNeverThatOfAnotherValue() throws Exception {
    ReplicatedMap<String, Long> stock = stock(client());
    assertThat(stock.compareAndSet("bolts", 0, 1L)).isTrue();
    assertThat(stock.compareAndSet("bolts", 0, 2L)).isFalse();
    Versioned<Long> first = stock.getVersioned("bolts").orElseThrow();
    assertThat(stock.remove("bolts", first.version() + 1)).isFalse();
    assertThat(stock.remove("bolts", first.version())).isTrue();
    assertThat(stock.compareAndSet("bolts", 0, 1L)).isTrue();
    assertThat(stock.compareAndSet("bolts", first.version(), 3L)).isFalse();
    assertThat(stock.get("bolts")).isEqualTo(1);
  }

  @Test
  void changesOfManyAreNotLost() throws Exception {
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ReplicatedMap<String, Long> stock = stock(client());
      workers.add(
          Calls.async(() -> {
            for (int n = 0; n < 25; n++) {
              stock.compute("bolts", before -> before == null ? 1 : before + 1);
            }
            return null;
          }));
    }
    for (CompletableFuture<Void> worker : workers) {
      worker.get();
    }
    assertThat(stock(client()).get("bolts")).isEqualTo(100);
    assertThat(stock(client()).compute("bolts", _ -> null)).isNull();
    assertThat(stock(client()).size()).isZero();
  }

  @Test
  void whoWatchesIsToldEachChangeOnce() throws Exception {
    ReplicatedMap<String, Long> stock = stock(client());
    stock.put("bolts", 1L);
    BlockingQueue<MapEvent<String, Long>> told = new LinkedBlockingQueue<>();
    try (Watch _ = stock(client()).watch(told::add)) {
      stock.put("bolts", 2L);
      stock.remove("bolts");
      assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(new MapEvent.Put<>("bolts", 2L, 2));
      assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(new MapEvent.Removed<>("bolts", 3));
    }
    stock.put("bolts", 3L);
    assertThat(told).isEmpty();
  }

  @Test
  void whoWatchesTooSlowlyGetsTheWholeMap() throws Exception {
    ReplicatedMap<String, Long> stock = stock(client());
    BlockingQueue<MapEvent<String, Long>> told = new LinkedBlockingQueue<>();
    var goOn = new CountDownLatch(1);
    try (Watch _ =
        stock(client())
            .watch(event -> {
              told.add(event);
              try {
                goOn.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            })) {
      stock.put("bolts", -1L);
      assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(new MapEvent.Put<>("bolts", -1L, 1));
      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (long n = 0; n < 2000; n++) {
        puts.add(stock.putAsync("k" + n % 10, n));
      }
      for (CompletableFuture<?> put : puts) {
        put.get();
      }
      goOn.countDown();
      MapEvent<String, Long> next = told.poll(60, TimeUnit.SECONDS);
      assertThat(next).isEqualTo(new MapEvent.Reset<>(stock.entries()));
      assertThat(stock.entries()).hasSize(11).containsEntry("k9", 1999L);
    }
  }

  @Test
  void anEntryThatIsTooLongIsRefused() throws Exception {
    ReplicatedMap<byte[], byte[]> blobs = ReplicatedMap.of(client(), "blobs", Codec.bytes(), Codec.bytes());
    assertThatThrownBy(() -> blobs.put(new byte[1], new byte[5 << 20]))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("an entry has up to");
    blobs.put(new byte[] {1}, new byte[4 << 20 - 1]);
  }

  // ---- counter -----------------------------------------------------------------------------------------------------

  @Test
  void aCounterCounts() throws Exception {
    ReplicatedCounter orders = ReplicatedCounter.of(client(), "orders");
    assertThat(orders.incrementAndGet()).isEqualTo(1);
    assertThat(orders.addAndGet(9)).isEqualTo(10);
    assertThat(orders.addAndGetAsync(-1).get()).isEqualTo(9);
    assertThat(orders.getAndSet(4)).isEqualTo(9);
    assertThat(orders.compareAndSet(5, 6)).isFalse();
    assertThat(orders.compareAndSet(4, 6)).isTrue();
    assertThat(ReplicatedCounter.of(client(), "orders").get()).isEqualTo(6);
    assertThat(orders.get(Read.LOCAL)).isEqualTo(6);
  }

  // ---- lock --------------------------------------------------------------------------------------------------------

  @Test
  void aLockIsHeldByOneAfterTheOther() throws Exception {
    FencedLock mine = FencedLock.of(client(), "ledger");
    FencedLock theirs = FencedLock.of(client(), "ledger");
    FencedLock.Hold first = mine.lock();
    assertThat(theirs.tryLock()).isEmpty();
    assertThat(theirs.tryLock(MOMENT)).isEmpty();
    CompletableFuture<FencedLock.Hold> next = theirs.lockAsync();
    CompletableFuture<FencedLock.Hold> third = theirs.lockAsync();
    assertThat(first.isHeld()).isTrue();
    assertThat(next).isNotDone();
    next.cancel(true);
    first.close();
    assertThat(first.isHeld()).isFalse();
    FencedLock.Hold last = third.get();
    assertThat(last.token()).isGreaterThan(first.token());
    assertThat(first.release()).isFalse();
    assertThat(last.release()).isTrue();
    // The wait that was cancelled may have come into the queue behind the others: it has the lock and gives it back.
    try (FencedLock.Hold again = mine.tryLock(PATIENCE).orElseThrow()) {
      assertThat(again.token()).isGreaterThan(last.token());
    }
    assertThat(mine.tryLock()).isPresent();
  }

  /// The wait ends and is cancelled at the same time: whoever waits next must not wait for nobody.
  @Test
  void aLockThatComesAfterItsWaitWasCancelledIsGivenBack() throws Exception {
    FencedLock mine = FencedLock.of(client(), "ledger");
    FencedLock theirs = FencedLock.of(client(), "ledger");
    for (int i = 0; i < 100; i++) {
      FencedLock.Hold first = mine.lock();
      CompletableFuture<FencedLock.Hold> next = theirs.lockAsync();
      assertThat(first.isHeld()).isTrue(); // which gives it the time to come into the queue
      first.close();
      if (!next.cancel(true)) {
        next.get().close(); // it had come before
      }
    }
    assertThat(mine.tryLock(PATIENCE)).isPresent();
  }

  @Test
  void aResultThatNobodyWaitsForIsHandedBack() throws Exception {
    var mayEnd = new CompletableFuture<String>();
    var handedBack = new CompletableFuture<String>();
    CompletableFuture<String> outcome = Calls.async(mayEnd::join, handedBack::complete); // not interruptible
    outcome.cancel(true);
    mayEnd.complete("a lock");
    assertThat(handedBack.get()).isEqualTo("a lock");
    assertThat(Calls.async(() -> "another", _ -> handedBack.obtrudeValue("both")).get()).isEqualTo("another");
    assertThat(handedBack.get()).isEqualTo("a lock");
  }

  @Test
  void aClientThatIsClosedHoldsNothing() throws Exception {
    Client gone = client();
    FencedLock.of(gone, "ledger").lock();
    CompletableFuture<FencedLock.Hold> next = FencedLock.of(client(), "ledger").lockAsync();
    gone.close();
    assertThat(next.get(60, TimeUnit.SECONDS).token()).isPositive();
  }

  @Test
  void aHolderThatIsNotHeardLosesTheLockAndIsToldLater() throws Exception {
    int port = Integer.parseInt(replica.clients().substring(replica.clients().lastIndexOf(':') + 1));
    try (var way = new Way(port)) {
      FencedLock.Hold mine = FencedLock.of(onlyBy(way), "ledger").lock();
      CompletableFuture<Void> lost = mine.lost();
      FencedLock theirs = FencedLock.of(client(), "ledger");
      assertThat(theirs.tryLock(MOMENT)).isEmpty();
      way.cut(true);
      FencedLock.Hold next = theirs.lock();
      assertThat(next.token()).isGreaterThan(mine.token());
      assertThat(lost).isNotDone();
      way.cut(false);
      lost.get(60, TimeUnit.SECONDS);
      assertThat(mine.isHeld()).isFalse();
      assertThat(next.isHeld()).isTrue();
    }
  }

  /// A client of a replica that says it is reached this way.
  private Client onlyBy(Way way) throws Exception {
    replica.close();
    node.close();
    node = Node.named("n1").transport(new InProcess().open(new Address("a"))).start();
    replica =
        Replica.of("blocks", new Blocks())
            .session(Duration.ofSeconds(1))
            .clients("127.0.0.1:" + way.to)
            .advertise(way.address())
            .founding()
            .start(node);
    replica.awaitServing(PATIENCE);
    return client(way.address());
  }

  // ---- election ----------------------------------------------------------------------------------------------------

  private static final class Record implements LeaderElection.Candidate {
    final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

    @Override
    public void elected(long token) {
      told.add(token);
    }

    @Override
    public void deposed() {
      told.add(0L);
    }
  }

  @Test
  void leadersFollowEachOther() throws Exception {
    var one = new Record();
    var two = new Record();
    BlockingQueue<Optional<Leader>> seen = new LinkedBlockingQueue<>();
    try (LeaderElection observer = LeaderElection.of(client(), "scheduler");
        Watch _ = observer.watch(seen::add);
        LeaderElection second = LeaderElection.of(client(), "scheduler")) {
      assertThat(observer.leader()).isEmpty();
      assertThat(seen.poll(60, TimeUnit.SECONDS)).isEmpty();
      long token;
      try (LeaderElection first = LeaderElection.of(client(), "scheduler")) {
        first.stand("one", one);
        token = one.told.poll(60, TimeUnit.SECONDS);
        assertThat(observer.leader()).contains(new Leader("one", token));
        assertThat(seen.poll(60, TimeUnit.SECONDS)).contains(new Leader("one", token));
        second.stand("two", two);
        assertThatThrownBy(() -> second.stand("three", two)).isInstanceOf(IllegalStateException.class);
        assertThat(two.told).isEmpty();
      }
      assertThat(one.told).containsExactly(0L);
      long next = two.told.poll(60, TimeUnit.SECONDS);
      assertThat(next).isGreaterThan(token);
      Optional<Leader> led = seen.poll(60, TimeUnit.SECONDS);
      if (led.isEmpty()) { // the first one resigned before the second one stood
        led = seen.poll(60, TimeUnit.SECONDS);
      }
      assertThat(led).contains(new Leader("two", next));
    }
    assertThat(two.told).containsExactly(0L);
  }

  // ---- barrier -----------------------------------------------------------------------------------------------------

  @Test
  void partiesWaitForEachOther() throws Exception {
    ReplicatedBarrier phase = ReplicatedBarrier.of(client(), "phase", 3);
    assertThat(phase.await(MOMENT)).isFalse(); // and does not count
    for (int round = 0; round < 3; round++) {
      assertThat(phase.await(Duration.ZERO)).isFalse();
      CompletableFuture<Void> one = phase.awaitAsync();
      CompletableFuture<Void> two = ReplicatedBarrier.of(client(), "phase", 3).awaitAsync();
      assertThat(one).isNotDone();
      assertThat(two).isNotDone();
      assertThat(phase.await(PATIENCE)).isTrue();
      one.get();
      two.get();
    }
  }

  /// One party waits, and another one tries without waiting: it passes if it comes last, and is not counted if it is
  /// told that it did not pass.
  @Test
  void whoDoesNotWaitPassesAsTheLastOne() throws Exception {
    assertThat(ReplicatedBarrier.of(client(), "alone", 1).await(Duration.ZERO)).isTrue();
    ReplicatedBarrier phase = ReplicatedBarrier.of(client(), "phase", 2);
    for (int round = 0; round < 20; round++) {
      CompletableFuture<Void> waits = phase.awaitAsync();
      boolean passed;
      do {
        passed = phase.await(Duration.ZERO);
        assertThat(passed || !waits.isDone()).isTrue();
      } while (!passed);
      waits.get();
    }
  }

  @Test
  void whoGaveUpDoesNotPassWithOthers() throws Exception {
    Client client = client();
    var calls = new Calls(client, Blocks.Kind.BARRIER, "phase");
    calls.call(calls.message(BarrierBlock.ARRIVE, 12).putLong(1).putInt(2));
    calls.call(calls.message(BarrierBlock.LEAVE, 8).putLong(1));
    ReplicatedBarrier phase = ReplicatedBarrier.of(client, "phase", 2);
    CompletableFuture<Void> one = phase.awaitAsync();
    assertThat(phase.await(PATIENCE)).isTrue();
    one.get();
    ByteBuffer question = calls.message(BarrierBlock.PASSED, 16).putLong(1).putLong(1);
    assertThat(calls.query(question, PATIENCE).getLong()).isZero();
  }

  @Test
  void whoseClientIsClosedDoesNotCount() throws Exception {
    ReplicatedBarrier phase = ReplicatedBarrier.of(client(), "phase", 2);
    Client gone = client();
    var calls = new Calls(gone, Blocks.Kind.BARRIER, "phase");
    calls.call(calls.message(BarrierBlock.ARRIVE, 12).putLong(1).putInt(2));
    assertThatThrownBy(() -> ReplicatedBarrier.of(client(), "phase", 3).await(MOMENT))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("a barrier of 3 parties");
    gone.close();
    CompletableFuture<Void> late = ReplicatedBarrier.of(gone, "phase", 2).awaitAsync();
    assertThatThrownBy(late::get).hasCauseInstanceOf(ClientClosedException.class);
    assertThat(phase.await(MOMENT)).isFalse();
    CompletableFuture<Void> one = phase.awaitAsync();
    assertThat(phase.await(PATIENCE)).isTrue();
    one.get();
  }

  @Test
  void whatIsNoCallOfABlockIsRefused() throws Exception {
    Client client = client();
    for (byte[] wrong : List.of(new byte[0], new byte[] {9}, new byte[] {0, 0, 1}, new byte[] {1, 0, 1, 'x', 7})) {
      assertThatThrownBy(() -> Calls.await(client.call(ByteBuffer.wrap(wrong))))
          .isInstanceOf(CommandFailedException.class);
    }
    assertThatThrownBy(() -> ReplicatedCounter.of(client, "x".repeat(2000)).get())
        .isInstanceOf(IllegalArgumentException.class);
  }
}
