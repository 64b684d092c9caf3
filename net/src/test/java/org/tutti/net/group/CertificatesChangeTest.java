package org.tutti.net.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
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
import org.tutti.fixture.Awaited;
import org.tutti.fixture.Told;
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

  /// A member's files of its own, which are replaced while it runs.
  private final class Renewed {
    final Path files;
    final Credentials credentials;
    final TcpTransport transport;
    final Node node;

    Renewed(String name, Path issued, List<Address> contacts) throws IOException {
      files = Files.createDirectory(directory.resolve("files-of-" + name));
      for (Path each : List.of(issued.resolve("cert.pem"), issued.resolve("key.pem"), issued.resolve("ca.pem"))) {
        Files.copy(each, files.resolve(each.getFileName()));
      }
      credentials = Credentials.load(files);
      transport = TcpTransport.open(new Address("127.0.0.1:0"), null, TcpConfig.lan(), credentials);
      var how = Node.named(name).contacts(contacts).times(Duration.ofMillis(100), Duration.ofSeconds(10));
      node = how.transport(transport).start();
    }

    void replace(String file, byte[] content) throws IOException {
      Path fresh = Files.write(directory.resolve("fresh"), content);
      Files.move(fresh, files.resolve(file), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    long counted(String what) {
      return Told.of(transport.metrics(), what);
    }
  }

  /// What one member has been given is in use when all its connections have been made anew.
  private static void reconnect(Renewed member, List<Renewed> all, MulticastRounds traffic) throws Exception {
    assertThat(member.credentials.reload()).isTrue();
    long wanted = member.counted("peers.connected{over=tcp}") + all.size() - 1;
    traffic.until(() -> {
      all.forEach(other -> {
        if (other != member) {
          member.transport.renew(other.node.self().address());
        }
      });
      return member.counted("peers.connected{over=tcp}") >= wanted;
    });
  }

  private static byte[] bytes(Path... files) throws IOException {
    var all = new ByteArrayOutputStream();
    for (Path file : files) {
      all.write(Files.readAllBytes(file));
    }
    return all.toByteArray();
  }

  /// As the guide on TLS says: both authorities, then other certificates, then only the new authority.
  @Test
  @Tag("deep")
  void theAuthorityIsReplacedUnderTrafficAndNothingIsLost() throws Exception {
    Path before = directory.resolve("old");
    Path after = directory.resolve("new");
    Authority oldOne = Authority.in(before);
    Authority newOne = Authority.in(after);
    var all = new ArrayList<Renewed>();
    var groups = new ArrayList<Group>();
    try {
      for (String name : List.of("n1", "n2", "n3")) {
        List<Address> contacts = all.stream().map(each -> each.node.self().address()).toList();
        var next = new Renewed(name, oldOne.issue(name, "tutti", DAY), contacts);
        all.add(next);
        groups.add(groups.isEmpty() ? next.node.create("bank", GroupConfig.standard()) : next.node.join("bank"));
      }
      for (Group group : groups) {
        Awaited.untilViewOf(group, all.size());
      }
      var traffic = new MulticastRounds(groups);
      byte[] both = bytes(before.resolve("ca.pem"), after.resolve("ca.pem"));
      for (Renewed member : all) {
        member.replace("ca.pem", both);
        reconnect(member, all, traffic);
      }
      for (Renewed member : all) {
        Path issued = newOne.issue(member.node.self().name(), "tutti", DAY);
        member.replace("key.pem", bytes(issued.resolve("key.pem")));
        member.replace("cert.pem", bytes(issued.resolve("cert.pem")));
        reconnect(member, all, traffic);
      }
      for (Renewed member : all) {
        member.replace("ca.pem", bytes(after.resolve("ca.pem")));
        reconnect(member, all, traffic);
      }
      Renewed first = all.getFirst();
      List<Address> contact = List.of(first.node.self().address());
      Path outdated = oldOne.issue("n4", "tutti", DAY);
      Files.write(outdated.resolve("ca.pem"), both); // it would take the members
      try (Node late = new Renewed("n4", outdated, contact).node) {
        late.join("bank");
        traffic.until(() -> first.counted("connections.closed{reason=wrong-certificate}") > 0);
      }
    } finally {
      all.forEach(each -> each.node.close());
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
