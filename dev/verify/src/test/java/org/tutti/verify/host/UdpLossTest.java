package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.fixture.Told;
import org.tutti.net.udp.UdpConfig;
import org.tutti.transport.Address;
import org.tutti.verify.transport.LossyNetwork;

/// Groups over UDP on a network that loses datagrams: Ethernet's, and each by itself.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpLossTest {
  private static final UdpConfig ETHERNET = UdpConfig.lan().withDatagramBytesMax(1472);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration SUSPECT = Duration.ofSeconds(3);
  private static final int MIB = 1 << 20;

  private final List<Node> nodes = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  private LossyNetwork network;

  private void begin(double loss, Ordering ordering) throws Exception {
    network = new LossyNetwork(42, loss);
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    for (int i = 1; i <= 3; i++) {
      List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
      NodeBuilder how = Node.named("n" + i).contacts(contacts).times(Duration.ofMillis(100), SUSPECT);
      Node node = how.transport(network.open(ETHERNET)).start();
      nodes.add(node);
      groups.add(i == 1 ? node.create("bank", config) : node.join("bank"));
      for (Group group : groups) {
        untilViewOf(group, i);
      }
    }
  }

  @AfterEach
  void end() throws IOException {
    for (Node node : nodes) {
      assertThat(node.failure()).isNull();
      node.close();
    }
    network.close();
  }

  private static void untilViewOf(Group group, int size) throws InterruptedException {
    while (!(next(group) instanceof Event.ViewChange(var view) && view.size() == size)) {
      // what came before
    }
  }

  private static Event.Delivery delivery(Group group) throws InterruptedException {
    Event event = next(group);
    while (!(event instanceof Event.Delivery)) {
      event = next(group);
    }
    return (Event.Delivery) event;
  }

  private static byte[] message(SplittableRandom random, long number, int length) {
    byte[] bytes = new byte[Math.max(length, 8)];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes).putLong(0, number).array();
  }

  /// The survivors deliver the same, everything of their own, and go on without the one that is gone.
  @ParameterizedTest
  @EnumSource(Ordering.class)
  void everyOrderingGoesOnWhenAMemberIsGone(Ordering ordering) throws Exception {
    begin(0.05, ordering);
    int each = 150;
    var random = new SplittableRandom(ordering.ordinal());
    Group victim = groups.getLast();
    for (int i = 0; i < each; i++) {
      for (Group group : groups) {
        if (group != victim || i < each / 3) {
          group.multicast(message(random, i, random.nextInt(4000)));
        }
      }
      if (i == each / 2) {
        network.silence(victim.self().address());
      }
    }
    List<Group> survivors = groups.subList(0, 2);
    var orders = new ArrayList<List<String>>();
    for (Group group : survivors) {
      var order = new ArrayList<String>();
      var last = new long[] {0, 0};
      while (last[0] + last[1] < 2L * each) {
        Event.Delivery one = delivery(group);
        long number = one.payload().getLong(0);
        order.add(one.position() + " " + one.sender().name() + " " + number + " " + one.payload().hashCode());
        for (int i = 0; i < 2; i++) {
          if (one.sender().equals(survivors.get(i).self())) {
            assertThat(number).as("first in, first out").isEqualTo(last[i]++);
          }
        }
      }
      orders.add(order);
    }
    int common = Math.min(orders.get(0).size(), orders.get(1).size());
    assertThat(orders.get(0).subList(0, common)).isEqualTo(orders.get(1).subList(0, common));
    assertThat(network.lost()).isPositive();
    for (Group group : survivors) {
      long end = System.nanoTime() + SOON.toNanos();
      while (group.view() == null || group.view().size() != 2) {
        assertThat(System.nanoTime()).as("the view of two").isLessThan(end);
        group.receive(Duration.ofMillis(50));
      }
    }
  }

  @ParameterizedTest
  @Tag("deep")
  @ValueSource(doubles = {0, 0.01, 0.2})
  void messagesOfEverySizeArriveWholeAtAnyLoss(double loss) throws Exception {
    messagesOfEverySizeArriveWhole(loss);
  }

  /// Nobody is taken for dead, however much gets lost.
  @ParameterizedTest
  @ValueSource(doubles = 0.05)
  void messagesOfEverySizeArriveWhole(double loss) throws Exception {
    begin(loss, Ordering.SEQUENCER);
    messagesOfEverySize();
    assertThat(network.lost() > 0).isEqualTo(loss > 0);
  }

  /// Half way a path of Ethernet's size becomes one that takes less; nobody is taken for dead then either.
  @ParameterizedTest
  @Tag("deep")
  @ValueSource(doubles = {0, 0.05})
  void messagesOfEverySizePassAPathThatGetsNarrow(double loss) throws Exception {
    begin(loss, Ordering.SEQUENCER);
    messagesOfEverySize();
    network.narrow(1252);
    messagesOfEverySize();
    assertThat(Told.of(nodes.getFirst().metrics(), "path.bytes")).as("size found").isLessThanOrEqualTo(1252);
    assertThat(Told.of(nodes.getFirst().metrics(), "pieces.sent")).isPositive();
  }

  private void messagesOfEverySize() throws Exception {
    var random = new SplittableRandom(5);
    var hashes = new ArrayList<Integer>();
    int[] sizes = {1 << 10, 4 << 10, 16 << 10, 40_000, 64 << 10, 256 << 10, MIB};
    var sent = new ArrayList<byte[]>();
    for (int round = 0; round < 3; round++) {
      for (int size : sizes) {
        sent.add(message(random, sent.size(), size));
        hashes.add(ByteBuffer.wrap(sent.getLast()).hashCode());
      }
    }
    Thread source =
        Thread.ofVirtual()
            .start(() -> {
              try {
                for (byte[] message : sent) {
                  groups.getFirst().multicast(message);
                }
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
            });
    for (int hash : hashes) {
      for (Group group : groups) {
        Event event = next(group);
        while (event instanceof Event.ViewChange(var view) && view.size() == 3) {
          event = next(group); // an attempt that was given up makes one more view of the same members
        }
        assertThat(event).as("no view but of three").isInstanceOf(Event.Delivery.class);
        assertThat(((Event.Delivery) event).payload().hashCode()).isEqualTo(hash);
      }
    }
    source.join();
  }
}
