package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.fixture.Awaited;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.net.transport.Ipv6;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// Groups whose members have addresses of IPv6.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Ipv6GroupTest {
  private static final int MESSAGES = 50;

  private final List<Node> nodes = new ArrayList<>();

  private static Transport open(String name) throws IOException {
    return name.equals("udp")
        ? UdpTransport.open(Ipv6.loopback(), UdpConfig.lan())
        : TcpTransport.open(Ipv6.loopback(), TcpConfig.lan().withSocketDirectory(null));
  }

  @AfterEach
  void end() {
    nodes.forEach(Node::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "udp"})
  void threeMembersAgree(String transport) throws Exception {
    var groups = new ArrayList<Group>();
    for (int i = 1; i <= 3; i++) {
      List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
      NodeBuilder patient = Node.named("n" + i).times(Duration.ofMillis(100), Duration.ofSeconds(10));
      Node node = patient.contacts(contacts).transport(open(transport)).start();
      nodes.add(node);
      groups.add(i == 1 ? node.create("g", GroupConfig.standard()) : node.join("g"));
      for (Group group : groups) {
        Awaited.untilViewOf(group, i);
      }
    }
    assertThat(nodes.getLast().self().address().text()).startsWith("[::1]:");
    for (int i = 0; i < MESSAGES; i++) {
      for (Group group : groups) {
        group.multicast(new byte[] {(byte) i, (byte) groups.indexOf(group)});
      }
    }
    var orders = new ArrayList<List<String>>();
    for (Group group : groups) {
      var order = new ArrayList<String>();
      while (order.size() < 3 * MESSAGES) {
        if (Awaited.next(group) instanceof Event.Delivery delivery) {
          order.add(delivery.sender().name() + " " + delivery.payload().get(0));
        }
      }
      orders.add(order);
    }
    assertThat(orders.get(1)).isEqualTo(orders.get(0)).doesNotHaveDuplicates();
    assertThat(orders.get(2)).isEqualTo(orders.get(0));
  }
}
