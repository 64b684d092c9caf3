package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.View;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// A group whose nodes all stop at once, and are started again on the same stable storages.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeRestartTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final GroupConfig CONFIG = GroupConfig.builder().durability(Durability.EACH).build();

  @TempDir private Path directory;
  private final Map<Integer, FailingStorage> disks = new TreeMap<>();
  private final List<Address> contacts = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  private Node start(int number) {
    var transport = TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null));
    // Long, as whoever is dropped in a slow moment gets the state instead of what its own log holds; but the last one
    // to stop waits as long for the others.
    NodeBuilder config =
        Node.named("n" + number).contacts(contacts).times(Duration.ofMillis(50), Duration.ofSeconds(5));
    var disk = new FailingStorage(directory.resolve("n" + number));
    disks.put(number, disk);
    Node node = config.transport(transport).storage(disk).start();
    contacts.add(node.self().address());
    nodes.add(node);
    return node;
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private static View untilPrimaryOf(Group group, int size) throws InterruptedException {
    while (true) {
      Event event = group.receive(SOON);
      assertThat(event).as("next event of " + group.self() + ": " + group.status()).isNotNull();
      if (event instanceof Event.ViewChange(View view) && view.primary() && view.size() == size) {
        return view;
      }
    }
  }

  private static Event refused(String words) {
    return new Event.Closed(new End(End.Cause.REFUSED, words));
  }

  /// Whoever has something to write to a disk that fails stops.
  private static void writeSomething(Group group) {
    try {
      group.tryMulticast(new byte[1]);
    } catch (GroupClosedException stopped) {
      // It had something to write already.
    }
  }

  private static List<Byte> deliveries(Group group, int count) throws InterruptedException {
    List<Byte> delivered = new ArrayList<>();
    while (delivered.size() < count) {
      Event event = group.receive(SOON);
      assertThat(event).as("next event of " + group.self() + ": " + group.status()).isNotNull();
      if (event instanceof Event.Delivery delivery) {
        delivered.add(delivery.payload().get(delivery.payload().position()));
      }
    }
    return delivered;
  }

  @Test
  void allThatWasAcknowledgedIsDeliveredAgainAfterAllNodesHaveStopped() throws Exception {
    List<Group> groups = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Node node = start(i);
      groups.add(i == 0 ? node.create("bank", CONFIG) : node.join("bank"));
      untilPrimaryOf(groups.getFirst(), i + 1);
    }
    for (byte i = 0; i < 20; i++) {
      groups.get(i % 3).multicast(new byte[] {i}).get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
    disks.values().forEach(FailingStorage::fail);
    writeSomething(groups.getFirst());
    for (Group group : groups) {
      while (!(group.receive(SOON) instanceof Event.Closed)) {
        // All that was delivered before.
      }
    }

    Group alone = start(0).create("bank", CONFIG);
    Event first = alone.receive(SOON);
    assertThat(first).isInstanceOfSatisfying(Event.ViewChange.class, it -> assertThat(it.view().primary()).isFalse());
    while (alone.status().position().isEmpty()) {
      Thread.onSpinWait(); // what is kept is read a little later than the view is told
    }
    assertThat(alone.status().isServing()).isFalse();
    assertThat(alone.status().toString())
        .startsWith("group bank: last primary view ")
        .contains(" at position ", "n0 here; ")
        .endsWith("waiting for n1 or n2");
    Group second = start(1).join("bank", CONFIG, at(15));

    assertThat(deliveries(second, 5)).containsExactly((byte) 15, (byte) 16, (byte) 17, (byte) 18, (byte) 19);
    assertThat(deliveries(alone, 20)).hasSize(20).isSorted().startsWith((byte) 0);
    assertThat(second.multicast(new byte[] {20}).get(SOON.toSeconds(), TimeUnit.SECONDS))
        .isEqualTo(new Outcome.Ordered(20));
  }

  private static MemberConfig at(long position) {
    return MemberConfig.builder().position(position).build();
  }

  @Test
  void aDurabilityWithStateTransferNeedsAPosition() throws Exception {
    Node node = start(0);
    GroupConfig config = CONFIG.toBuilder().stateTransfer(true).build();
    MemberConfig silent = MemberConfig.standard();
    List<Callable<Group>> ways = List.of(() -> node.create("bank", config), () -> node.join("bank", config, silent));
    for (Callable<Group> enter : ways) {
      assertThatIllegalArgumentException().isThrownBy(enter::call).withMessageContaining("position(0)");
    }
  }

  /// Two have all messages in their logs; the third one's begins behind the state that it got.
  @Test
  void anApplicationThatKeepsNothingGetsEverythingAgainAfterAllNodesHaveStopped() throws Exception {
    GroupConfig config = CONFIG.toBuilder().stateTransfer(true).build();
    List<Group> groups = new ArrayList<>();
    List<SumApplication> totals = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Node node = start(i);
      groups.add(i == 0 ? node.create("bank", config, at(0)) : node.join("bank", config, at(0)));
      totals.add(new SumApplication(groups.get(i)));
      for (SumApplication total : totals) {
        total.untilPrimaryOf(i + 1);
      }
      for (int message = 0; message < 10 && i > 0; message++) {
        groups.get(i).multicast(new byte[] {1}).get(SOON.toSeconds(), TimeUnit.SECONDS);
      }
    }
    disks.values().forEach(FailingStorage::fail);
    writeSomething(groups.getFirst());
    for (SumApplication total : totals) {
      total.untilClosed();
    }
    // Only with these two can the group go on, and neither without the other: nobody comes late and gets the state.
    List<SumApplication> again =
        List.of(
            new SumApplication(start(0).join("bank", config, at(0))),
            new SumApplication(start(1).join("bank", config, at(0))));
    for (SumApplication total : again) {
      total.untilSum(20);
      total.untilPrimaryOf(2);
    }
    assertThat(again).extracting(SumApplication::wasOffered).containsOnly(false);
    var third = new SumApplication(start(2).join("bank", config, at(0)));
    third.untilSum(20);
    third.untilPrimaryOf(3);
    assertThat(third.wasOffered()).isTrue();
  }

  @Test
  void aHistoryGoesOnWithTheSettingsThatItWasFoundedWith() throws Exception {
    Node node = start(0);
    untilPrimaryOf(node.create("bank", CONFIG), 1);
    node.close();
    Node again = start(0);
    GroupConfig other = CONFIG.toBuilder().ordering(Ordering.SKEEN).build();
    String words = "ordering is SEQUENCER in group bank, SKEEN was asked for";
    assertThat(again.create("bank", other).receive(SOON))
        .isEqualTo(refused("stable storage of node n0 for group bank: " + words));
    assertThat(again.join("bank", other, MemberConfig.standard()).receive(SOON)).isEqualTo(refused(words));
    Group same = again.join("bank");
    untilPrimaryOf(same, 1);
    assertThat(same.config()).isEqualTo(CONFIG);
  }

  @Test
  void whatDoesNotFitIsRefused() throws Exception {
    Group group = start(0).create("bank", CONFIG, at(7));
    assertThat(group.receive(SOON))
        .isEqualTo(
            refused(
                "stable storage of node n0 for group bank: the application says that its state stands at position 7,"
                    + " but it knows no history of the group; bring back what its storage had, or delete the state of"
                    + " the application, too"));
    assertThatIllegalArgumentException().isThrownBy(() -> CONFIG.toBuilder().domain("banks").build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start(1).create("bank", GroupConfig.standard(), at(3)))
        .withMessage("position 3 has no meaning with durability NONE");
  }
}
