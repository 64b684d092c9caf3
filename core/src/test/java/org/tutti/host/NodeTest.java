package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.fixture.Awaited;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.ManualMembership;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// One node and what its user meets, errors above all.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final GroupConfig CONFIG = GroupConfig.standard();

  private final Node node = Node.named("n1").transport(new InProcess().open(new Address("here:1"))).start();

  @AfterEach
  void close() {
    node.close();
  }

  /// A listener that does something with each delivery, and nothing else.
  private static class OnDelivery implements GroupListener {
    private final Consumer<ByteBuffer> action;
    final CompletableFuture<String> closed = new CompletableFuture<>();

    OnDelivery(Consumer<ByteBuffer> action) {
      this.action = action;
    }

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      action.accept(payload);
    }

    @Override
    public void closed(End end) {
      closed.complete(end.words());
    }
  }

  private static <E extends Event> E next(Group group, Class<E> type) throws InterruptedException {
    Event event = Awaited.next(group);
    assertThat(event).isInstanceOf(type);
    return type.cast(event);
  }

  /// Whether its engine thread turns is told at once, and at any moment.
  @Test
  void whoHoldsTheEngineThreadKeepsItFromTurning() throws Exception {
    var released = new CountDownLatch(1);
    var inside = new CompletableFuture<Boolean>();
    until(() -> node.isTurning(SOON)); // it has begun
    Duration moment = Duration.ofMillis(50);
    assertThatThrownBy(() -> node.isTurning(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    OnDelivery holding =
        new OnDelivery(_ -> {
          inside.complete(node.isTurning(SOON));
          uninterruptibly(released);
        });
    Group group = node.create("bank", CONFIG, MemberConfig.builder().listener(holding).build());
    CompletableFuture<Outcome> sent = group.multicast(new byte[1]);
    assertThat(inside.get(SOON.toSeconds(), TimeUnit.SECONDS)).as("a listener may ask").isTrue();
    until(() -> !node.isTurning(moment));
    assertThat(node.isTurning(SOON)).as("not for long yet").isTrue();
    released.countDown();
    sent.get();
    until(() -> node.isTurning(moment));
    node.close();
    assertThat(node.isTurning(SOON)).as("after the end").isFalse();
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static void uninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aGroupOfOneDeliversToItself() throws Exception {
    Group group = node.create("bank", CONFIG);
    View view = next(group, Event.ViewChange.class).view();
    assertThat(view.members()).containsExactly(node.self());
    assertThat(view.primary()).isTrue();
    assertThat(group.receive(Duration.ofSeconds(60))).isEqualTo(new Event.CaughtUp(0));
    CompletableFuture<Outcome> sent = group.multicast(new byte[] {1, 2});
    Event.Delivery delivery = next(group, Event.Delivery.class);
    assertThat(delivery.sender()).isEqualTo(node.self());
    assertThat(ManualMembership.bytes(delivery.payload())).containsExactly(1, 2);
    assertThat(sent).isCompletedWithValue(new Outcome.Ordered(delivery.position()));
    assertThat(delivery.position()).isZero();
    assertThat(group.receive(Duration.ofMillis(20))).isNull();
    assertThat(group.view()).isEqualTo(view);
    group.close();
    next(group, Event.Closed.class);
    assertThat(node.create("bank", CONFIG)).isNotSameAs(group);
  }

  @Test
  void incarnationsRise() {
    try (Node later = Node.named("n1").transport(new InProcess().open(new Address("here:1"))).start()) {
      assertThat(later.self().supersedes(node.self())).isTrue();
    }
  }

  @Test
  void aNodeIsInAGroupOnce() {
    node.create("bank", CONFIG);
    assertThatThrownBy(() -> node.join("bank"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("already a member of group \"bank\"");
    assertThatThrownBy(() -> node.create("", CONFIG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a group's name has 1 to 255 bytes, not 0");
  }

  @Test
  void aClosedNodeSaysSo() throws Exception {
    Group group = node.create("bank", CONFIG);
    CompletableFuture<Outcome> sent = group.multicast(new byte[9]);
    node.close();
    node.close();
    assertThat(sent).isCompletedWithValue(new Outcome.Ordered(0));
    assertThatThrownBy(() -> node.create("other", CONFIG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("node n1 is closed");
    assertThatThrownBy(() -> node.suspect(node.self())).hasMessage("node n1 is closed");
    assertThatThrownBy(() -> group.multicast(new byte[0])).isInstanceOf(GroupClosedException.class);
    Event last = group.receive();
    while (!(last instanceof Event.Closed)) {
      last = group.receive();
    }
    assertThatThrownBy(group::receive).isInstanceOf(GroupClosedException.class);
    assertThat(node.failure()).isNull();
    assertThat(node.metrics()).isNotNull();
    group.close();
  }

  @Test
  void membersThatNobodyLetsInEndWithTheNode() throws Exception {
    Group group = node.join("nowhere");
    assertThat(group.receive(Duration.ofMillis(20))).isNull();
    CompletableFuture<Outcome> sent = group.multicast(new byte[1]);
    node.close();
    next(group, Event.Closed.class);
    assertThatThrownBy(sent::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(GroupClosedException.class);
  }

  @Test
  void aListenerThatThrowsStopsTheNodeLoudly() throws Exception {
    Logger logger = Logger.getLogger("org.tutti");
    logger.setUseParentHandlers(false);
    try (var log = new LogRecords("org.tutti")) {
      var listener =
          new OnDelivery(payload -> {
            throw new IllegalStateException("boom");
          });
      Group other = node.create("other", CONFIG);
      next(other, Event.ViewChange.class);
      Group group = node.create("bank", CONFIG, MemberConfig.builder().listener(listener).build());
      group.multicast(new byte[1]);
      String reason = "node n1 stopped: java.lang.IllegalStateException: boom";
      assertThat(listener.closed.get(20, TimeUnit.SECONDS)).isEqualTo(reason);
      assertThat(next(other, Event.Closed.class).end()).isEqualTo(new End(End.Cause.NODE_FAILED, reason));
      assertThat(node.failure()).hasMessage("boom");
      assertThatThrownBy(() -> other.multicast(new byte[1]))
          .isInstanceOf(GroupClosedException.class)
          .hasMessage("n1 is no longer a member of group \"other\": " + reason);
      assertThatThrownBy(() -> node.create("third", CONFIG))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(reason)
          .hasCause(node.failure());
      assertThat(node.metrics()).isNotNull();
      node.close();
      assertThat(log.all())
          .filteredOn(record -> record.getLevel() == Level.SEVERE)
          .singleElement()
          .satisfies(record -> {
            assertThat(record.getMessage()).isEqualTo("node n1 stops");
            assertThat(record.getThrown()).isSameAs(node.failure());
          });
    } finally {
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void callsThatWouldBlockTheEngineThreadAreRefused() throws Exception {
    Group queued = node.create("queued", CONFIG, MemberConfig.builder().windowBytes(ManualMembership.WINDOW).build());
    next(queued, Event.ViewChange.class);
    assertThat(queued.receive(SOON)).isEqualTo(new Event.CaughtUp(0));
    var thrown = new CompletableFuture<ArrayList<Throwable>>();
    var group = new CompletableFuture<Group>();
    var listener =
        new OnDelivery(_ -> {
          var all = new ArrayList<Throwable>();
          all.add(catchThrowable(() -> queued.receive()));
          all.add(catchThrowable(() -> queued.receive(SOON)));
          all.add(catchThrowable(() -> queued.receive(Duration.ZERO)));
          all.add(
              catchThrowable(() -> {
                for (int i = 0; i < 100; i++) {
                  queued.multicast(new byte[ManualMembership.WINDOW / 2]);
                }
              }));
          all.add(catchThrowable(node::close));
          all.add(catchThrowable(() -> group.get().close()));
          all.add(catchThrowable(() -> node.metrics()));
          thrown.complete(all);
        });
    group.complete(node.create("bank", CONFIG, MemberConfig.builder().listener(listener).build()));
    group.get().multicast(new byte[1]);
    String receive = "receive would block the engine thread; call it from another thread";
    var messages = thrown.get(20, TimeUnit.SECONDS).stream().map(t -> t == null ? "" : t.getMessage()).toList();
    assertThat(messages)
        .containsExactly(
            receive,
            receive,
            "",
            "multicast would block the engine thread: the window of group \"queued\" is full; use tryMulticast or"
                + " tryPost",
            "close would block the engine thread; call it from another thread",
            "close would block the engine thread; use leave",
            "");
    assertThat(node.failure()).isNull();
    assertThat(group.get().status().view()).as("what was refused has had no effect").isNotNull();
    group.get().multicast(new byte[1]).get(20, TimeUnit.SECONDS);
    assertThat(queued).hasToString("group queued at " + node.self());
  }

  @Test
  void aGroupWithAListenerHasNoQueue() {
    Group group = node.create("bank", CONFIG, MemberConfig.builder().listener(new OnDelivery(_ -> {})).build());
    assertThatThrownBy(group::receive)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("group \"bank\" has a listener, which gets the events");
  }

  @Test
  void takersTakeTurns() throws Exception {
    Group group = node.create("bank", CONFIG);
    next(group, Event.ViewChange.class);
    assertThat(group.receive(SOON)).isEqualTo(new Event.CaughtUp(0));
    int messages = 10_000;
    var taken = new ConcurrentLinkedQueue<Long>();
    var takers = new ArrayList<Thread>();
    for (int i = 0; i < 10; i++) {
      takers.add(
          Thread.startVirtualThread(() -> {
            try {
              while (group.receive() instanceof Event.Delivery delivery) {
                taken.add(delivery.position());
              }
            } catch (InterruptedException | GroupClosedException ended) {
              // Another one took the end.
            }
          }));
    }
    for (int i = 0; i < messages; i++) {
      group.multicast(new byte[i % 100]);
    }
    group.close();
    for (Thread taker : takers) {
      taker.join();
    }
    assertThat(taken).hasSize(messages).doesNotHaveDuplicates();
  }
}
