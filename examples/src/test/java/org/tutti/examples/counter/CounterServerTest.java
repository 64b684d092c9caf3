package org.tutti.examples.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// Clients that are not members, each at one server: thousands at once, on virtual threads, in this process.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CounterServerTest {
  private static final int CLIENTS = 2000;
  private static final GroupConfig CONFIG = GroupConfig.builder().stateTransfer(true).build();

  private final List<Node> nodes = new ArrayList<>();
  private final List<CounterServer> servers = new ArrayList<>();

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void start(int count) throws IOException {
    for (int i = 1; i <= count; i++) {
      List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
      NodeBuilder config = Node.named("n" + i).contacts(contacts).times(Duration.ofMillis(100), Duration.ofSeconds(20));
      Node node =
          config
              .transport(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null)))
              .start();
      nodes.add(node);
      Group group = i == 1 ? node.create("counter", CONFIG) : node.join("counter");
      servers.add(CounterServer.start(group, loopback(0)));
    }
  }

  @AfterEach
  void end() {
    servers.forEach(CounterServer::close);
    nodes.forEach(Node::close);
  }

  private static @Nullable String ask(Socket server, String line) throws IOException {
    server.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    return new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII)).readLine();
  }

  private Socket connect(int server) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), servers.get(server).port());
  }

  /// Every client adds one, so the answers are the numbers from 1 on, each once; all are connected at the same time.
  @Test
  void thousandsOfClientsAreAnsweredEachOnce() throws Exception {
    start(2);
    var connected = new CyclicBarrier(CLIENTS);
    var answers = new ArrayList<Future<Long>>();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        answers.add(
            clients.submit(() -> {
              try (Socket server = connect(client % 2)) {
                connected.await();
                return Long.valueOf(ask(server, "c" + client + " 1 1"));
              }
            }));
      }
      var sums = new TreeSet<Long>();
      for (Future<Long> answer : answers) {
        sums.add(answer.get(200, TimeUnit.SECONDS));
      }
      assertThat(sums).hasSize(CLIENTS);
      assertThat(sums.last()).isEqualTo(CLIENTS);
    }
  }

  @Test
  void aRequestThatIsAskedAgainElsewhereCountsOnce() throws Exception {
    start(2);
    try (Socket first = connect(0);
        Socket second = connect(1)) {
      assertThat(ask(first, "alice 1 5")).isEqualTo("5");
      assertThat(ask(second, "alice 1 5")).isEqualTo("5");
      assertThat(ask(second, "alice 2 -3")).isEqualTo("2");
      servers.get(0).close();
      assertThat(ask(second, "alice 2 -3")).isEqualTo("2");
      assertThat(ask(second, "bob 1 1")).isEqualTo("3");
      assertThat(ask(second, "nonsense")).as("the connection is closed").isNull();
    }
  }
}
