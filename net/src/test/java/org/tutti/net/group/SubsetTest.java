package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.fixture.StartedNodes;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// Multicasts to some members of a group of three over TCP.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SubsetTest {
  @AutoClose private final StartedNodes nodes = new StartedNodes();
  private final List<Group> groups = new ArrayList<>();

  private void three(GroupConfig config) throws Exception {
    for (int i = 0; i < 3; i++) {
      Node node = nodes.start(open());
      groups.add(i == 0 ? node.create("bank", config) : node.join("bank"));
      for (Group group : groups) {
        untilViewOf(group, groups.size());
      }
    }
  }

  private static TcpTransport open() throws IOException {
    return TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null));
  }

  private static List<Event.Delivery> deliveries(Group group, int count) throws InterruptedException {
    List<Event.Delivery> deliveries = new ArrayList<>();
    while (deliveries.size() < count) {
      if (next(group) instanceof Event.Delivery delivery) {
        deliveries.add(delivery);
      }
    }
    return deliveries;
  }

  private static List<Integer> values(List<Event.Delivery> deliveries) {
    return deliveries.stream().map(delivery -> (int) delivery.payload().get(0)).toList();
  }

  private SendOptions only(int... members) {
    return SendOptions.to(Arrays.stream(members).mapToObj(i -> groups.get(i).self()).toList());
  }

  private static Outcome.Refused refused(CompletableFuture<Outcome> sent) throws Exception {
    return (Outcome.Refused) sent.get(60, TimeUnit.SECONDS);
  }

  private static byte[] value(int value) {
    return new byte[] {(byte) value};
  }

  @Test
  void onlyDestinationsDeliverInTheirSendersOrderAndInOneOrder() throws Exception {
    three(GroupConfig.builder().ordering(Ordering.SKEEN).build());
    List<CompletableFuture<?>> sent = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      sent.add(groups.get(0).multicast(value(1), only(1, 2)));
      sent.add(groups.get(0).multicast(value(2)));
      groups.get(1).post(ByteBuffer.wrap(value(3)), only(1, 2));
      sent.add(groups.get(2).multicast(value(4)));
      sent.add(groups.get(2).multicast(value(5), only(0)));
    }
    for (CompletableFuture<?> one : sent) {
      one.get(60, TimeUnit.SECONDS);
    }
    List<Integer> at0 = values(deliveries(groups.get(0), 60));
    List<Event.Delivery> first = deliveries(groups.get(1), 80);
    List<Integer> at1 = values(first);
    assertThat(at0).containsOnly(2, 4, 5);
    assertThat(at1).as("one order").isEqualTo(values(deliveries(groups.get(2), 80))).containsOnly(1, 2, 3, 4);
    assertThat(at1.stream().filter(value -> value < 3)).as("its sender's order").startsWith(1, 2, 1, 2, 1, 2, 1, 2);
    for (Event.Delivery delivery : first) {
      assertThat(delivery.service()).isEqualTo(Service.TOTAL);
      assertThat(delivery.position() < 0).isEqualTo(List.of(1, 3).contains((int) delivery.payload().get(0)));
    }
  }

  @Test
  void whatCannotBeSentIsRefusedWithAReason() throws Exception {
    three(GroupConfig.standard());
    Group group = groups.get(0);
    assertThatIllegalArgumentException().isThrownBy(() -> SendOptions.to(List.of()));
    Outcome.Refused refused = refused(group.multicast(value(1), only(1)));
    assertThat(refused.reason()).isEqualTo(Outcome.Reason.NOT_ORDERED);
    assertThat(refused.words()).contains("SKEEN");
    group.post(ByteBuffer.wrap(value(2)), only(1)); // refused as well, and nobody asks
    assertThat(group.multicast(value(3)).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
  }

  @Test
  void aStrangerIsNoDestinationAndASwitchEndsIt() throws Exception {
    three(GroupConfig.builder().ordering(Ordering.SKEEN).build());
    Group group = groups.get(0);
    MemberId stranger = new MemberId("nobody", new Address("127.0.0.1:1"), 1);
    assertThat(refused(group.multicast(value(1), SendOptions.to(List.of(stranger)))).reason())
        .isEqualTo(Outcome.Reason.NOT_MEMBERS);
    assertThat(group.multicast(value(2), only(0)).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Delivered());
    group.switchTo(Ordering.SEQUENCER).get(60, TimeUnit.SECONDS);
    assertThat(refused(group.multicast(value(3), only(1))).reason()).isEqualTo(Outcome.Reason.NOT_ORDERED);
    group.multicast(value(4)).get(60, TimeUnit.SECONDS);
    assertThat(values(deliveries(groups.get(1), 1))).containsExactly(4);
    assertThat(values(deliveries(group, 2))).containsExactly(2, 4);
  }
}
