package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// With consensus a silent coordinator does not stop the order, and the view stays ("progress with any majority up,
/// with no view change needed").
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentCoordinatorTest {
  private static final GroupConfig CONFIG = GroupConfig.builder().ordering(Ordering.CONSENSUS).build();
  private static final Duration HEARTBEAT = Duration.ofMillis(50);
  private static final Duration SUSPECT = Duration.ofSeconds(60); // nobody is suspected while this test runs
  private static final int MESSAGES = 100;

  /// The application of the first member. Its first delivery takes long, and with it the member stands still: it does
  /// not read, not write, and its detector does not run.
  private static final class Stuck implements GroupListener {
    final CountDownLatch reached = new CountDownLatch(1);
    final CountDownLatch free = new CountDownLatch(1);
    final CountDownLatch all = new CountDownLatch(MESSAGES + 1);
    final List<View> views = new ArrayList<>(); // engine thread only, and afterwards
    final List<Byte> delivered = new ArrayList<>(); // the same

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      delivered.add(payload.get(payload.position()));
      reached.countDown();
      try {
        assertThat(free.await(100, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      all.countDown();
    }

    @Override
    public void install(View view) {
      views.add(view);
    }
  }

  private static Transport open() throws Exception {
    return TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null));
  }

  private static Node start(String name, Address... contacts) throws Exception {
    return Node.named(name).times(HEARTBEAT, SUSPECT).contacts(List.of(contacts)).transport(open()).start();
  }

  private static void untilViewOf(int size, Group group) throws InterruptedException {
    while (!(next(group) instanceof Event.ViewChange(View view) && view.size() == size)) {
      // a smaller view
    }
  }

  @Test
  void theOthersGoOnInTheSameView() throws Exception {
    var stuck = new Stuck();
    try (Node first = start("n1");
        Node second = start("n2", first.self().address());
        Node third = start("n3", first.self().address())) {
      Group coordinator = first.create("bank", CONFIG, MemberConfig.builder().listener(stuck).build());
      Group sender = second.join("bank");
      untilViewOf(2, sender); // one after the other: else two changes of the view, one of which might come late
      Group other = third.join("bank");
      untilViewOf(3, sender);
      untilViewOf(3, other);
      View view = sender.view();
      assertThat(view.senior()).isEqualTo(coordinator.self());
      sender.multicast(new byte[] {-1});
      assertThat(stuck.reached.await(30, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < MESSAGES; i++) {
        (i % 2 == 0 ? sender : other).multicast(new byte[] {(byte) i});
      }
      List<Byte> order = deliveries(sender);
      assertThat(deliveries(other)).isEqualTo(order);
      assertThat(stuck.delivered).hasSize(1);
      assertThat(sender.view()).isEqualTo(view);
      assertThat(other.view()).isEqualTo(view);
      stuck.free.countDown();
      assertThat(stuck.all.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(stuck.delivered).isEqualTo(order);
      assertThat(stuck.views).last().isEqualTo(view);
    } finally {
      stuck.free.countDown();
    }
  }

  private static List<Byte> deliveries(Group group) throws InterruptedException {
    var order = new ArrayList<Byte>();
    while (order.size() < MESSAGES + 1) {
      Event event = next(group);
      assertThat(event).isInstanceOf(Event.Delivery.class);
      ByteBuffer payload = ((Event.Delivery) event).payload();
      order.add(payload.get(payload.position()));
    }
    return order;
  }
}
