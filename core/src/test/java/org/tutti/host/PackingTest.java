package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.Packing;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Members of one group pack each in its own way.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PackingTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MESSAGES = 10_000; // fit into the window: nobody takes them at the other member

  private final InProcess hub = new InProcess();
  private Node first;
  private Node second;

  @BeforeEach
  void start() {
    first = patient("n1").transport(hub.open(new Address("here:1"))).start();
    second = patient("n2").contacts(List.of(first.self().address())).transport(hub.open(here2())).start();
  }

  /// Nobody is suspected under a flood.
  private static NodeBuilder patient(String name) {
    return Node.named(name).times(Duration.ofMillis(100), Duration.ofSeconds(10));
  }

  private static Address here2() {
    return new Address("here:2");
  }

  @AfterEach
  void end() {
    second.close();
    first.close();
  }

  private Group pair(Packing packing) throws InterruptedException {
    first.create("bank", GroupConfig.standard());
    Group group = second.join("bank", GroupConfig.standard(), MemberConfig.builder().packing(packing).build());
    while (!(group.receive(SOON) instanceof Event.ViewChange change && change.view().size() == 2)) {}
    return group;
  }

  /// Who completes a batch wakes the engine: nothing else would in the minute that a message may wait.
  @Test
  void aFullBatchLeavesAtOnceHoweverLongMessagesMayWait() throws Exception {
    Group group = pair(Packing.fixed(4, Duration.ofMinutes(1)));
    for (int round = 0; round < 100; round++) {
      var sent = new ArrayList<CompletableFuture<Outcome>>();
      for (int i = 0; i < 4; i++) {
        sent.add(group.multicast(new byte[100]));
      }
      for (CompletableFuture<Outcome> each : sent) {
        each.get(30, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void fewerMessagesLeaveWhenTheyHaveWaitedLongEnough() throws Exception {
    Group group = pair(Packing.fixed(1000, Duration.ofMillis(5)));
    assertThat(group.multicast(new byte[1]).get(30, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
  }

  static Stream<Packing> everyKind() {
    return Stream.of(
        Packing.natural(),
        Packing.natural(Duration.ZERO),
        Packing.fixed(1, Duration.ofMillis(2)),
        Packing.fixed(7, Duration.ofMillis(2)),
        Packing.fixed(100_000, Duration.ofMillis(2)),
        Packing.hillClimb(),
        Packing.hillClimb(Duration.ofMillis(1), 50, 2000, Duration.ofMillis(1)));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void aFloodArrivesInOrderHoweverItIsPacked(Packing packing) throws Exception {
    Group group = pair(packing);
    ByteBuffer message = ByteBuffer.allocate(1000);
    for (int i = 0; i < MESSAGES; i++) {
      group.post(message.putInt(0, i).limit(Integer.BYTES + i % 400));
      if (i % 1000 == 999) {
        takeUpTo(group, i);
      }
    }
  }

  private int taken;

  private void takeUpTo(Group group, int last) throws InterruptedException {
    while (taken <= last) {
      if (group.receive(SOON) instanceof Event.Delivery delivery) {
        assertThat(delivery.payload().getInt(0)).isEqualTo(taken);
        assertThat(delivery.payload().remaining()).isEqualTo(Integer.BYTES + taken % 400);
        assertThat(delivery.position()).isEqualTo(taken);
        taken++;
      }
    }
  }
}
