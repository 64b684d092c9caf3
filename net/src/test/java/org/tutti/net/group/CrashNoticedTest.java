package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// Over TCP a node that has ended without a word is missed at once, not after the time of suspicion.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashNoticedTest {
  private static final Duration SUSPECT = Duration.ofMinutes(10); // nobody is suspected for silence

  /// An application with a bug, which ends its node when something is delivered.
  private static final class Broken implements GroupListener {
    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      throw new IllegalStateException("a bug");
    }
  }

  private static Node start(String name, Address... contacts) throws Exception {
    TcpConfig config =
        TcpConfig.lan().withSocketDirectory(null).withBackoff(Duration.ofMillis(10), Duration.ofMillis(20));
    Transport transport = TcpTransport.open(new Address("127.0.0.1:0"), config);
    return Node.named(name)
        .times(Duration.ofMillis(50), SUSPECT)
        .contacts(List.of(contacts))
        .transport(transport)
        .start();
  }

  private static View untilViewOf(int size, Group group) throws InterruptedException {
    while (true) {
      Event event = group.receive(Duration.ofSeconds(30));
      assertThat(event).as("next event of " + group.self()).isNotNull();
      if (event instanceof Event.ViewChange(View view) && view.size() == size) {
        return view;
      }
    }
  }

  @Test
  void theOthersGoOnWithoutTheSeniorMember() throws Exception {
    try (Node first = start("n1");
        Node second = start("n2", first.self().address());
        Node third = start("n3", first.self().address())) {
      first.create("bank", GroupConfig.standard(), MemberConfig.builder().listener(new Broken()).build());
      Group sender = second.join("bank");
      untilViewOf(2, sender);
      Group other = third.join("bank");
      untilViewOf(3, sender);
      untilViewOf(3, other);
      sender.multicast(new byte[] {1});
      View view = untilViewOf(2, other);
      assertThat(view.primary()).isTrue();
      assertThat(view.members()).containsExactly(sender.self(), other.self());
    }
  }
}
