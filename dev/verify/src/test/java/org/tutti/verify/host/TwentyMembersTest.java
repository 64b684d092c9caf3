package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.fixture.Awaited;
import org.tutti.transport.Address;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// A completely connected network of many nodes: each has a connection to each.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwentyMembersTest {
  private static final int MEMBERS = 20;
  private static final int EACH = 5;

  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void end() {
    for (Node node : nodes) {
      assertThat(node.failure()).isNull();
    }
    // All at once: nobody has to see the others leave one by one.
    nodes.parallelStream().forEach(Node::close);
  }

  @Test
  void twentyMembersOnOneHostDeliverTheSame() throws Exception {
    twentyMembersOnOneHostDeliverTheSame("tcp");
  }

  @ParameterizedTest
  @Tag("deep")
  @ValueSource(strings = {"rmi", "grpc"})
  void twentyMembersOnOneHostDeliverTheSame(String transport) throws Exception {
    var groups = new ArrayList<Group>();
    groups.add(start(transport).create("bank", GroupConfig.standard()));
    for (int i = 1; i < MEMBERS; i++) {
      groups.add(start(transport).join("bank"));
    }
    for (Group group : groups) {
      untilViewOfAll(group);
    }
    // What is multicast before is not delivered to a newcomer that goes into one more view until then.
    groups.forEach(Awaited::untilServing);
    for (int i = 0; i < EACH; i++) {
      for (Group group : groups) {
        group.multicast(ByteBuffer.allocate(100).putInt(i).array());
      }
    }
    var orders = new HashSet<List<String>>();
    for (Group group : groups) {
      var order = new ArrayList<String>();
      while (order.size() < MEMBERS * EACH) {
        if (next(group) instanceof Event.Delivery one) {
          order.add(one.position() + " " + one.sender().name() + " " + one.payload().getInt(0));
        }
      }
      orders.add(order);
    }
    assertThat(orders).as("one order").hasSize(1);
  }

  private Node start(String transport) {
    List<Address> contacts = nodes.isEmpty() ? List.of() : List.of(nodes.getFirst().self().address());
    NodeBuilder config =
        Node.named("n" + (nodes.size() + 1)).contacts(contacts).times(Duration.ofMillis(500), Duration.ofSeconds(20));
    var settings = TransportSettings.at(new Address("127.0.0.1:0"));
    Node node = config.transport(TransportProvider.named(transport).open(settings)).start();
    nodes.add(node);
    return node;
  }

  private static void untilViewOfAll(Group group) throws InterruptedException {
    while (!(next(group) instanceof Event.ViewChange(var view) && view.size() == MEMBERS)) {
      // what came before
    }
  }
}
