package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.verify.host.Awaited.next;
import static org.tutti.verify.host.Awaited.untilViewOf;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.NodeConfig;
import org.tutti.Outcome;
import org.tutti.Propagation;
import org.tutti.View;
import org.tutti.net.TcpConfig;
import org.tutti.net.TcpTransport;
import org.tutti.transport.Address;

/// Exchanges among all members of a view over TCP.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PropagateTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final GroupConfig CONFIG = GroupConfig.standard();

  private final List<Node> nodes = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private Group enter(GroupConfig config) throws IOException {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    NodeConfig node =
        NodeConfig.lan("n" + (nodes.size() + 1))
            .withContacts(contacts)
            .withTimes(Duration.ofMillis(100), Duration.ofSeconds(10));
    nodes.add(
        Node.start(node, TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null))));
    return nodes.size() == 1 ? nodes.getLast().create("bank", config) : nodes.getLast().join("bank");
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
    threads.shutdownNow();
  }

  private Future<Propagation> propagate(Group group, int... bytes) {
    return threads.submit(() -> group.propagate(array(bytes)));
  }

  private static byte[] array(int... bytes) {
    var array = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      array[i] = (byte) bytes[i];
    }
    return array;
  }

  private static Propagation get(Future<Propagation> future) throws Exception {
    return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  private static List<Integer> said(Propagation all) {
    return all.messages().values().stream().map(message -> (int) message.get(0)).toList();
  }

  private static List<Long> positions(List<Event> events) {
    return events.stream()
        .filter(Event.Delivery.class::isInstance)
        .map(event -> ((Event.Delivery) event).position())
        .toList();
  }

  @Test
  void everybodyGetsWhatEverybodySaidAndTheEventsMeanwhileAtTheSamePlace() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    View view = untilViewOf(first, 2);
    untilViewOf(second, 2);
    Future<Propagation> early = propagate(first, 1);
    for (int i = 0; i < 50; i++) {
      first.multicast(new byte[1]).get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(early).isNotDone();
    Propagation late = get(propagate(second, 2));
    Propagation one = get(early);
    assertThat(one.view()).isEqualTo(view);
    assertThat(List.<MemberId>copyOf(one.messages().keySet())).isEqualTo(view.members());
    assertThat(said(one)).containsExactly(1, 2);
    assertThat(said(late)).containsExactly(1, 2);
    assertThat(positions(one.meanwhile())).hasSize(50).isEqualTo(positions(late.meanwhile()));
    // Once more in the same view; what is propagated takes no position.
    Future<Propagation> again = propagate(first, 3);
    assertThat(said(get(propagate(second, 4)))).containsExactly(3, 4);
    assertThat(said(get(again))).containsExactly(3, 4);
    assertThat(first.multicast(new byte[1]).get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(50));
  }

  @Test
  void aViewChangeStartsItAgain() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    untilViewOf(first, 2);
    Future<Propagation> one = propagate(first, 1);
    Group third = enter(CONFIG);
    untilViewOf(third, 3);
    Future<Propagation> three = propagate(third, 3);
    assertThat(said(get(propagate(second, 2)))).containsExactly(1, 2, 3);
    Propagation all = get(one);
    assertThat(said(all)).containsExactly(1, 2, 3);
    assertThat(all.view().size()).isEqualTo(3);
    assertThat(all.meanwhile()).contains(new Event.ViewChange(all.view()));
    assertThat(get(three).messages()).isEqualTo(all.messages());
  }

  @Test
  void whatWasTakenBeforeAnInterruptionIsReceivedAfterwards() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    untilViewOf(first, 2);
    int attempts = 0;
    while (!interrupted(first, second, 5L * attempts).equals(List.of(1, 2))) {
      assertThat(++attempts).as("what was said stays said; nothing was said so often").isLessThan(20);
    }
  }

  /// The first member says 1 and is interrupted, perhaps before it could say it; then it says 9, if that counts.
  private List<Integer> interrupted(Group first, Group second, long position) throws Exception {
    Future<Propagation> given = propagate(first, 1);
    for (int i = 0; i < 5; i++) {
      first.multicast(new byte[1]).get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
    given.cancel(true);
    for (int i = 0; i < 5; i++) {
      Event event = next(first);
      assertThat(event).isInstanceOf(Event.Delivery.class);
      assertThat(((Event.Delivery) event).position()).isEqualTo(position + i);
    }
    Future<Propagation> again = propagate(first, 9);
    List<Integer> said = said(get(propagate(second, 2)));
    assertThat(said(get(again))).isEqualTo(said);
    assertThat(said).isIn(List.of(1, 2), List.of(9, 2));
    return said;
  }

  @Test
  void itWaitsForAPrimaryView() throws Exception {
    GroupConfig config = CONFIG.toBuilder().electorate("n1", "n2", "n3").build();
    Group first = enter(config);
    Future<Propagation> one = propagate(first, 1);
    Group second = enter(config);
    assertThat(said(get(propagate(second, 2)))).containsExactly(1, 2);
    assertThat(get(one).view().primary()).isTrue();
  }

  @Test
  void theEndIsSaidAndNothingIsLost() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    Future<Propagation> one = propagate(second, 1);
    second.leave().get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThatThrownBy(() -> get(one)).hasCauseInstanceOf(GroupClosedException.class);
    assertThat(next(second)).isInstanceOf(Event.Closed.class);
    assertThatThrownBy(() -> first.propagate(new byte[Group.PROPAGATE_BYTES_MAX + 1]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
