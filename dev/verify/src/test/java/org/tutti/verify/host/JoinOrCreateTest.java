package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.fixture.Awaited.next;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Durability;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.storage.StableStorage;
import org.tutti.store.FileStorage;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// The same call on each replica founds a group, joins it, and restarts it.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JoinOrCreateTest {
  private static final Set<String> EXPECTED = Set.of("n1", "n2", "n3");

  @TempDir private Path directory;
  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<PartitionableTransport> links = new ArrayList<>(); // of the nodes

  private Group enter(int number, Set<String> expected, @Nullable StableStorage storage) {
    var contacts = List.of(new Address("here:1"), new Address("here:2"), new Address("here:3"));
    NodeBuilder config =
        Node.named("n" + number).contacts(contacts).times(Duration.ofMillis(50), Duration.ofSeconds(5));
    Node node = config.transport(link(number)).storage(storage).start();
    nodes.add(node);
    GroupConfig group = GroupConfig.standard();
    if (storage == null) {
      return node.joinOrCreate("bank", expected, group);
    }
    GroupConfig durable = group.toBuilder().durability(Durability.EACH).build();
    return node.joinOrCreate("bank", expected, durable, MemberConfig.builder().position(0).build());
  }

  private Group enter(int number) {
    return enter(number, EXPECTED, null);
  }

  private PartitionableTransport link(int number) {
    var link = new PartitionableTransport(hub.open(new Address("here:" + number)));
    links.add(link);
    return link;
  }

  /// Nodes end at once, and the others hear nothing of it but their silence.
  private void crash(int... indexes) {
    Set<Address> all = Set.of(new Address("here:1"), new Address("here:2"), new Address("here:3"));
    for (int index : indexes) {
      links.get(index).cut(all);
    }
    for (int index : indexes) {
      nodes.get(index).close();
    }
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private static View untilPrimaryOf(Group group, int size) throws InterruptedException {
    while (true) {
      if (next(group) instanceof Event.ViewChange(View view) && view.primary() && view.size() == size) {
        return view;
      }
    }
  }

  /// It is told right behind the first view.
  private static void untilStatus(Group group) throws InterruptedException {
    next(group);
    while (group.status().view() == null) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aMajorityFoundsTheGroupAndTheOthersJoinIt() throws Exception {
    Group first = enter(1);
    CompletableFuture<Outcome> sent = first.multicast(new byte[1]);
    assertThat(next(first))
        .isInstanceOfSatisfying(Event.ViewChange.class, it -> assertThat(it.view().primary()).isFalse());
    assertThat(sent).isNotDone();
    Group second = enter(2);
    assertThat(untilPrimaryOf(first, 2)).isEqualTo(untilPrimaryOf(second, 2));
    assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    Group third = enter(3);
    assertThat(untilPrimaryOf(third, 3)).isEqualTo(untilPrimaryOf(first, 3));
    assertThat(third.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(1));
  }

  @Test
  void oneWhoExpectsNobodyElseFoundsAlone() throws Exception {
    assertThat(untilPrimaryOf(enter(1, Set.of("n1"), null), 1).primary()).isTrue();
  }

  @Test
  void halfOfTheExpectedMembersFoundNothing() throws Exception {
    Group alone = enter(1, Set.of("n1", "n2"), null);
    untilStatus(alone);
    assertThat(alone.status().toString()).endsWith("looks for its members; waiting for n2");
    Group other = enter(2, Set.of("n1", "n2"), null);
    assertThat(untilPrimaryOf(alone, 2)).isEqualTo(untilPrimaryOf(other, 2));
  }

  @Test
  void whoIsStartedAgainJoins() throws Exception {
    Group first = enter(1);
    Group second = enter(2);
    Group third = enter(3);
    untilPrimaryOf(first, 3);
    assertThat(second.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    untilPrimaryOf(third, 3);
    crash(0);
    Group again = enter(1);
    assertThat(untilPrimaryOf(again, 3).members()).contains(second.self(), third.self(), again.self());
    assertThat(again.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(1));
  }

  @Test
  void theSameCallGoesOnWithTheHistoryAfterAllHaveCrashed() throws Exception {
    List<Group> groups = new ArrayList<>();
    for (int number = 1; number <= 3; number++) {
      groups.add(enter(number, EXPECTED, FileStorage.open(directory.resolve("n" + number))));
    }
    for (Group group : groups) {
      untilPrimaryOf(group, 3);
    }
    assertThat(groups.get(2).multicast(new byte[] {5}).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    crash(0, 1, 2);
    Group first = enter(1, EXPECTED, FileStorage.open(directory.resolve("n1")));
    CompletableFuture<Outcome> sent = first.multicast(new byte[1]);
    Group second = enter(2, EXPECTED, FileStorage.open(directory.resolve("n2")));
    assertThat(sent.get(60, TimeUnit.SECONDS))
        .as("behind what was acknowledged before")
        .isEqualTo(new Outcome.Ordered(1));
    while (!(next(second) instanceof Event.Delivery delivery && delivery.payload().get(0) == 5)) {
      // Views come in between.
    }
  }

  private Group enter(int number, int expected) {
    var contacts = List.of(new Address("here:1"), new Address("here:2"), new Address("here:3"));
    NodeBuilder config =
        Node.named("n" + number).contacts(contacts).times(Duration.ofMillis(50), Duration.ofSeconds(5));
    Node node = config.transport(link(number)).start();
    nodes.add(node);
    GroupConfig group = GroupConfig.standard();
    return expected == 0 ? node.join("bank") : node.joinOrCreate("bank", expected, group);
  }

  @Test
  void aNumberOfMembersFoundsTheGroupAndWhoOnlyJoinsDoesNotCount() throws Exception {
    Group first = enter(1, 3);
    Group second = enter(2, 3);
    Group watcher = enter(4, 0);
    CompletableFuture<Outcome> sent = first.multicast(new byte[1]);
    View of = null;
    while (of == null || of.size() < 2) {
      of = next(first) instanceof Event.ViewChange(View view) ? view : of;
      assertThat(of == null || !of.primary()).as("%s", of).isTrue();
    }
    assertThat(sent).isNotDone();
    assertThat(watcher.config()).as("nobody can tell it of a group").isNull();
    assertThat(first.status().phase()).isEqualTo(Status.Phase.JOINING);
    Group third = enter(3, 3);
    View whole = untilPrimaryOf(third, 4);
    assertThat(untilPrimaryOf(first, 4)).isEqualTo(whole);
    assertThat(untilPrimaryOf(second, 4)).isEqualTo(whole);
    assertThat(untilPrimaryOf(watcher, 4)).isEqualTo(whole);
    assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
  }

  @Test
  void theStatusSaysHowManyAreMissing() throws Exception {
    Group alone = enter(1, 3);
    untilStatus(alone);
    assertThat(alone.status().toString()).endsWith("looks for its members; waiting for 2 others");
    assertThat(alone.status().waits())
        .singleElement()
        .isEqualTo(new Status.Wait(Status.Cause.QUORUM, List.of(), 2, Duration.ZERO, 0));
  }

  @Test
  void moreThanTheNumberAreWelcome() throws Exception {
    List<Group> groups = new ArrayList<>();
    for (int number = 1; number <= 3; number++) {
      groups.add(enter(number, 2));
    }
    for (Group group : groups) {
      untilPrimaryOf(group, 3);
    }
    assertThat(groups.getLast().multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
  }

  @Test
  void whoIsNotExpectedMayNotFound() {
    assertThatIllegalArgumentException().isThrownBy(() -> enter(4)).withMessageContaining("n4");
  }

  @Test
  void whoExpectsOthersIsTold() throws Exception {
    Group first = enter(1);
    Group other = enter(2, Set.of("n2", "n3"), null);
    String reason = null;
    while (reason == null) {
      reason = next(other) instanceof Event.Closed closed ? closed.end().words() : null;
    }
    assertThat(reason).isEqualTo("this member expects other founders than n1 does: all must expect the same");
    assertThat(first.status().lastPrimary()).isNull();
  }
}
