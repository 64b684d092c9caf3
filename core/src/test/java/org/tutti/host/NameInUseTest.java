package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

/// Two processes are started with one name by mistake, or the second takes the place of the first on purpose.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NameInUseTest {
  private static final Duration SUSPECT = Duration.ofSeconds(3);
  private static final int NEWCOMERS = 5;

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();

  private Node start(String name, int place, int... contacts) {
    var addresses = new ArrayList<Address>();
    for (int contact : contacts) {
      addresses.add(new Address("here:" + contact));
    }
    NodeBuilder config = Node.named(name).contacts(addresses).times(Duration.ofMillis(50), SUSPECT);
    Node node = config.transport(hub.open(new Address("here:" + place))).start();
    nodes.add(node);
    return node;
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  /// Closes a node without a word to the others.
  private static void crash(Node node) throws InterruptedException {
    Thread.ofPlatform()
        .start(() -> {
          Thread.currentThread().interrupt();
          node.close();
          Thread.interrupted();
          node.close(); // waits for the end of its thread
        })
        .join();
  }

  private static String untilClosed(Group group) throws InterruptedException {
    while (true) {
      if (next(group) instanceof Event.Closed(End end)) {
        assertThat(end.cause()).isEqualTo(End.Cause.NAME_TAKEN);
        return end.words();
      }
    }
  }

  /// What has happened up to an own message.
  private static List<View> viewsUpTo(Group group, byte mark) throws InterruptedException {
    var views = new ArrayList<View>();
    while (true) {
      switch (next(group)) {
        case Event.ViewChange(View view) -> views.add(view);
        case Event.Delivery delivery when delivery.payload().get(0) == mark -> {
          return views;
        }
        default -> {}
      }
    }
  }

  @Test
  void newcomersWithTheNameOfALivingMemberAreRefusedWithTheReasonAndNoViewChanges() throws Exception {
    Group first = start("n1", 1).create("bank", GroupConfig.standard());
    Group second = start("n2", 2, 1).join("bank");
    untilViewOf(first, 2);
    untilViewOf(second, 2);
    for (int i = 0; i < NEWCOMERS; i++) {
      boolean ofTheSenior = i % 2 == 0;
      Node newcomer = start(ofTheSenior ? "n1" : "n2", 3 + i, ofTheSenior ? 2 : 1);
      assertThat(untilClosed(newcomer.join("bank")))
          .isEqualTo(
              ofTheSenior
                  ? "the name n1 is in use by n1@here:1, which is heard"
                  : "the name n2 is in use by n2@here:2, which is heard");
    }
    assertThat(first.multicast(new byte[] {7}).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    assertThat(viewsUpTo(first, (byte) 7)).as("views at n1").isEmpty();
    assertThat(viewsUpTo(second, (byte) 7)).as("views at n2").isEmpty();
  }

  @Test
  void whoIsSilentLosesItsPlaceToALaterLifeAtAnotherAddress() throws Exception {
    Group first = start("n1", 1).create("bank", GroupConfig.standard());
    Group second = start("n2", 2, 1).join("bank");
    Node crashing = start("n3", 3, 1);
    crashing.join("bank");
    untilViewOf(first, 3);
    crash(crashing);
    Group again = start("n3", 4, 1).join("bank");
    View view = untilViewOf(again, 3);
    assertThat(view.primary()).isTrue();
    assertThat(view.members()).containsExactly(first.self(), second.self(), again.self());
  }
}
