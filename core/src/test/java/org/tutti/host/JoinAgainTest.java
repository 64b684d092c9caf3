package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilServing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.fixture.MemoryStorage;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Who has left a group may join it again. In the same life it is taken for the member that it was, which knows what it
/// has promised, and what it has multicast.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JoinAgainTest {
  private static final int STEPS = 200;
  private static final String ADVICE = ": start it anew to join again";

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<PartitionableTransport> transports = new ArrayList<>();

  @AfterEach
  void end() {
    transports.forEach(transport -> transport.cut(Set.of()));
    nodes.forEach(Node::close);
  }

  private Node start(String name, @Nullable StableStorage storage) {
    transports.add(new PartitionableTransport(hub.open(new Address("here:" + (nodes.size() + 1)))));
    nodes.add(
        Node.named(name)
            .contacts(List.of(new Address("here:1")))
            .times(Duration.ofMillis(20), Duration.ofMillis(500))
            .storage(storage)
            .transport(transports.getLast())
            .start());
    return nodes.getLast();
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Event.Delivery delivery) {
    return StandardCharsets.UTF_8.decode(delivery.payload()).toString();
  }

  /// Both members multicast, and deliver both.
  private static void talk(Group one, Group other, String text) throws Exception {
    for (Group from : List.of(one, other)) {
      from.multicast(text(text)).get();
      for (Group to : List.of(one, other)) {
        assertThat(text(next(to, Event.Delivery.class))).isEqualTo(text);
      }
    }
  }

  /// A membership, and a thread that compares what it delivers with what others do.
  private static final class Member {
    final Group group;
    final List<String> broken = new CopyOnWriteArrayList<>();
    private final Thread thread;

    Member(Group group, Map<Long, String> history) {
      this.group = group;
      this.thread = Thread.startVirtualThread(() -> receive(history));
    }

    private void receive(Map<Long, String> history) {
      try {
        long expected = -1;
        for (Event event = group.receive(); !(event instanceof Event.Closed); event = group.receive()) {
          if (event instanceof Event.Delivery delivery) {
            long at = delivery.position();
            String text = text(delivery);
            String other = history.putIfAbsent(at, text);
            if (expected >= 0 && at != expected || other != null && !other.equals(text)) {
              broken.add("%d: %s, and %s expected at %d".formatted(at, text, other, expected));
            }
            expected = at + 1;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void join() throws InterruptedException {
      thread.join();
    }
  }

  private static End ended(Group group) throws InterruptedException {
    return next(group, Event.Closed.class).end();
  }

  @Test
  void whoHasLeftInOrderJoinsAgain() throws Exception {
    Group first = start("n1", null).create("g", GroupConfig.standard());
    Node other = start("n2", null);
    for (String time : List.of("once", "twice", "a third time")) {
      Group again = other.join("g");
      untilServing(again);
      talk(first, again, time);
      again.leave().get();
    }
  }

  @Test
  void whoWasCutOffWhenItLeftJoinsInAnotherLifeOnly() throws Exception {
    Group first = start("n1", null).create("g", GroupConfig.standard());
    Node other = start("n2", null);
    Group before = other.join("g");
    untilServing(before);
    transports.getLast().cut(Set.of(new Address("here:1")));
    before.leave().get();
    transports.getLast().cut(Set.of());
    assertThat(ended(other.join("g")).words())
        .isEqualTo("this start of node n2 was a member of group g before, and has not left it in order" + ADVICE);
    other.close();
    Group again = start("n2", null).join("g");
    untilServing(again);
    talk(first, again, "again");
  }

  @Test
  void itJoinsAGroupOfThatNameThatWasFoundedAnew() throws Exception {
    Node founder = start("n1", null);
    Node other = start("n2", null);
    for (String time : List.of("once", "twice")) {
      Group first = founder.create("g", GroupConfig.standard());
      Group second = other.join("g");
      untilServing(second);
      talk(first, second, time);
      second.close();
      first.close();
    }
  }

  @Test
  void anObserverObservesAgainInTheSameLife() throws Exception {
    Group first = start("n1", null).create("g", GroupConfig.standard());
    Node other = start("n2", null);
    for (String time : List.of("once", "twice", "a third time")) {
      Group observer = other.observe("g");
      untilServing(observer);
      talk(first, observer, time);
      observer.close();
    }
  }

  @Test
  void aDurableOneIsRefusedAsWell() throws Exception {
    GroupConfig durable = GroupConfig.builder().durability(Durability.EACH).build();
    Group first = start("n1", new MemoryStorage()).create("g", durable);
    var kept = new MemoryStorage();
    Node other = start("n2", kept);
    Group before = other.join("g");
    untilServing(before);
    talk(first, before, "before");
    before.close();
    assertThat(ended(other.join("g")).words())
        .isEqualTo("stable storage of node n2 for group g: this start of the node was a member before" + ADVICE);
    other.close();
    untilServing(start("n2", kept).join("g"));
  }

  /// Members leave and come back in the same lives while all multicast: at each position there is one message, whoever
  /// delivers it, and whoever stays to the end has all from when it came.
  @Test
  void manyComeAndGo() throws Exception {
    long seed = System.nanoTime();
    var random = new Random(seed);
    Map<Long, String> history = new ConcurrentHashMap<>();
    for (String name : List.of("n1", "n2", "n3", "n4")) {
      start(name, null);
    }
    List<Member> members = new ArrayList<>();
    members.add(new Member(nodes.getFirst().create("g", GroupConfig.standard()), history));
    for (Node node : nodes.subList(1, nodes.size())) {
      members.add(new Member(node.join("g"), history));
    }
    for (int step = 0; step < STEPS; step++) {
      int who = random.nextInt(members.size());
      Member member = members.get(who);
      untilServing(member.group);
      member.group.multicast(text("%d by n%d".formatted(step, who + 1)));
      if (random.nextInt(3) == 0) {
        untilServing(members.get((who + 1) % members.size()).group); // somebody keeps the history
        member.group.leave().get();
        member.join();
        members.set(who, new Member(nodes.get(who).join("g"), history));
      }
    }
    for (Member member : members) {
      untilServing(member.group);
      member.group.multicast(text("end")).get();
    }
    for (Member member : members) {
      member.group.leave().get();
      member.join();
      assertThat(member.broken).as("seed " + seed).isEmpty();
    }
    assertThat(history.values()).as("seed " + seed).contains("end").hasSize(STEPS + members.size());
  }
}
