package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Status;
import org.tutti.fixture.Told;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;
import org.tutti.transport.Transport;
import org.tutti.transport.memory.InProcess;

/// What a node that nobody takes in says of it in its status.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedJoinTest {
  private static final Address HERE = new Address("127.0.0.1:0");

  enum Kind {
    TCP,
    UNIX,
    UDP,
    IN_PROCESS
  }

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private Transport open(Kind kind) throws IOException {
    return switch (kind) {
      case TCP -> TcpTransport.open(HERE, TcpConfig.lan().withSocketDirectory(null));
      case UNIX -> TcpTransport.open(HERE, TcpConfig.lan());
      case UDP -> UdpTransport.open(HERE, UdpConfig.lan());
      case IN_PROCESS -> hub.open(new Address("here:" + nodes.size()));
    };
  }

  private Node start(Kind kind, String name, String cluster, Node... contacts) throws IOException {
    List<Address> addresses = Stream.of(contacts).map(node -> node.self().address()).toList();
    NodeBuilder config = Node.named(name).cluster(cluster).contacts(addresses);
    Node node = config.transport(open(kind)).start();
    nodes.add(node);
    return node;
  }

  private static Status untilRefused(Group group) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (group.status().refused().isEmpty()) {
      assertThat(System.nanoTime() - end).as("a refusal in time").isNegative();
      assertThat(group.receive(Duration.ofMillis(10))).as("nothing happens").isNull();
    }
    return group.status();
  }

  @ParameterizedTest
  @EnumSource
  void whoIsOfAnotherClusterIsToldWhichOneItHasFound(Kind kind) throws Exception {
    Node first = start(kind, "n1", "prod");
    first.create("bank", GroupConfig.standard());
    Node stranger = start(kind, "n2", "test", first);
    Group group = stranger.join("bank");
    Status status = untilRefused(group);
    Refused expected =
        new Refused(first.self().address(), Reason.OTHER_CLUSTER, "it is of cluster \"prod\", this node of \"test\"");
    assertThat(status.refused()).containsExactly(expected);
    assertThat(status.toString()).endsWith("; " + expected);
    assertThat(Told.of(first.metrics(), "link.packets.dropped{reason=other-cluster}")).isPositive();
  }

  @Test
  void aRefusalIsForgottenWhenThePeerIsHeardAfterAll() throws Exception {
    Node first = start(Kind.IN_PROCESS, "n1", "prod");
    first.create("bank", GroupConfig.standard());
    Address place = first.self().address();
    Node second = start(Kind.IN_PROCESS, "n2", "test", first);
    Group group = second.join("bank");
    untilRefused(group);
    first.close();
    NodeBuilder right = Node.named("n3").cluster("test");
    Node other = right.transport(hub.open(place)).start();
    nodes.add(other);
    other.create("bank", GroupConfig.standard());
    untilViewOf(group, 2);
    assertThat(group.status().refused()).isEmpty();
  }

  @Test
  void theEndOfWhoseNameIsInUseIsTyped() throws Exception {
    Node first = start(Kind.TCP, "n1", "prod");
    Group bank = first.create("bank", GroupConfig.standard());
    untilViewOf(bank, 1);
    Group second = start(Kind.TCP, "n1", "prod", first).join("bank");
    while (!(next(second) instanceof Event.Closed)) {
      assertThat(second.status().phase()).isNotEqualTo(Status.Phase.CAUGHT_UP);
    }
    Status status = second.status();
    assertThat(status.phase()).isEqualTo(Status.Phase.CLOSED);
    assertThat(status.refused())
        .singleElement()
        .satisfies(refused -> {
          assertThat(refused.reason()).isEqualTo(Reason.NAME_IN_USE);
          assertThat(refused.by()).isEqualTo(first.self().address());
          assertThat(refused.words()).isEqualTo(status.closed().words());
        });
  }
}
