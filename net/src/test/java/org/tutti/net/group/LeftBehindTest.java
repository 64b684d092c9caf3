package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
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
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.fixture.Told;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// A member over TCP whose application takes nothing.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeftBehindTest {
  private static final long SOON_SECONDS = 60;
  private static final int WINDOW_BYTES = 64 << 10;
  private static final int MESSAGE_BYTES = 32 << 10;

  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private Node start() throws IOException {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    var transport = TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan());
    Node node =
        Node.named("n" + (nodes.size() + 1))
            .contacts(contacts)
            .times(Duration.ofMillis(50), Duration.ofSeconds(10))
            .transport(transport)
            .start();
    nodes.add(node);
    return node;
  }

  private static void drain(Group group) {
    try {
      while (!(group.receive() instanceof Event.Closed)) {}
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }

  private static MemberConfig leaving() {
    return MemberConfig.builder().windowBytes(WINDOW_BYTES).leaveWhenBehind(Duration.ofSeconds(1)).build();
  }

  @Test
  void sendersGoOnWithoutAMemberWhoseApplicationTakesNothing() throws Exception {
    Group first = start().create("bank", GroupConfig.standard(), leaving());
    Group second = start().join("bank", leaving());
    Group stuck = start().join("bank", leaving());
    for (Group group : List.of(first, second, stuck)) {
      untilViewOf(group, 3);
    }
    Thread.startVirtualThread(() -> drain(first));
    Thread.startVirtualThread(() -> drain(second));
    for (int i = 0; i < 8; i++) { // far more than the window
      first.multicast(new byte[MESSAGE_BYTES]).get(SOON_SECONDS, TimeUnit.SECONDS);
    }
    End end = next(stuck, Event.Closed.class).end();
    assertThat(end.cause()).isEqualTo(End.Cause.DROPPED);
    assertThat(end.words())
        .matches("this member left, as its application was 1\\d{3} ms behind, more than leaveWhenBehind=1000 ms");
    assertThat(Told.of(nodes.getLast().metrics(), "engine.members.behind")).isOne();
    assertThat(first.view())
        .isNotNull()
        .satisfies(view -> {
          assertThat(view.primary()).isTrue();
          assertThat(view.members()).containsExactly(first.self(), second.self());
        });
  }
}
