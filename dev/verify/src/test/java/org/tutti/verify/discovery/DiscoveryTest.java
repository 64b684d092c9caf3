package org.tutti.verify.discovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.net.discovery.FileDiscovery;
import org.tutti.net.discovery.HostDiscovery;
import org.tutti.net.discovery.ServiceDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.memory.InProcess;

/// How nodes find others: the forms of discovery one by one, and a node that asks one.
@Tag("socket")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DiscoveryTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String SERVICE = "_tutti._tcp.nodes.test";

  private static List<String> find(Discovery discovery) throws IOException, InterruptedException {
    return discovery.find().stream().map(Address::text).toList();
  }

  @Test
  void aFileIsReadAgain(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("nodes");
    var discovery = new FileDiscovery(file);
    assertThatThrownBy(discovery::find).isInstanceOf(IOException.class).hasMessage("no file " + file);
    Files.writeString(file, "# nobody yet\n\n");
    assertThat(find(discovery)).isEmpty();
    Files.writeString(file, "10.0.0.1:7001\r\n  [::1]:7002 # by IPv6\n");
    assertThat(find(discovery)).containsExactly("10.0.0.1:7001", "[0:0:0:0:0:0:0:1]:7002");
  }

  @Test
  void aLineThatIsNoAddressIsNamed(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("nodes");
    for (String line : List.of("10.0.0.1", ":7001", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:70 01", "a b:1")) {
      Files.writeString(file, "10.0.0.1:7001\n" + line + "\n");
      assertThatThrownBy(() -> new FileDiscovery(file).find())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(file + ":2");
    }
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatThrownBy(() -> new FileDiscovery(file).find()).hasMessage(file + " is not UTF-8");
    Files.write(file, "#".repeat(FileDiscovery.BYTES_MAX + 1).getBytes(UTF_8));
    assertThatThrownBy(() -> new FileDiscovery(file).find()).hasMessage(file + " has more than 65536 bytes");
  }

  @Test
  void aNameStandsForAllItsHosts() throws Exception {
    assertThat(find(new HostDiscovery("localhost", 7001))).contains("127.0.0.1:7001");
    assertThatThrownBy(() -> new HostDiscovery("nobody.invalid", 7001).find())
        .isInstanceOf(IOException.class)
        .hasMessage("unknown host 'nobody.invalid'");
  }

  @Test
  void aServiceStandsForItsTargetsInTheirOrder() throws Exception {
    try (var server = new NameServer()) {
      server.service(
          SERVICE, "20 0 7003 n3.nodes.test", "10 1 7001 n1.nodes.test", "10 9 7002 n2.nodes.test", "5 0 7 gone.test");
      server.host("n1.nodes.test", "10.0.0.1", "fd00::1");
      server.host("n2.nodes.test", "10.0.0.2");
      server.host("n3.nodes.test", "10.0.0.3");
      var discovery = new ServiceDiscovery(SERVICE, server.address());
      assertThat(find(discovery))
          .containsExactly("10.0.0.2:7002", "10.0.0.1:7001", "[fd00:0:0:0:0:0:0:1]:7001", "10.0.0.3:7003");
      server.service(SERVICE, "10 0 7001 n1.nodes.test");
      assertThat(find(discovery)).containsExactly("10.0.0.1:7001", "[fd00:0:0:0:0:0:0:1]:7001");
    }
  }

  @Test
  void anUnknownServiceAndASilentServerAreToldApart() throws Exception {
    try (var server = new NameServer()) {
      assertThatThrownBy(() -> new ServiceDiscovery(SERVICE, server.address()).find())
          .isInstanceOf(IOException.class)
          .hasMessage("no service '" + SERVICE + "' in DNS");
    }
    try (var mute = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
      assertThatThrownBy(() -> new ServiceDiscovery(SERVICE, "127.0.0.1:" + mute.getLocalPort()).find())
          .isInstanceOf(IOException.class)
          .hasMessage("no name server answers for '" + SERVICE + "'");
    }
  }

  /// Answers whatever it was told, or fails.
  private static final class Told implements Discovery {
    final AtomicReference<List<Address>> answer = new AtomicReference<>(List.of());
    final CountDownLatch closed = new CountDownLatch(1);
    volatile boolean failing = true;

    @Override
    public List<Address> find() throws IOException {
      if (failing) {
        throw new IOException("the name service is down");
      }
      return answer.get();
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  @Test
  void aNodeFindsAGroupThatIsToldOfLater() throws Exception {
    var network = new InProcess();
    var told = new Told();
    try (Node one = Node.named("n1").transport(network.open(new Address("n1"))).start();
        Node two = Node.named("n2").transport(network.open(new Address("n2"))).start()) {
      two.discover(told);
      assertThatThrownBy(() -> two.discover(told)).isInstanceOf(IllegalStateException.class);
      Group bank = one.create("bank", GroupConfig.standard());
      Group joined = two.join("bank");
      assertThat(joined.receive(Duration.ofMillis(500))).isNull();
      told.answer.set(List.of(new Address("nobody"), new Address("n2"), new Address("n1")));
      told.failing = false;
      assertThat(joined.receive(SOON)).isInstanceOf(Event.ViewChange.class);
      told.failing = true; // what was found stays in force
      assertThat(bank.multicast("hello".getBytes(UTF_8)).get(20, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    }
    assertThat(told.closed.await(20, TimeUnit.SECONDS)).isTrue();
  }
}
