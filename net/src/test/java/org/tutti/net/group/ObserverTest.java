package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilServing;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.View;
import org.tutti.fixture.Told;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// Observers over TCP: the others go on as if they were not there.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ObserverTest {
  private static final GroupConfig PLAIN = GroupConfig.standard();
  private static final GroupConfig STATEFUL = PLAIN.toBuilder().stateTransfer(true).build();
  private static final long SOON_SECONDS = 60;

  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private Node start() throws IOException {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    var transport = TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan());
    NodeBuilder config =
        Node.named("n" + (nodes.size() + 1)).contacts(contacts).times(Duration.ofMillis(50), Duration.ofSeconds(10));
    Node node = config.transport(transport).start();
    nodes.add(node);
    return node;
  }

  /// The views that a member is shown until its membership ends, and why it ends.
  private static End untilClosed(Group group, List<View> views) throws InterruptedException {
    while (true) {
      switch (next(group)) {
        case Event.Closed(End end) -> {
          return end;
        }
        case Event.ViewChange(View view) -> views.add(view);
        default -> {}
      }
    }
  }

  @Test
  void whenTheOnlyMemberWithTheStateLeavesTheGroupEndsForWhoObserves() throws Exception {
    Group first = start().create("bank", STATEFUL);
    Group second = start().observe("bank", MemberConfig.builder().takesState(false).build());
    View both = untilViewOf(second, 2);
    assertThat(both.observers()).containsExactly(second.self());
    untilServing(second); // told right behind the view
    assertThat(second.status().isObserver()).isTrue();
    assertThat(second.status().toString()).contains("of n1 with observers n2 (this one is one)");
    assertThat(first.status().isObserver()).isFalse();
    assertThat(first.multicast(new byte[1]).get(SOON_SECONDS, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    long startNanos = System.nanoTime();
    first.leave().get(SOON_SECONDS, TimeUnit.SECONDS);
    var views = new ArrayList<View>();
    assertThat(untilClosed(second, views))
        .returns(End.Cause.LAST_VOTER_LEFT, End::cause)
        .hasToString("the last voter has left, and only observers remain in the group");
    assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
        .isLessThan(Duration.ofSeconds(30)); // a departure would wait 50 s
    assertThat(views).hasSize(1).first().matches(view -> !view.primary() && view.voters() == 0);
  }

  @Test
  void anObserverWithStateTransferGetsTheStateAndMaySend() throws Exception {
    Group first = start().create("bank", STATEFUL);
    Group second = start().observe("bank");
    while (!(next(first) instanceof Event.StateRequest(var newcomer, var sink))) {}
    try (sink) {
      assertThat(newcomer).isEqualTo(second.self());
      sink.write(new byte[] {1, 2, 3});
      sink.complete();
    }
    Event event = next(second);
    while (!(event instanceof Event.StateOffer)) {
      event = next(second);
    }
    try (var source = ((Event.StateOffer) event).source()) {
      assertThat(source.readAllBytes()).containsExactly(1, 2, 3);
    }
    assertThat(second.multicast(new byte[] {7}).get(SOON_SECONDS, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    second.leave().get(SOON_SECONDS, TimeUnit.SECONDS);
    View alone = untilViewOf(first, 1);
    while (alone.id().epoch() < 2) {
      alone = untilViewOf(first, 1);
    }
    assertThat(alone.primary()).isTrue();
  }

  @Test
  void anObserverThatTakesNothingHoldsNobodyUpAndIsDropped() throws Exception {
    Group first =
        start().create("bank", PLAIN, MemberConfig.builder().windowBytes(64 << 10).catchUpBytesMax(256 << 10).build());
    Group voter = start().join("bank");
    Group slow = start().observe("bank");
    untilViewOf(voter, 3);
    Thread.startVirtualThread(() -> drain(voter));
    untilViewOf(first, 3);
    Thread.startVirtualThread(() -> drain(first));
    untilServing(slow);
    for (int i = 0; i < 64; i++) {
      first.multicast(new byte[32 << 10]).get(SOON_SECONDS, TimeUnit.SECONDS);
    }
    var views = new ArrayList<View>();
    assertThat(untilClosed(slow, views))
        .returns(End.Cause.DROPPED, End::cause)
        .hasToString("this observer was dropped: its application was more than 262144 bytes behind");
    assertThat(Told.of(nodes.getFirst().metrics(), "engine.observers.dropped")).isOne();
    View view = first.view();
    assertThat(view == null ? null : view.primary()).isEqualTo(true);
    assertThat(view == null ? null : view.members()).containsExactly(first.self(), voter.self());
  }

  private static void drain(Group group) {
    try {
      while (!(group.receive() instanceof Event.Closed)) {}
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void propagationDoesNotWaitForObservers() throws Exception {
    Group first = start().create("bank", PLAIN);
    Group second = start().observe("bank");
    untilViewOf(first, 2);
    first.propagate(new byte[] {1});
    assertThat(next(first, Event.Propagated.class).messages().keySet()).containsExactly(first.self());
    untilViewOf(second, 2);
    assertThat(second.propagate(new byte[] {9})).isTrue();
    first.propagate(new byte[] {2});
    Event.Propagated told = next(second, Event.Propagated.class);
    assertThat(told.messages().keySet()).containsExactly(first.self());
    assertThat(told.messages().get(first.self()).get()).isIn((byte) 1, (byte) 2);
  }

  /// What the group keeps in stable storage, it keeps for those who vote.
  @Test
  void anObserverNeedsNoStorageAndHasNoPosition() throws Exception {
    Node node = start();
    GroupConfig durable = PLAIN.toBuilder().durability(Durability.EACH).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node.join("bank", durable, MemberConfig.standard()))
        .withMessage("durability EACH needs a node with stable storage");
    assertThat(node.observe("bank", durable, MemberConfig.standard()).name()).isEqualTo("bank");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node.observe("other", MemberConfig.builder().position(7).build()))
        .withMessage("position 7 has no meaning for an observer");
  }
}
