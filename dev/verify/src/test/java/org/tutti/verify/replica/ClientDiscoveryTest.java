package org.tutti.verify.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.counter.Counter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Node;
import org.tutti.net.discovery.FileDiscovery;
import org.tutti.registry.Registry;
import org.tutti.registry.RegistryConfig;
import org.tutti.registry.RegistryDiscovery;
import org.tutti.replica.Client;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.memory.InProcess;

/// Clients that ask a discovery where replicas are; each replica has another port for clients in each of its lives.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientDiscoveryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private final InProcess hub = new InProcess();
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Replica> replicas = new HashMap<>();

  @AfterEach
  void close() {
    List.copyOf(nodes.keySet()).forEach(this::end);
  }

  private void start(String name, String... expected) {
    Node node =
        Node.named(name)
            .contacts(List.of(new Address("n1"), new Address("n2"), new Address("n3")))
            .transport(hub.open(new Address(name)))
            .data(directory.resolve(name).resolve("log"))
            .start();
    nodes.put(name, node);
    Replica.Builder replica = Replica.of("counter", new Counter()).clients("127.0.0.1:0");
    Path snapshots = directory.resolve(name).resolve("snapshots");
    replicas.put(name, replica.data(snapshots).expecting(expected).start(node));
  }

  private void end(String name) {
    replicas.remove(name).close();
    nodes.remove(name).close();
  }

  private String awaitServing(String name) throws Exception {
    replicas.get(name).awaitServing(PATIENCE);
    return replicas.get(name).clients();
  }

  private void list(Path file, String... addresses) throws Exception {
    Path whole = Files.write(directory.resolve("new"), List.of(addresses));
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static CompletableFuture<ByteBuffer> add(Client client, long amount) throws InterruptedException {
    return client.call(ByteBuffer.allocate(8).putLong(0, amount), PATIENCE);
  }

  /// The only replica comes back at an address that no replica has told the client of.
  @Test
  void aServiceThatHasMovedIsFoundInTheFile() throws Exception {
    Path file = directory.resolve("clients");
    try (Client client = Client.of("counter").discover(new FileDiscovery(file)).connect()) {
      CompletableFuture<ByteBuffer> early = add(client, 5); // there is no file yet, and no replica
      start("n1", "n1");
      String before = awaitServing("n1");
      list(file, before);
      assertThat(early.get().getLong()).isEqualTo(5);
      end("n1");
      CompletableFuture<ByteBuffer> meanwhile = add(client, 2);
      start("n1", "n1");
      String after = awaitServing("n1");
      assertThat(after).isNotEqualTo(before);
      list(file, after);
      assertThat(meanwhile.get().getLong()).isEqualTo(7);
    }
  }

  private RegistryDiscovery announced(String registry, String name) throws Exception {
    var own = new Address(awaitServing(name));
    RegistryDiscovery announcement = RegistryDiscovery.member(registry, "counter-clients", name, own, null);
    announcement.find(); // once a second in a program, as the registry forgets who is silent
    return announcement;
  }

  @Test
  void aReplicaThatWasReplacedIsFoundInTheRegistry() throws Exception {
    var anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (var registry = Registry.open(anywhere, RegistryConfig.expecting(1), null, null, _ -> {})) {
      String at = "127.0.0.1:" + registry.address().getPort();
      for (String name : List.of("n1", "n2", "n3")) {
        start(name, "n1", "n2", "n3");
      }
      List<RegistryDiscovery> gone = new ArrayList<>();
      for (String name : List.of("n1", "n2")) { // the third one is not announced
        gone.add(announced(at, name));
      }
      try (Client client = clientOf(at)) {
        assertThat(add(client, 5).get().getLong()).isEqualTo(5);
      }
      gone.forEach(RegistryDiscovery::close);
      end("n1");
      start("n1", "n1", "n2", "n3");
      RegistryDiscovery replaced = announced(at, "n1");
      end("n2");
      try (Client client = clientOf(at)) {
        assertThat(add(client, 2).get().getLong()).isEqualTo(7);
      }
      replaced.close();
    }
  }

  private static Client clientOf(String registry) {
    RegistryDiscovery found = RegistryDiscovery.onlooker(registry, "counter-clients", null);
    return Client.of("counter").discover(found).connect();
  }

  @Test
  void theDiscoveryEndsWithTheClient() throws Exception {
    var asked = new CountDownLatch(1);
    var closed = new CountDownLatch(1);
    var stuck =
        new Discovery() {
          @Override
          public List<Address> find() throws InterruptedException {
            asked.countDown();
            new CountDownLatch(1).await();
            return List.of();
          }

          @Override
          public void close() {
            closed.countDown();
          }
        };
    Client client = Client.of("counter").discover(stuck).connect();
    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
    client.close();
    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aClientWithNobodyToAskIsRefused() {
    assertThatThrownBy(Client.of("counter")::connect)
        .hasMessage("a client needs the address of a replica, or a discovery");
    try (Node node = Node.named("c").transport(hub.open(new Address("c"))).start()) {
      Client.Builder inGroups = Client.of("counter").discover(List::of).group(node, ClientGroup.Kind.INCLUSIVE);
      assertThatThrownBy(inGroups::connect).hasMessageContaining("at(...)");
    }
  }
}
