package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.PrimaryViews;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// Over TCP: a member is dropped although it lives, then the more senior of the two others crashes, and only one of the
/// last primary view is left.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostSeniorTest {
  private static final GroupConfig STATIC = GroupConfig.builder().electorate("n1", "n2", "n3").build();

  private final List<Node> nodes = new ArrayList<>();
  private final List<PartitionableTransport> transports = new ArrayList<>();

  private Node start(String name) throws Exception {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    var transport =
        new PartitionableTransport(
            TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null)));
    NodeBuilder config = Node.named(name).contacts(contacts).times(Duration.ofMillis(100), Duration.ofSeconds(2));
    Node node = config.transport(transport).start();
    nodes.add(node);
    transports.add(transport);
    return node;
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private void reach(int place, boolean reaches) {
    Address there = nodes.get(place).self().address();
    for (int other = 0; other < transports.size(); other++) {
      transports.get(other).cut(reaches ? Set.of() : other == place ? others(place) : Set.of(there));
    }
  }

  private Set<Address> others(int place) {
    var addresses = new ArrayList<>(nodes.stream().map(node -> node.self().address()).toList());
    addresses.remove(place);
    return Set.copyOf(addresses);
  }

  /// Ends a node without a word to the others.
  private static void crash(Node node) throws InterruptedException {
    Thread.ofPlatform()
        .start(() -> {
          Thread.currentThread().interrupt();
          node.close();
        })
        .join();
  }

  /// n1 creates, n2 and n3 join; n1 is cut off, and n2 crashes in the view of n2 and n3.
  private List<Group> left(GroupConfig config) throws Exception {
    Group first = start("n1").create("bank", config);
    Group second = start("n2").join("bank");
    untilViewOf(first, 2);
    untilViewOf(second, 2);
    Group third = start("n3").join("bank");
    for (Group group : List.of(first, second, third)) {
      untilViewOf(group, 3);
    }
    reach(0, false);
    assertThat(untilViewOf(third, 2).senior()).isEqualTo(second.self());
    assertThat(third.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    crash(nodes.get(1));
    reach(0, true);
    return List.of(first, third);
  }

  /// The view of two that consists of living members.
  private static View untilTogether(Group group, List<Group> with) throws InterruptedException {
    while (true) {
      if (next(group) instanceof Event.ViewChange(View view)
          && view.size() == with.size()
          && with.stream().allMatch(member -> view.contains(member.self()))) {
        return view;
      }
    }
  }

  @Test
  void aStaticMajorityGoesOnAndTakesTheNewLifeIn() throws Exception {
    List<Group> left = left(STATIC);
    View view = untilTogether(left.getFirst(), left);
    while (!view.primary()) { // they may meet first before the crash is noticed
      view = untilTogether(left.getFirst(), left);
    }
    assertThat(left.getFirst().multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(1));
    Group again = start("n2").join("bank");
    assertThat(untilViewOf(again, 3).primary()).isTrue();
    assertThat(again.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(2));
  }

  @Test
  void aQuorumOfTheLastPrimaryViewIsGone() throws Exception {
    List<Group> left = left(STATIC.toBuilder().primaryViews(PrimaryViews.BOTH).build());
    assertThat(untilTogether(left.getFirst(), left).primary()).isFalse();
    CompletableFuture<Outcome> sent = left.getFirst().multicast(new byte[1]);
    Group again = start("n2").join("bank");
    assertThat(untilViewOf(again, 3).primary()).as("a new life of n2 does not help").isFalse();
    assertThat(sent).isNotDone();
    Status.Wait wait = left.getLast().status().waits().getFirst();
    assertThat(wait.cause()).isEqualTo(Status.Cause.QUORUM);
    assertThat(wait.members()).extracting(member -> member.name()).containsExactly("n2");
  }

  @Test
  void aChoiceThatDoesNotGoWithTheElectorateIsRefused() {
    for (PrimaryViews choice : List.of(PrimaryViews.STATIC_MAJORITY, PrimaryViews.BOTH)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> GroupConfig.builder().primaryViews(choice).build())
          .withMessage("primaryViews %s needs an electorate: electorate(names of the nodes that count)", choice);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> STATIC.toBuilder().primaryViews(PrimaryViews.DYNAMIC_LINEAR).build())
        .withMessageStartingWith("primaryViews DYNAMIC_LINEAR has no electorate: primaryViews(STATIC_M");
  }
}
