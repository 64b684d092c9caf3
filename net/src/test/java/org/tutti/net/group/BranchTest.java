package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.fixture.StartedNodes;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// Branches over TCP: a group of five is split, both parts go on, and come together again.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BranchTest {
  private static final GroupConfig CONTINUE = GroupConfig.builder().partitions(Partitions.CONTINUE).build();

  @AutoClose private final StartedNodes nodes = new StartedNodes(Duration.ofSeconds(3));
  private final List<PartitionableTransport> transports = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();

  private Node start() throws IOException {
    transports.add(
        new PartitionableTransport(
            TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null))));
    return nodes.start(transports.getLast());
  }

  private void five(GroupConfig joining) throws Exception {
    groups.add(start().create("chat", CONTINUE));
    while (groups.size() < 5) {
      groups.add(start().join("chat"));
      for (Group group : groups) {
        untilView(group, true, groups.size());
      }
    }
  }

  /// Cuts the members from a rank on off from those before it.
  private void split(int rank) {
    for (int i = 0; i < transports.size(); i++) {
      List<PartitionableTransport> others = i < rank ? transports.subList(rank, 5) : transports.subList(0, rank);
      transports.get(i).cut(Set.copyOf(others.stream().map(Transport::address).toList()));
    }
  }

  private void heal() {
    transports.forEach(transport -> transport.cut(Set.of()));
  }

  private static View untilView(Group group, boolean primary, int size) throws InterruptedException {
    while (true) {
      if (next(group) instanceof Event.ViewChange(View view) && view.size() == size && view.primary() == primary) {
        return view;
      }
    }
  }

  private static List<String> deliveries(Group group, int count, boolean inBranch) throws InterruptedException {
    var texts = new ArrayList<String>();
    while (texts.size() < count) {
      if (next(group) instanceof Event.Delivery delivery) {
        assertThat(delivery.position() < 0).as(delivery.toString()).isEqualTo(inBranch);
        texts.add(StandardCharsets.UTF_8.decode(delivery.payload()).toString());
      }
    }
    return texts;
  }

  private static byte[] text(String of, int number) {
    return (of + number).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void bothPartsGoOnAndOnlyThePrimaryOneMakesHistory() throws Exception {
    five(GroupConfig.standard()); // who joins takes the group's way
    split(3);
    List<Group> majority = groups.subList(0, 3);
    List<Group> minority = groups.subList(3, 5);
    for (Group group : majority) {
      untilView(group, true, 3);
    }
    for (Group group : minority) {
      untilView(group, false, 2);
    }
    int each = 50;
    for (int i = 0; i < each; i++) {
      for (Group group : groups) {
        var sent = group.multicast(text(group.self().name() + " ", i));
        if (i == each - 1) {
          Outcome outcome = sent.get(60, TimeUnit.SECONDS);
          assertThat(outcome instanceof Outcome.Delivered).isEqualTo(minority.contains(group));
        }
      }
    }
    List<String> branch = deliveries(minority.getFirst(), 2 * each, true);
    assertThat(deliveries(minority.getLast(), 2 * each, true)).isEqualTo(branch).doesNotHaveDuplicates();
    List<String> history = deliveries(majority.getFirst(), 3 * each, false);
    for (Group group : majority.subList(1, 3)) {
      assertThat(deliveries(group, 3 * each, false)).isEqualTo(history);
    }
    heal();
    for (Group group : groups) {
      untilView(group, true, 5);
    }
    assertThat(minority.getFirst().multicast(text("together ", 0)).get(60, TimeUnit.SECONDS))
        .isEqualTo(new Outcome.Ordered(3L * each));
    for (Group group : groups) {
      assertThat(deliveries(group, 1, false)).containsExactly("together 0");
    }
  }
}
