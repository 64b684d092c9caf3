package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.counter.Counter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Node;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;
import org.tutti.verify.LoopbackPorts;

/// Runs the program of the guide to replicated services.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplicaGuideTest {
  private record Running(Node node, Replica replica) implements AutoCloseable {
    @Override
    public void close() {
      replica.close();
      node.close();
    }
  }

  private static Running start(String name, String address, String clients, String... contacts) {
    Node node = Node.named(name).listen(address).contacts(contacts).start();
    Replica replica = Replica.of("counter", new Counter()).clients(clients).expecting("n1", "n2", "n3").start(node);
    return new Running(node, replica);
  }

  private static long add(long amount, String... replicas) throws Exception {
    try (Client client = Client.of("counter").at(replicas).connect()) {
      ByteBuffer reply = client.call(ByteBuffer.allocate(8).putLong(0, amount)).get();
      return reply.getLong();
    }
  }

  @Test
  void threeReplicasCountAndSurviveTheEndOfOne() throws Exception {
    List<String> members = Stream.generate(LoopbackPorts::free).limit(3).map(port -> "127.0.0.1:" + port).toList();
    List<Running> running = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        String[] contacts = members.toArray(String[]::new);
        running.add(start("n" + (i + 1), members.get(i), "127.0.0.1:0", contacts));
      }
      for (Running one : running) {
        one.replica.awaitServing(Duration.ofSeconds(60));
      }
      String first = running.get(0).replica.clients();
      String second = running.get(1).replica.clients();
      assertThat(add(5, first, second)).isEqualTo(5);
      running.get(0).close();
      assertThat(add(2, first, second)).isEqualTo(7);
    } finally {
      running.forEach(Running::close);
    }
  }
}
