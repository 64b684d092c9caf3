package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.Status;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// Members over TCP, one of which spills what its application does not take.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpillingTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int WINDOW_BYTES = 64 << 10;
  private static final int MESSAGE_BYTES = 8 << 10;
  private static final int SPILL_BYTES = 4 << 20;
  private static final long MESSAGES = 16L * WINDOW_BYTES / MESSAGE_BYTES;

  @TempDir Path directory;

  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private Node start() throws IOException {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    Node node =
        Node.named("n" + (nodes.size() + 1))
            .contacts(contacts)
            .times(Duration.ofMillis(50), Duration.ofSeconds(10))
            .transport(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan()))
            .spillTo(directory.resolve("spill"))
            .start();
    nodes.add(node);
    return node;
  }

  /// Three members, of which the last one spills and takes nothing yet.
  private List<Group> three(int windowOfLast) throws Exception {
    MemberConfig usual = MemberConfig.builder().windowBytes(WINDOW_BYTES).build();
    MemberConfig spilling = usual.toBuilder().windowBytes(windowOfLast).spillBytesMax(SPILL_BYTES).build();
    Group first = start().create("bank", GroupConfig.standard(), usual);
    Group second = start().join("bank", usual);
    Group stuck = start().join("bank", spilling);
    for (Group group : List.of(first, second, stuck)) {
      untilViewOf(group, 3);
    }
    return List.of(first, second, stuck);
  }

  private static CompletableFuture<List<String>> taking(Group group, long messages) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            var taken = new ArrayList<String>();
            while (taken.size() < messages) {
              Event.Delivery next = next(group, Event.Delivery.class);
              taken.add(next.position() + " " + next.sender() + " " + next.payload().hashCode());
            }
            return taken;
          } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
          }
        },
        task -> Thread.ofPlatform().daemon().start(task));
  }

  private static void send(Group group, long messages) throws Exception {
    var random = new SplittableRandom(group.self().incarnation());
    for (long i = 0; i < messages; i++) {
      byte[] message = new byte[MESSAGE_BYTES];
      random.nextBytes(message);
      assertThat(group.multicast(message).get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Ordered.class);
    }
  }

  private static void until(BooleanSupplier condition, Group group) {
    Instant end = Instant.now().plus(SOON);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).as(group.status().toString()).isBefore(end);
      Thread.onSpinWait();
    }
  }

  private void sendersGoOn(int windowOfLast) throws Exception {
    List<Group> all = three(windowOfLast);
    Group stuck = all.getLast();
    var others = all.subList(0, 2).stream().map(group -> taking(group, 2 * MESSAGES)).toList();
    send(all.get(0), MESSAGES); // many windows, each
    send(all.get(1), MESSAGES);
    until(() -> stuck.status().spilled().messages() > 2 * MESSAGES - 16, stuck);
    assertThat(stuck.metrics().delivered().messages()).isZero();
    assertThat(stuck.status().isServing()).isTrue();
    assertThat(stuck.status().spilled().bytes()).isBetween((2 * MESSAGES - 16) * MESSAGE_BYTES, (long) SPILL_BYTES);
    List<String> late = taking(stuck, 2 * MESSAGES).get(60, TimeUnit.SECONDS);
    for (CompletableFuture<List<String>> other : others) {
      assertThat(late).isEqualTo(other.get(60, TimeUnit.SECONDS));
    }
    assertThat(stuck.status().spilled()).isEqualTo(Status.Spilled.NOTHING);
    CompletableFuture<List<String>> next = taking(stuck, 1);
    send(stuck, 1);
    next.get(60, TimeUnit.SECONDS);
  }

  @Test
  void sendersGoOnForManyWindowsAndWhoWasStuckTakesTheSameLater() throws Exception {
    sendersGoOn(WINDOW_BYTES);
  }

  /// The senders' windows are full long before a half of the window of the one that is stuck is.
  @Test
  void smallerWindowsOfSendersAreOpenedToo() throws Exception {
    sendersGoOn(4 << 20);
  }

  @Test
  void atTheBoundSendersWaitUntilItDrains() throws Exception {
    List<Group> all = three(WINDOW_BYTES);
    Group first = all.getFirst();
    Group stuck = all.getLast();
    var payload = ByteBuffer.allocate(MESSAGE_BYTES);
    long most = (SPILL_BYTES + 2L * WINDOW_BYTES) / MESSAGE_BYTES;
    CompletableFuture<List<String>> second = taking(all.get(1), most);
    CompletableFuture<List<String>> own = taking(first, most);
    var sent = new ArrayList<CompletableFuture<Outcome>>();
    Instant full = Instant.now().plusSeconds(2);
    while (Instant.now().isBefore(full)) { // no room for two seconds
      CompletableFuture<Outcome> outcome = first.tryMulticast(payload, SendOptions.total());
      if (!outcome.isDone() || !(outcome.join() instanceof Outcome.Refused)) {
        sent.add(outcome);
        full = Instant.now().plusSeconds(2);
      }
      Thread.onSpinWait();
    }
    long bound = sent.size();
    assertThat(bound * MESSAGE_BYTES).isBetween(SPILL_BYTES * 9L / 10, SPILL_BYTES + 2L * WINDOW_BYTES);
    assertThat(stuck.status().spilled().bytes()).isBetween(SPILL_BYTES * 9L / 10, (long) SPILL_BYTES);
    assertThat(first.status().isServing()).isTrue();
    CompletableFuture<List<String>> late = taking(stuck, most);
    for (long i = bound; i < most; i++) {
      first.multicast(payload, SendOptions.total());
    }
    List<String> taken = late.get(60, TimeUnit.SECONDS);
    assertThat(taken).isEqualTo(second.get(60, TimeUnit.SECONDS)).isEqualTo(own.get(60, TimeUnit.SECONDS));
  }

  @Test
  void theEngineThreadReadsNoFiles() throws Exception {
    List<Group> all = three(WINDOW_BYTES);
    Group stuck = all.getLast();
    var others = all.subList(0, 2).stream().map(group -> taking(group, MESSAGES)).toList();
    send(all.getFirst(), MESSAGES);
    others.forEach(CompletableFuture::join);
    until(() -> stuck.status().spilled().messages() > 0, stuck);
    Thread own = Thread.currentThread();
    String refused = null;
    // What follows of a future that is over already is done by this thread; and nothing is taken while more is spilled.
    while (refused == null) {
      refused =
          stuck
              .multicast(new byte[1])
              .thenApply(_ -> Thread.currentThread() == own ? null : received(stuck))
              .get(60, TimeUnit.SECONDS);
    }
    assertThat(refused)
        .isEqualTo("receive would read what was spilled on the engine thread; call it from another thread");
  }

  private static @Nullable String received(Group group) {
    try {
      Event event = group.receive(Duration.ZERO);
      return event == null ? null : event.toString();
    } catch (IllegalStateException | InterruptedException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void aMemberSpillsOnlyWhereItsNodeHasADirectory() throws Exception {
    try (Node node =
        Node.named("n1").transport(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan())).start()) {
      MemberConfig spilling = MemberConfig.builder().spillBytesMax(SPILL_BYTES).build();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> node.create("bank", GroupConfig.standard(), spilling))
          .withMessage("spillBytesMax needs a node with a directory: NodeBuilder.spillTo");
    }
  }
}
