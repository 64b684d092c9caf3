package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.tutti.fixture.Awaited.next;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.StateSink;
import org.tutti.View;
import org.tutti.fixture.ManualMembership;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.fixture.StartedNodes;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.user.GroupUser;

/// State transfers over TCP that are broken off: by a cut, by a crash, by the newcomer; and a reader that is slow.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransferTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MUCH = 4 * GroupUser.CHUNKS_ON_THE_WAY * GroupUser.CHUNK_BYTES_MAX; // does not fit the way
  private static final GroupConfig CONFIG = GroupConfig.builder().stateTransfer(true).build();
  private static final MemberConfig SMALL =
      MemberConfig.builder().windowBytes(64 << 10).catchUpBytesMax(64 << 10).build();
  private static final int WINDOW_MESSAGES = 63; // of 1 KiB

  private final StartedNodes nodes = new StartedNodes(Duration.ofSeconds(3));
  private final List<PartitionableTransport> transports = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void end() throws Exception {
    nodes.close();
    threads.shutdownNow();
    assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  private Node start() throws IOException {
    transports.add(new PartitionableTransport(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan())));
    return nodes.start(transports.getLast());
  }

  /// Cuts a node off from all others, both ways.
  private void isolate(Group alone, boolean cut) {
    Address address = alone.self().address();
    for (int i = 0; i < nodes.all.size(); i++) {
      Address at = nodes.all.get(i).self().address();
      Set<Address> lost = at.equals(address) ? Set.copyOf(addressesBut(address)) : Set.of(address);
      transports.get(i).cut(cut ? lost : Set.of());
    }
  }

  private List<Address> addressesBut(Address one) {
    return nodes.all.stream().map(node -> node.self().address()).filter(other -> !other.equals(one)).toList();
  }

  private static View untilViewOf(Group group, int size) throws InterruptedException {
    View view = next(group, Event.ViewChange.class).view();
    while (view.size() != size) {
      view = next(group, Event.ViewChange.class).view();
    }
    return view;
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private static void write(StateSink sink, int bytes) throws IOException {
    sink.write(new byte[bytes]);
  }

  /// Takes all events from now on; the state is empty. Whoever has it may be the next donor.
  private static Void follow(Group group, AtomicLong next) throws InterruptedException {
    while (true) {
      switch (group.receive()) {
        case Event.Delivery delivery -> next.set(delivery.position() + 1);
        case Event.StateRequest(_, StateSink sink) -> {
          try (sink) {
            sink.complete();
          } catch (IOException gone) {
            // It asks again.
          }
        }
        case Event.StateOffer offer -> {
          try (var source = offer.source()) {
            assertThat(source.read()).isEqualTo(-1);
            next.set(offer.position());
          } catch (IOException gone) {
            // Another one follows.
          }
        }
        case Event.Closed _ -> {
          return null;
        }
        case Event.ViewChange _, Event.CaughtUp _, Event.Propagated _, Event.LocalCall _ -> {}
      }
    }
  }

  @Test
  void readersLearnThatTheOnlyDonorIsCutOffAlthoughNoPrimaryViewFollows() throws Exception {
    Group donor = start().create("bank", CONFIG, SMALL);
    untilViewOf(donor, 1);
    Group second = start().join("bank", CONFIG, SMALL);
    StateSink toSecond = next(donor, Event.StateRequest.class).sink();
    Group third = start().join("bank", CONFIG, SMALL);
    StateSink toThird = next(donor, Event.StateRequest.class).sink();
    List<Future<?>> writers =
        List.of(
            threads.submit(() -> assertThatIOException().isThrownBy(() -> write(toSecond, MUCH))),
            threads.submit(() -> assertThatIOException().isThrownBy(() -> write(toThird, MUCH))));
    var reading = new ArrayList<Event.StateOffer>();
    for (Group newcomer : List.of(second, third)) {
      Event.StateOffer offer = next(newcomer, Event.StateOffer.class);
      assertThat(offer.source().readNBytes(1000)).hasSize(1000);
      reading.add(offer);
    }
    get(donor.multicast(new byte[1])); // kept back at both
    isolate(donor, true);
    for (Event.StateOffer offer : reading) {
      assertThatIOException()
          .isThrownBy(() -> offer.source().readAllBytes())
          .withMessage("the state from n1 is void: its donor has gone, or it arrived damaged");
    }
    for (Group newcomer : List.of(second, third)) {
      View view = untilViewOf(newcomer, 2);
      assertThat(view.primary()).isFalse();
      assertThat(view.contains(donor.self())).isFalse();
    }
    for (Future<?> writer : writers) {
      get(writer);
    }
    isolate(donor, false);
    List<AtomicLong> next = List.of(new AtomicLong(), new AtomicLong(), new AtomicLong());
    List<Group> groups = List.of(donor, second, third);
    for (int i = 0; i < groups.size(); i++) {
      int at = i;
      threads.submit(() -> follow(groups.get(at), next.get(at)));
    }
    var own = (Outcome.Ordered) donor.multicast(new byte[1]).thenCompose(Outcome::settled).get();
    long position = own.position();
    while (next.stream().anyMatch(each -> each.get() <= position)) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anotherDonorSendsOnlyWhatIsMissing() throws Exception {
    var replicas = new ArrayList<LargeStateApplication>();
    replicas.add(new LargeStateApplication(start().create("bank", CONFIG, SMALL), true));
    for (int i = 0; i < 2; i++) {
      replicas.add(new LargeStateApplication(start().join("bank", CONFIG, SMALL), false));
      if (i == 0) {
        replicas.forEach(replica -> threads.submit(replica::run));
        get(replicas.get(1).current);
      }
    }
    LargeStateApplication newcomer = replicas.getLast();
    newcomer.stopAfter(LargeStateApplication.COUNT / 2);
    Future<?> running = threads.submit(newcomer::run);
    get(newcomer.stopped);
    LargeStateApplication first =
        replicas.stream().filter(each -> each.self().equals(newcomer.donor())).findFirst().orElseThrow();
    LargeStateApplication other = replicas.get(1 - replicas.indexOf(first));
    get(other.change(3, 77)); // one of the parts that the newcomer has already
    isolate(first.group(), true);
    newcomer.goOn();
    get(newcomer.current);
    assertThat(newcomer.donor()).isEqualTo(other.self());
    assertThat(newcomer.lost())
        .isGreaterThanOrEqualTo(LargeStateApplication.COUNT / 2)
        .isLessThan(LargeStateApplication.COUNT);
    assertThat(newcomer.received())
        .as("what is missing, and part 3")
        .isEqualTo(LargeStateApplication.COUNT - newcomer.lost() + 1);
    get(other.change(5, 78));
    newcomer.await(5, 78);
    other.await(5, 78); // its own multicast is placed before it is delivered
    assertThat(newcomer.parts()).isEqualTo(other.parts());
    assertThat(running.isDone()).isFalse();
  }

  @Test
  void closingTheSourceBeforeItsEndFreesTheDonorAndLeaves() throws Exception {
    Group donor = start().create("bank", CONFIG, SMALL);
    untilViewOf(donor, 1);
    Group newcomer = start().join("bank", CONFIG, SMALL);
    StateSink sink = next(donor, Event.StateRequest.class).sink();
    Future<?> writer =
        threads.submit(() ->
            assertThatIOException()
                .isThrownBy(() -> write(sink, MUCH))
                .withMessage("the state for n2 was given up: it has gone"));
    var source = next(newcomer, Event.StateOffer.class).source();
    assertThat(source.readNBytes(1000)).hasSize(1000);
    source.close();
    get(writer);
    assertThat(next(newcomer, Event.Closed.class).end().words())
        .isEqualTo("its application closed the state before its end");
    untilViewOf(donor, 1);
    assertThat(get(donor.multicast(new byte[1]))).isEqualTo(new Outcome.Ordered(0));
  }

  @Test
  void whoLeavesWhileItReadsIsFreedAndFreesTheDonor() throws Exception {
    Group donor = start().create("bank", CONFIG, SMALL);
    untilViewOf(donor, 1);
    Group newcomer = start().join("bank", CONFIG, SMALL);
    StateSink sink = next(donor, Event.StateRequest.class).sink();
    Future<?> writer = threads.submit(() -> assertThatIOException().isThrownBy(() -> write(sink, MUCH)));
    var source = next(newcomer, Event.StateOffer.class).source();
    assertThat(source.readNBytes(1000)).hasSize(1000);
    CompletableFuture<Outcome> own = newcomer.multicast(new byte[1]);
    assertThat(next(donor, Event.Delivery.class).sender()).isEqualTo(newcomer.self());
    CompletableFuture<Void> left = newcomer.leave();
    assertThatIOException().isThrownBy(source::readAllBytes);
    get(writer);
    get(left);
    assertThat(get(own.thenCompose(Outcome::settled)))
        .as("contained in the state that it did not read")
        .isEqualTo(new Outcome.Delivered());
    untilViewOf(donor, 1);
  }

  @Test
  void sendersWaitForASlowReaderOnceItsRoomIsFullAndThenGoOn() throws Exception {
    Group donor = start().create("bank", CONFIG, SMALL);
    untilViewOf(donor, 1);
    Group newcomer = start().join("bank", CONFIG, SMALL);
    StateSink sink = next(donor, Event.StateRequest.class).sink();
    var source = next(newcomer, Event.StateOffer.class).source();
    var delivered = new AtomicInteger();
    threads.submit(() -> {
      while (next(donor) instanceof Event event) {
        delivered.addAndGet(event instanceof Event.Delivery ? 1 : 0);
      }
      return null;
    });
    var fast = new AtomicInteger();
    int messages = 1000;
    Thread sender =
        Thread.startVirtualThread(() -> {
          try {
            for (int i = 0; i < messages; i++) {
              donor.multicast(ByteBuffer.allocate(1024).putInt(i).array());
              fast.incrementAndGet();
            }
          } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
          }
        });
    // As much as the newcomer keeps, whole batches only, and a window more.
    for (int before = -1; before < fast.get() || before <= WINDOW_MESSAGES; ) {
      before = fast.get();
      ManualMembership.untilBlocked(sender);
      for (int turn = 0; turn < 100; turn++) { // of both engines: time enough to tell of room, if there were any
        for (Node node : nodes.all) {
          var _ = node.metrics();
        }
      }
    }
    assertThat(fast.get()).isLessThan(4 * WINDOW_MESSAGES);
    sink.complete();
    assertThat(source.read()).isEqualTo(-1);
    for (int i = 0; i < messages; i++) {
      assertThat(next(newcomer, Event.Delivery.class).payload().getInt()).isEqualTo(i);
    }
    sender.join();
    assertThat(fast).hasValue(messages);
  }
}
