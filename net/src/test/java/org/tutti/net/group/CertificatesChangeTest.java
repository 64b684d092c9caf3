package org.tutti.net.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.certs.Authority;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;

/// A group works on while its members' certificates are replaced.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CertificatesChangeTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path directory;

  private static Node start(String name, Credentials own, List<Address> contacts) throws IOException {
    NodeBuilder config = Node.named(name).contacts(contacts).times(Duration.ofMillis(100), Duration.ofSeconds(10));
    return config.transport(TcpTransport.open(new Address("127.0.0.1:0"), null, TcpConfig.lan(), own)).start();
  }

  private static void untilViewOf(Group group, int members) throws InterruptedException {
    while (group.view() == null || group.view().members().size() < members) {
      assertThat(group.receive(SOON)).isInstanceOf(Event.class);
    }
  }

  @Test
  void aNewcomerMeetsMembersWithTheirNewCertificates() throws Exception {
    Authority authority = Authority.in(directory);
    Credentials first = Credentials.load(authority.issue("n1", "tutti", DAY));
    Credentials second = Credentials.load(authority.issue("n2", "tutti", DAY));
    Credentials third = Credentials.load(authority.issue("n3", "tutti", DAY));
    try (Node n1 = start("n1", first, List.of());
        Node n2 = start("n2", second, List.of(n1.self().address()));
        Node n3 = start("n3", third, List.of(n1.self().address()))) {
      Group one = n1.create("bank", GroupConfig.standard());
      Group two = n2.join("bank");
      untilViewOf(two, 2);
      authority.issue("n1", "tutti", DAY);
      authority.issue("n2", "tutti", DAY);
      assertThat(first.reload()).isTrue();
      assertThat(second.reload()).isTrue();
      two.multicast("before".getBytes(UTF_8)).get(30, TimeUnit.SECONDS);
      Group newcomer = n3.join("bank");
      untilViewOf(newcomer, 3);
      newcomer.multicast("after".getBytes(UTF_8)).get(30, TimeUnit.SECONDS);
      assertThat(first.reloads()).isOne();
      untilViewOf(one, 3);
    }
  }
}
