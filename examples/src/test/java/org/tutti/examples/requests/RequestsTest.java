package org.tutti.examples.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.transport.Address;

/// The test server and the test client of the source: the one shows what it gets and sends it back with "OK_" before
/// it.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration TURN = Duration.ofMillis(100);
  private static final int REQUESTS = 50;

  private final List<Node> nodes = Collections.synchronizedList(new ArrayList<>());
  private final List<List<String>> shown = new ArrayList<>();
  private volatile boolean ended;

  @AfterEach
  void end() {
    ended = true;
    nodes.forEach(Node::close);
  }

  private Node node(String name) {
    List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
    Node node =
        Node.named(name)
            .listen("127.0.0.1:0")
            .contacts(contacts)
            .times(Duration.ofMillis(100), Duration.ofSeconds(20))
            .start();
    nodes.add(node);
    return node;
  }

  private void serve(RequestServer server, List<String> log) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            while (!ended) {
              var request = server.waitForRequest(TURN);
              if (request.isPresent()) {
                log.add(request.get().client() + " " + request.get().text());
                server.sendReply(request.get(), "OK_" + request.get().text());
              }
            }
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  /// Servers that begin at once may meet, part and meet again before they are all together.
  private static void awaitAll(int servers, RequestClient... clients) {
    Instant end = Instant.now().plus(PATIENCE);
    while (!Stream.of(clients).allMatch(one -> one.serverNum() == servers && one.clientNum() == clients.length)) {
      assertThat(Instant.now())
          .as("%d servers, %d clients", clients[0].serverNum(), clients[0].clientNum())
          .isBefore(end);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Ordering.class,
      names = {"SEQUENCER", "SKEEN", "CONSENSUS"})
  void eachServerRepliesAndAllGetTheRequestsInOneOrder(Ordering ordering) throws Exception {
    Set<String> names = Set.of("s1", "s2", "s3");
    List<Node> hosts = Stream.of("s1", "s2", "s3").map(this::node).toList();
    List<RequestServer> servers =
        hosts.stream()
            .map(host -> CompletableFuture.supplyAsync(() -> RequestServer.start(host, "echo", names, ordering)))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();
    for (RequestServer server : servers) {
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      shown.add(log);
      serve(server, log);
    }
    RequestClient one = RequestClient.start(node("c1"), "echo");
    RequestClient other = RequestClient.start(node("c2"), "echo");
    awaitAll(servers.size(), one, other);
    for (int i = 0; i < REQUESTS; i++) {
      one.sendRequest("a" + i);
      other.sendRequest("b" + i);
      for (int reply = 0; reply < servers.size(); reply++) {
        assertThat(one.getReply(PATIENCE)).contains("OK_a" + i);
        assertThat(other.getReply(PATIENCE)).contains("OK_b" + i);
      }
    }
    assertThat(one.getReply(Duration.ofMillis(1))).isEmpty();
    assertThat(shown).allSatisfy(log -> assertThat(log).hasSize(2 * REQUESTS).isEqualTo(shown.getFirst()));
    assertThat(other.serverNum()).isEqualTo(servers.size());
    assertThat(other.clientNum()).isEqualTo(2);
    assertThat(servers.stream().map(RequestServer::id)).containsExactlyInAnyOrder(0, 1, 2);
  }
}
