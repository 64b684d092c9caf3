package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilServing;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Status;
import org.tutti.Status.Cause;
import org.tutti.Status.Phase;
import org.tutti.Status.Spilled;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.ManualMembership;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.fixture.Told;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;
import org.tutti.user.Report;

/// What a group says of itself is true when it is asked, not only after a view change.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StatusTest {
  private static final GroupConfig CONFIG = GroupConfig.standard();

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<PartitionableTransport> transports = new ArrayList<>();

  @AfterEach
  void end() {
    transports.forEach(transport -> transport.cut(Set.of()));
    nodes.forEach(Node::close);
  }

  private Node start(String name, Duration suspect, Address... contacts) {
    var transport = new PartitionableTransport(hub.open(new Address("here:" + (nodes.size() + 1))));
    NodeBuilder how = Node.named(name).contacts(List.of(contacts)).times(Duration.ofMillis(20), suspect);
    transports.add(transport);
    nodes.add(how.transport(transport).start());
    return nodes.getLast();
  }

  private static Status until(Group group, Predicate<Status> wanted) {
    Status status = group.status();
    while (!wanted.test(status)) {
      Thread.onSpinWait();
      status = group.status();
    }
    return status;
  }

  @Test
  void aNewcomerTellsThatItsStateIsToComeAndThenWhereItIs() throws Exception {
    GroupConfig stateful = CONFIG.toBuilder().stateTransfer(true).build();
    Group donor = start("n1", Duration.ofSeconds(20)).create("bank", stateful);
    donor.multicast(new byte[1]).get();
    donor.multicast(new byte[1]).get();
    Node second = start("n2", Duration.ofSeconds(20), new Address("here:1"));
    transports.getLast().cut(Set.of(new Address("here:1"))); // nobody lets it in yet
    Group newcomer = second.join("bank");
    assertThat(newcomer.status().phase()).isEqualTo(Phase.JOINING);
    transports.getLast().cut(Set.of());
    Status waiting = until(newcomer, status -> status.waits().stream().anyMatch(it -> it.cause() == Cause.STATE));
    assertThat(waiting.phase()).isEqualTo(Phase.WAITING_FOR_STATE);
    assertThat(waiting.waits()).containsExactly(new Wait(Cause.STATE, List.of(donor.self()), 1, Duration.ZERO, 0));
    assertThat(waiting.position()).isEmpty();
    assertThat(waiting.isServing()).isFalse();
    assertThat(waiting.toString())
        .contains("primary view ")
        .endsWith("its state is to come, waiting for n1 to give it");
    Event event = next(donor);
    while (!(event instanceof Event.StateRequest)) {
      event = next(donor);
    }
    ((Event.StateRequest) event).sink().complete();
    event = next(newcomer);
    while (!(event instanceof Event.StateOffer)) {
      event = next(newcomer);
    }
    assertThat(((Event.StateOffer) event).source().read()).isEqualTo(-1);
    Status there = until(newcomer, Status::isServing);
    assertThat(there.position()).hasValue(2);
    assertThat(there.waits()).isEmpty();
    donor.multicast(new byte[1]).get();
    Status on = until(newcomer, status -> status.position().orElse(0) == 3);
    assertThat(on.view()).as("no view change was needed").isEqualTo(there.view());
    assertThat(on.toString()).startsWith("group bank: primary view ").endsWith(" of n1, n2 at position 3");
  }

  @Test
  void afterTheEndItTellsThatAndWhy() throws Exception {
    Group group = start("n1", Duration.ofSeconds(20)).create("bank", CONFIG);
    group.multicast(new byte[1]).get();
    assertThat(until(group, status -> status.position().orElse(0) == 1).isServing()).isTrue();
    group.leave().get();
    Status last = group.status();
    assertThat(last.phase()).isEqualTo(Phase.CLOSED);
    assertThat(last.isServing()).isFalse();
    assertThat(last.closed()).isEqualTo(new End(End.Cause.LEFT, "left"));
    assertThat(last.view()).isNull();
    assertThat(group.view()).isNull();
    assertThat(last.toString()).isEqualTo("group bank: n1 ended at position 1: left");
  }

  private static Status waitingFor(Wait... waits) {
    var view = new View(new ViewId(1, 1), List.of(ManualMembership.SELF, ManualMembership.OTHER), true, List.of());
    OptionalLong next = OptionalLong.of(0);
    MemberId self = ManualMembership.SELF;
    Spilled none = Spilled.NOTHING;
    return new Report(
        "bank", self, Phase.CAUGHT_UP, view, view, next, List.of(), List.of(waits), List.of(), List.of(), null, none);
  }

  @Test
  void theSlowestMemberTakesUpMostOfTheWindow() {
    List<MemberId> other = List.of(ManualMembership.OTHER);
    var little = new Wait(Cause.ACKNOWLEDGEMENT, other, 1, Duration.ofSeconds(9), 10);
    var much = new Wait(Cause.CONSUMPTION, List.of(ManualMembership.SELF), 1, Duration.ofSeconds(2), 20);
    var longer = new Wait(Cause.CONSUMPTION, other, 1, Duration.ofSeconds(3), 20);
    var apart = new Wait(Cause.QUORUM, other, 1, Duration.ofSeconds(30), 0);
    assertThat(waitingFor(little, much, longer, apart).slowest()).isEqualTo(longer);
    assertThat(waitingFor(apart, much, little).slowest()).isEqualTo(much);
    assertThat(waitingFor(apart).slowest()).isNull();
  }

  @Test
  void whoeverTakesNothingIsNamedWhileItHoldsOthersUp() throws Exception {
    try (var log = new LogRecords("org.tutti.Group")) {
      Duration suspect = Duration.ofSeconds(3); // nobody is suspected on a busy machine
      MemberConfig small = MemberConfig.builder().windowBytes(64 << 10).build();
      Group writer = start("n1", suspect).create("bank", CONFIG, small);
      Group slow = start("n2", suspect, new Address("here:1")).join("bank", CONFIG, small);
      untilViewOf(writer, 2);
      untilServing(slow);
      while (writer.tryPost(ByteBuffer.allocate(1000))) {
        while (writer.receive(Duration.ZERO) != null) {} // the writer itself takes all
      }
      while (writer.status().waits().isEmpty()) {
        writer.receive(Duration.ofMillis(1));
      }
      Wait wait = writer.status().waits().getFirst();
      assertThat(wait.cause()).isEqualTo(Cause.CONSUMPTION);
      assertThat(wait.members()).containsExactly(slow.self());
      assertThat(wait.since()).isGreaterThanOrEqualTo(suspect);
      assertThat(wait.bytes()).isGreaterThan(60_000);
      assertThat(writer.status().slowest()).returns(List.of(slow.self()), Wait::members);
      assertThat(writer.status().toString())
          .contains("waiting for the application of n2, which has taken nothing for ");
      assertThat(Told.of(nodes.getFirst().metrics(), "engine.standstills.begun{reason=consumption}")).isPositive();
      assertThat(until(slow, status -> !status.waits().isEmpty()).waits().getFirst().members())
          .containsExactly(slow.self());
      String line = "group bank at n1 in view \\d+: the application of n2 has taken nothing for .*";
      while (!log.has(line)) {
        Thread.onSpinWait();
      }
      while (!writer.status().waits().isEmpty()) {
        slow.receive(Duration.ofMillis(1));
      }
      while (!writer.tryPost(ByteBuffer.allocate(1000))) {
        slow.receive(Duration.ofMillis(1)); // room comes behind the word that nobody waits
      }
    }
  }

  /// A name that is back does not stand for the life that was in the last primary view.
  @Test
  void whoIsMissingIsALifeAndNotAName() throws Exception {
    Duration suspect = Duration.ofSeconds(2);
    Address first = new Address("here:1");
    Group one = start("n1", suspect).create("bank", CONFIG);
    Group two = start("n2", suspect, first).join("bank");
    untilViewOf(one, 2);
    Group three = start("n3", suspect, first).join("bank");
    untilViewOf(one, 3);
    transports.getFirst().cut(Set.of(two.self().address(), three.self().address()));
    transports.get(1).cut(Set.of(first));
    transports.get(2).cut(Set.of(first));
    assertThat(until(one, status -> !status.isServing() && !status.waits().isEmpty()).toString())
        .endsWith(" known here; n1 here; waiting for n2 or n3");
    Group again = start("n2", suspect, first).join("bank");
    Status status = until(one, it -> it.view() != null && it.view().contains(again.self()));
    assertThat(status.waits())
        .containsExactly(new Wait(Cause.QUORUM, List.of(two.self(), three.self()), 1, Duration.ZERO, 0));
    assertThat(status.toString()).endsWith("; n1, n2 here; waiting for an earlier life of n2 or n3");
  }
}
