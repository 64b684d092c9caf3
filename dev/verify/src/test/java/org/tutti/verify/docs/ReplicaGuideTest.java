package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.counter.Counter;
import com.example.tickets.Tickets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;
import org.tutti.replica.Client;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.Replica;
import org.tutti.replica.Replication;

/// Runs the program of the guide to replicated services.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplicaGuideTest {
  private static List<String> blocks(String page) throws IOException {
    String text = Files.readString(Tree.root().resolve(page));
    return Pattern.compile("(?s)\n```java\n(.*?)\n```\n").matcher(text).results().map(block -> block.group(1)).toList();
  }

  /// The first block of the README is of [ReadmeTest], and those of the guide are held to the tree by [GuidesTest].
  @Test
  void theReadmeHasTheLinesOfTheGuide() throws IOException {
    assertThat(blocks("README.md").stream().skip(1).toList()).isEqualTo(blocks("docs/guides/replica.md").subList(0, 3));
  }

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
    List<String> members = LoopbackPorts.addresses(3);
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

  private static Running startInGroups(String name, String address, String... contacts) {
    Node node = Node.named(name).listen(address).contacts(contacts).start();
    Replica replica = Replica.of("counter", new Counter()).clientGroups().expecting("n1", "n2", "n3").start(node);
    return new Running(node, replica);
  }

  private static final Policy MANAGER =
      new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  private static String addInGroup(Node node, String server, long amount) throws Exception {
    Client.Builder builder = Client.of("counter").at(server).policy(MANAGER);
    try (Client client = builder.group(node, ClientGroup.Kind.ONE_CLUSIVE).connect()) {
      long value = client.call(ByteBuffer.allocate(8).putLong(0, amount)).get().getLong();
      ClientGroup its = client.groupDetails().getFirst();
      return value + " by " + its.manager() + ", " + its.members().size() + " members";
    } // the group is deleted
  }

  @Test
  void aClientIsAMemberOfAGroupWithItsManager() throws Exception {
    List<String> members = LoopbackPorts.addresses(3);
    List<Running> running = new ArrayList<>();
    try (Node own = Node.named("c1").contacts(members.toArray(String[]::new)).start()) {
      for (int i = 0; i < 3; i++) {
        running.add(startInGroups("n" + (i + 1), members.get(i), members.toArray(String[]::new)));
      }
      for (Running one : running) {
        one.replica.awaitServing(Duration.ofSeconds(60));
      }
      assertThat(addInGroup(own, running.getLast().replica.clients(), 5)).matches("5 by n[1-3].*, 2 members");
    } finally {
      running.forEach(Running::close);
    }
  }

  private static Running startTickets(String name, String address, String... contacts) {
    Node node = Node.named(name).listen(address).contacts(contacts).start();
    Replica replica = Replica.of("tickets", new Tickets()).expecting("n1", "n2", "n3").start(node);
    return new Running(node, replica);
  }

  private static Client toTheManager(String... contacts) {
    var policy =
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.PASSIVE, Ordering.SEQUENCER);
    return Client.of("tickets").at(contacts).policy(policy).connect();
  }

  private static Client toAllOnSuspicion(Duration after, String... contacts) {
    var policy =
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.PASSIVE, Ordering.SEQUENCER);
    return Client.of("tickets").at(contacts).policy(policy).allOnSuspicion(after).connect();
  }

  /// The tickets that a replica has, also when another one was the primary.
  private static ByteBuffer ticketsAt(Replica replica) throws Exception {
    try (Client client = Client.of("tickets").at(replica.clients()).connect()) {
      return client.query(ByteBuffer.allocate(0), Read.LINEARIZABLE).get();
    }
  }

  @Test
  void aServiceThatDrawsIsTheSameAtAllReplicasAndSurvivesItsPrimary() throws Exception {
    List<String> members = LoopbackPorts.addresses(3);
    List<Running> running = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        running.add(startTickets("n" + (i + 1), members.get(i), members.toArray(String[]::new)));
      }
      for (Running one : running) {
        one.replica.awaitServing(Duration.ofSeconds(60));
      }
      View view = Objects.requireNonNull(running.getFirst().replica.group().view());
      String senior = view.members().getFirst().name();
      Running primary = running.stream().filter(one -> one.node.self().name().equals(senior)).findAny().orElseThrow();
      List<Running> backups = running.stream().filter(one -> one != primary).toList();
      String[] contacts = backups.stream().map(one -> one.replica.clients()).toArray(String[]::new);
      ByteBuffer drawn = ByteBuffer.allocate(16 * 20);
      try (Client client = toTheManager(contacts);
          Client suspicious = toAllOnSuspicion(Duration.ofMillis(500), contacts)) {
        for (int i = 0; i < 20; i++) {
          if (i == 10) {
            primary.close();
          }
          drawn.put((i % 2 == 0 ? client : suspicious).call(ByteBuffer.allocate(0)).get());
        }
      }
      for (Running backup : backups) {
        assertThat(ticketsAt(backup.replica)).isEqualTo(drawn.duplicate().flip());
      }
    } finally {
      running.forEach(Running::close);
    }
  }
}
