package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.View;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// How a group begins: with a majority of a configured set, or in two places at once.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FoundingTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String OVERRULED = "the group was founded twice, and the other history is older: join ";

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();

  private Node start(int number, int... contacts) {
    var addresses = new ArrayList<Address>();
    for (int contact : contacts) {
      addresses.add(new Address("here:" + contact));
    }
    NodeBuilder config =
        Node.named("n" + number).contacts(addresses).times(Duration.ofMillis(50), Duration.ofSeconds(5));
    Node node = config.transport(hub.open(new Address("here:" + number))).start();
    nodes.add(node);
    return node;
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private static String untilClosed(Group group) throws InterruptedException {
    while (true) {
      Event event = group.receive(SOON);
      assertThat(event).as("next event of " + group.self()).isNotNull();
      if (event instanceof Event.Closed(End end)) {
        assertThat(end.cause()).isEqualTo(End.Cause.OVERRULED);
        return end.words();
      }
    }
  }

  @Test
  void aMajorityOfTheConfiguredSetMakesThePrimaryView() throws Exception {
    GroupConfig config = GroupConfig.builder().electorate("n1", "n2", "n3").build();
    Group first = start(1).create("bank", config);
    assertThat(untilViewOf(first, 1).primary()).isFalse();
    CompletableFuture<Outcome> sent = first.multicast(new byte[1]);
    Group observer = start(4, 1).join("bank");
    assertThat(untilViewOf(observer, 2).primary()).as("n4 does not count").isFalse();
    assertThat(sent).isNotDone();
    Group second = start(2, 1).join("bank");
    assertThat(untilViewOf(second, 3).primary()).isTrue();
    assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    second.leave().get(60, TimeUnit.SECONDS);
    View left = untilViewOf(first, 2);
    while (left.primary()) { // the set shrinks below its majority only without a primary view
      left = untilViewOf(first, 2);
    }
    assertThat(left.members()).containsExactly(first.self(), observer.self());
  }

  @Test
  void whoLostTheRaceJoins() throws Exception {
    Node late = start(2, 1);
    Group winner = start(1, 2).create("bank", GroupConfig.standard());
    assertThat(winner.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    assertThat(untilClosed(late.create("bank", GroupConfig.standard()))).startsWith(OVERRULED);
    Group again = late.join("bank");
    assertThat(untilViewOf(again, 2).senior()).isEqualTo(winner.self());
    assertThat(again.multicast(new byte[1]).get(60, TimeUnit.SECONDS))
        .as("in the winner's history")
        .isEqualTo(new Outcome.Ordered(1));
  }
}
