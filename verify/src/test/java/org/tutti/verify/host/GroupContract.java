package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.tutti.verify.host.Awaited.untilServing;
import static org.tutti.verify.host.Awaited.untilViewOf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.StateSink;
import org.tutti.View;
import org.tutti.engine.GroupUser;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// What the users of three nodes in one process see, whatever carries their frames.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class GroupContract {
  private static final int MIB = 1 << 20;

  private final GroupConfig config = GroupConfig.builder().ordering(ordering()).build();
  private final List<Node> nodes = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  abstract Transport open() throws IOException;

  /// Which ordering the groups run.
  Ordering ordering() {
    return Ordering.SEQUENCER;
  }

  @AfterEach
  void end() throws Exception {
    for (Node node : nodes) {
      Throwable failure = node.failure();
      node.close();
      assertThat(failure).isNull();
    }
    threads.shutdownNow();
    assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
  }

  private Node start() throws IOException {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    // Tests share few processors: a slow moment must not look like a crash.
    NodeBuilder config =
        Node.named("n" + (nodes.size() + 1)).contacts(contacts).times(Duration.ofMillis(100), Duration.ofSeconds(10));
    Node node = config.transport(open()).start();
    nodes.add(node);
    return node;
  }

  /// Three nodes in a group, past their views of three.
  private List<Group> three(GroupConfig config) throws Exception {
    return three(config, MemberConfig.standard());
  }

  private List<Group> three(GroupConfig config, MemberConfig member) throws Exception {
    var groups = new ArrayList<Group>();
    groups.add(start().create("bank", config, member));
    for (int i = 2; i <= 3; i++) {
      groups.add(start().join("bank", config, member));
      for (Group group : groups) {
        untilViewOf(group, i);
      }
    }
    return groups;
  }

  private static <E extends Event> E next(Group group, Class<E> type) throws InterruptedException {
    Event event = Awaited.next(group);
    while (!type.isInstance(event)) {
      event = Awaited.next(group);
    }
    return type.cast(event);
  }

  private static Event.Delivery delivery(Group group) throws InterruptedException {
    Event event = Awaited.next(group);
    while (event instanceof Event.ViewChange) {
      event = Awaited.next(group);
    }
    return (Event.Delivery) event;
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.get(150, TimeUnit.SECONDS);
  }

  private <T> List<Future<T>> atEach(List<Group> groups, Taking<T> work) {
    return groups.stream().map(group -> threads.submit((Callable<T>) () -> work.take(group))).toList();
  }

  private interface Taking<T> {
    T take(Group group) throws Exception;
  }

  private static byte[] number(int length, long value) {
    return ByteBuffer.allocate(length).putLong(0, value).array();
  }

  private static long position(Outcome outcome) {
    return ((Outcome.Ordered) outcome).position();
  }

  @Test
  void membersAgreeOnViewsAndPositions() throws Exception {
    List<Group> groups = three(config);
    assertThat(groups).extracting(Group::view).containsOnly(groups.getFirst().view());
    View view = groups.getFirst().view();
    assertThat(view.members()).extracting(member -> member.name()).containsExactly("n1", "n2", "n3");
    var sent = new ArrayList<Outcome>();
    for (Group group : groups) {
      sent.add(get(group.multicast(group.self().name().getBytes())));
    }
    assertThat(sent).containsExactly(new Outcome.Ordered(0), new Outcome.Ordered(1), new Outcome.Ordered(2));
    for (Group group : groups) {
      for (int i = 0; i < 3; i++) {
        Event.Delivery delivery = delivery(group);
        assertThat(delivery.position()).isEqualTo(i);
        assertThat(delivery.sender()).isEqualTo(groups.get(i).self());
        assertThat(ManualMembership.bytes(delivery.payload())).isEqualTo(delivery.sender().name().getBytes());
      }
    }
  }

  @Test
  void messagesOfAllServicesGoSideBySide() throws Exception {
    List<Group> groups = three(config);
    int each = 40;
    List<Future<List<Event.Delivery>>> taken =
        atEach(
            groups,
            group -> {
              var deliveries = new ArrayList<Event.Delivery>();
              while (deliveries.size() < 3 * each) {
                deliveries.add(delivery(group));
              }
              return deliveries;
            });
    for (int i = 0; i < each; i++) {
      for (Group group : groups) {
        CompletableFuture<Outcome> sent = group.multicast(number(8, i), SendOptions.of(Service.values()[i % 4]));
        if (i + 4 >= each) {
          assertThat(get(sent) instanceof Outcome.Ordered).isEqualTo(i % 4 == Service.TOTAL.ordinal());
        }
      }
    }
    var orders = new ArrayList<List<String>>();
    for (Future<List<Event.Delivery>> deliveries : taken) {
      List<Event.Delivery> all = get(deliveries);
      for (Group sender : groups) {
        for (List<Service> inOrder : List.of(List.of(Service.FIFO), List.of(Service.CAUSAL, Service.TOTAL))) {
          assertThat(
                  all.stream()
                      .filter(one -> one.sender().equals(sender.self()) && inOrder.contains(one.service()))
                      .map(one -> one.payload().getLong(0)))
              .isSorted();
        }
      }
      orders.add(
          all.stream()
              .filter(one -> one.service() == Service.TOTAL)
              .map(one -> one.position() + " " + one.sender().name() + one.payload().getLong(0))
              .toList());
      assertThat(all.stream().filter(one -> one.service() != Service.TOTAL).map(Event.Delivery::position))
          .hasSize(3 * each * 3 / 4)
          .containsOnly(-1L);
    }
    assertThat(orders).as("one total order").containsOnly(orders.getFirst());
  }

  /// A token goes round; whoever gets it hands it on, now by a causal message, now by a totally ordered one. Nobody
  /// gets it before its turn, although every message comes to everybody by a way of its own.
  @Test
  void causesComeBeforeEffects() throws Exception {
    List<Group> groups = three(config);
    int rounds = 60;
    List<Future<List<Long>>> taken =
        atEach(
            groups,
            group -> {
              var tokens = new ArrayList<Long>();
              while (tokens.size() < rounds) {
                long token = delivery(group).payload().getLong(0);
                tokens.add(token);
                if (token + 1 < rounds && groups.get((int) (token + 1) % 3) == group) {
                  group.multicast(number(8, token + 1), token % 5 == 0 ? SendOptions.total() : SendOptions.causal());
                }
              }
              return tokens;
            });
    groups.getFirst().multicast(number(8, 0), SendOptions.causal());
    for (Future<List<Long>> tokens : taken) {
      assertThat(get(tokens)).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void aMemberThatLeavesIsMissedInTheNextViewAndMayComeBack() throws Exception {
    List<Group> groups = three(config);
    Group leaver = groups.get(1);
    CompletableFuture<Outcome> last = leaver.multicast(new byte[7]);
    get(leaver.leave());
    assertThat(last).isCompletedWithValue(new Outcome.Ordered(0));
    assertThat(delivery(groups.get(0)).payload().remaining()).isEqualTo(7);
    assertThat(untilViewOf(groups.get(0), 2).contains(leaver.self())).isFalse();
    assertThat(untilViewOf(groups.get(2), 2).contains(leaver.self())).isFalse();
    Group again = nodes.get(1).join("bank");
    assertThat(untilViewOf(again, 3).senior()).isEqualTo(groups.get(0).self());
  }

  @Test
  void theSeniorMayLeave() throws Exception {
    List<Group> groups = three(config);
    get(groups.getFirst().leave());
    assertThat(untilViewOf(groups.get(1), 2).senior()).isEqualTo(groups.get(1).self());
    untilViewOf(groups.get(2), 2);
    groups.get(2).multicast(new byte[3]);
    assertThat(delivery(groups.get(1)).payload().remaining()).isEqualTo(3);
    groups.get(2).close();
    assertThat(untilViewOf(groups.get(1), 1).primary()).isTrue();
    groups.get(1).close();
  }

  /// Switches that come one right behind the other have all been in force, and nobody insists.
  @Test
  void membersThatWantDifferentOrderingsAtOnceAllGetThem() throws Exception {
    List<Group> groups = three(config);
    for (int round = 0; round < 20; round++) {
      List<CompletableFuture<Void>> wishes =
          List.of(
              groups.get(0).switchTo(round % 2 == 0 ? Ordering.SYMMETRIC : Ordering.SEQUENCER),
              groups.get(1).switchTo(round % 2 == 0 ? Ordering.SKEEN : Ordering.SYMMETRIC),
              groups.get(2).switchTo(Ordering.SEQUENCER));
      for (CompletableFuture<Void> wish : wishes) {
        get(wish);
      }
    }
    CompletableFuture<Outcome> sent = groups.get(0).multicast(new byte[3]);
    assertThat(get(sent)).isEqualTo(new Outcome.Ordered(0));
    for (Group group : groups) {
      assertThat(delivery(group).position()).isZero();
    }
  }

  @Test
  void aLargeMulticastAndAMillionEmptyOnesArriveInOrder() throws Exception {
    List<Group> groups = three(config);
    int empty = 1_000_000;
    byte[] large = new byte[10 * MIB];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31 + (i >> 12));
    }
    var counts =
        atEach(
            groups,
            group -> {
              long largeAt = -1;
              for (long i = 0; i <= empty; i++) {
                Event.Delivery delivery = delivery(group);
                assertThat(delivery.position()).isEqualTo(i);
                if (delivery.payload().hasRemaining()) {
                  assertThat(delivery.payload()).isEqualTo(ByteBuffer.wrap(large));
                  largeAt = i;
                }
              }
              return largeAt;
            });
    Group sender = groups.get(1);
    CompletableFuture<Outcome> middle = null;
    CompletableFuture<Outcome> last = null;
    for (int i = 0; i < empty; i++) {
      if (i == empty / 2) {
        middle = sender.multicast(large);
      }
      last = sender.multicast(new byte[0]);
    }
    for (Future<Long> count : counts) {
      assertThat(get(count)).isEqualTo(empty / 2);
    }
    assertThat(get(middle)).isEqualTo(new Outcome.Ordered(empty / 2));
    assertThat(get(last)).isEqualTo(new Outcome.Ordered(empty));
  }

  @Test
  void aHundredThreadsMulticastAndKeepTheirOwnOrder() throws Exception {
    List<Group> groups = three(config, MemberConfig.builder().windowBytes(ManualMembership.WINDOW).build());
    int senders = 100;
    int each = 200;
    var orders =
        atEach(
            groups,
            group -> {
              var order = new long[senders * each];
              for (int i = 0; i < order.length; i++) {
                order[i] = delivery(group).payload().getLong(0);
              }
              return order;
            });
    for (int s = 0; s < senders; s++) {
      int sender = s;
      threads.submit(() -> {
        for (int i = 0; i < each; i++) {
          groups.get(sender % 3).multicast(number(100, sender * 1000L + i));
        }
        return sender;
      });
    }
    long[] order = get(orders.getFirst());
    assertThat(get(orders.get(1))).isEqualTo(order);
    assertThat(get(orders.get(2))).isEqualTo(order);
    var next = new long[senders];
    Arrays.stream(order).forEach(n -> assertThat(n % 1000).isEqualTo(next[(int) (n / 1000)]++));
    assertThat(next).containsOnly(each);
  }

  @Test
  void aSlowConsumerSlowsTheSourceAndLosesNothing() throws Exception {
    List<Group> groups = three(config, MemberConfig.builder().windowBytes(ManualMembership.WINDOW).build());
    int messages = 5000;
    int length = 1000;
    int fit = ManualMembership.WINDOW / (length + GroupUser.MESSAGE_OVERHEAD);
    var permits = new Semaphore(0);
    Group slow = groups.get(2);
    untilServing(slow);
    var ends =
        atEach(
            groups,
            group -> {
              for (int i = 0; i < messages; i++) {
                if (group == slow) {
                  permits.acquire();
                }
                assertThat(delivery(group).payload().getLong(0)).isEqualTo(i);
              }
              return group.self();
            });
    var sent = new AtomicInteger();
    Thread source =
        Thread.ofVirtual()
            .start(() -> {
              try {
                for (int i = 0; i < messages; i++) {
                  groups.getFirst().multicast(number(length, i));
                  sent.incrementAndGet();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    while (sent.get() < fit) {
      Thread.onSpinWait();
    }
    ManualMembership.untilBlocked(source);
    assertThat(sent).hasValue(fit);
    permits.release(messages);
    for (Future<?> end : ends) {
      get(end);
    }
    source.join();
    assertThat(sent).hasValue(messages);
  }

  @Test
  void stateIsStreamedWhileMulticastsGoOn() throws Exception {
    long size = 100L * MIB;
    GroupConfig withState = config.toBuilder().stateTransfer(true).build();
    Group donor = start().create("bank", withState);
    untilViewOf(donor, 1);
    for (int i = 0; i < 10; i++) {
      donor.multicast(number(8, i));
    }
    var written = new AtomicLong();
    var read = new AtomicLong();
    var aheadMax = new AtomicLong();
    var giving = threads.submit(() -> give(donor, size, written, read, aheadMax));
    Group newcomer = start().join("bank");
    Event.StateOffer offer = next(newcomer, Event.StateOffer.class);
    assertThat(offer.donor()).isEqualTo(donor.self());
    long during = position(get(donor.multicast(number(8, 10))));
    assertThat(read(offer.source(), read)).isEqualTo(size);
    for (long position = offer.position(); position <= during; position++) {
      Event.Delivery delivery = delivery(newcomer);
      assertThat(delivery.position()).isEqualTo(position);
      assertThat(delivery.payload().getLong(0)).isEqualTo(position);
    }
    assertThat(get(giving)).isNull();
    // What the credits allow, and one chunk in the hands of each end.
    assertThat(aheadMax.get()).isLessThanOrEqualTo((GroupUser.CHUNKS_ON_THE_WAY + 2L) * GroupUser.CHUNK_BYTES_MAX);
  }

  @Test
  void aStateThatIsGivenUpIsVoidAndAnotherOneIsOffered() throws Exception {
    GroupConfig withState = config.toBuilder().stateTransfer(true).build();
    Group donor = start().create("bank", withState);
    byte[] state = number(3 * GroupUser.CHUNK_BYTES_MAX / 2, 7);
    var giving =
        threads.submit(() -> {
          assertThatIllegalStateException()
              .isThrownBy(() -> {
                try (StateSink sink = next(donor, Event.StateRequest.class).sink()) {
                  sink.write(state);
                  throw new IllegalStateException("the database is broken");
                }
              })
              .withMessage("the database is broken");
          try (StateSink sink = next(donor, Event.StateRequest.class).sink()) {
            sink.write(state);
            sink.complete();
          }
          return null;
        });
    Group newcomer = start().join("bank");
    InputStream broken = next(newcomer, Event.StateOffer.class).source();
    assertThatIOException()
        .isThrownBy(broken::readAllBytes)
        .withMessage("the state from n1 is void: its donor has gone, or it arrived damaged");
    assertThat(next(newcomer, Event.StateOffer.class).source().readAllBytes()).isEqualTo(state);
    get(giving);
    long position = position(get(donor.multicast(number(8, 1))));
    assertThat(delivery(newcomer).position()).isEqualTo(position);
  }

  private @Nullable Object give(Group donor, long size, AtomicLong written, AtomicLong read, AtomicLong aheadMax)
      throws Exception {
    try (StateSink sink = next(donor, Event.StateRequest.class).sink()) {
      byte[] piece = new byte[MIB / 64];
      for (long at = 0; at < size; at += piece.length) {
        Arrays.fill(piece, (byte) (at / piece.length));
        sink.write(piece);
        written.addAndGet(piece.length);
        aheadMax.accumulateAndGet(written.get() - read.get(), Math::max);
      }
      sink.complete();
    }
    return null;
  }

  private static long read(InputStream source, AtomicLong read) throws IOException {
    try (source) {
      byte[] piece = new byte[MIB / 64];
      while (source.readNBytes(piece, 0, piece.length) == piece.length) {
        byte expected = (byte) (read.getAndAdd(piece.length) / piece.length);
        assertThat(piece[0]).isEqualTo(expected);
        assertThat(piece[piece.length - 1]).isEqualTo(expected);
      }
      return read.get();
    }
  }
}
