package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Node;
import org.tutti.blocks.Blocks;
import org.tutti.blocks.Codec;
import org.tutti.blocks.FencedLock;
import org.tutti.blocks.ReplicatedCounter;
import org.tutti.blocks.ReplicatedMap;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Runs the program of the guide to building blocks, on three replicas, one of which ends.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlocksGuideTest {
  static Replica start(Node node, String clients) {
    return Replica.of("blocks", new Blocks()).clients(clients).expecting("n1", "n2", "n3").start(node);
  }

  static long[] use(Client client) throws InterruptedException {
    ReplicatedMap<String, Long> stock = ReplicatedMap.of(client, "stock", Codec.text(), Codec.number());
    stock.put("bolts", 500L);
    Long left = stock.compute("bolts", before -> before == null ? null : before - 20);
    try (FencedLock.Hold hold = FencedLock.of(client, "printer").lock()) {
      long page = ReplicatedCounter.of(client, "pages").incrementAndGet();
      return new long[] {left, hold.token(), page};
    }
  }

  @Test
  void blocksSurviveTheEndOfAReplica() throws Exception {
    var hub = new InProcess();
    List<Node> nodes = new ArrayList<>();
    List<Replica> replicas = new ArrayList<>();
    try {
      for (String name : List.of("n1", "n2", "n3")) {
        List<Address> contacts = List.of(new Address("n1"), new Address("n2"), new Address("n3"));
        nodes.add(Node.named(name).contacts(contacts).transport(hub.open(new Address(name))).start());
        replicas.add(start(nodes.getLast(), "127.0.0.1:0"));
      }
      for (Replica replica : replicas) {
        replica.awaitServing(Duration.ofSeconds(60));
      }
      String[] at = {replicas.get(0).clients(), replicas.get(1).clients()};
      try (Client client = Client.of("blocks").at(at).connect()) {
        assertThat(use(client)).containsExactly(480, 1, 1);
        replicas.get(0).close();
        nodes.get(0).close();
        assertThat(use(client)).containsExactly(480, 2, 2);
      }
    } finally {
      replicas.forEach(Replica::close);
      nodes.forEach(Node::close);
    }
  }
}
