package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.Status;
import org.tutti.Status.Cause;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.PartitionableTransport;
import org.tutti.fixture.Told;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Signs of life pass and messages do not: nobody is suspected, nothing goes on, and whoever waits says for whom.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StandstillTest {
  private static final Duration SUSPECT = Duration.ofSeconds(3);
  private static final int SHORT = 700;
  private static final byte[] LONG = new byte[5000];

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<PartitionableTransport> wires = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  @AutoClose private final LogRecords log = new LogRecords("org.tutti.Group");

  @BeforeEach
  void begin() throws Exception {
    for (int place = 1; place <= 3; place++) {
      var wire = new PartitionableTransport(hub.open(new Address("here:" + place)));
      NodeBuilder config =
          Node.named("n" + place)
              .contacts(place == 1 ? List.of() : List.of(new Address("here:1")))
              .times(Duration.ofMillis(50), SUSPECT);
      Node node = config.transport(wire).start();
      wires.add(wire);
      nodes.add(node);
      GroupConfig group = GroupConfig.standard();
      groups.add(place == 1 ? node.create("bank", group) : node.join("bank"));
    }
    for (Group group : groups) {
      untilViewOf(group, 3);
    }
  }

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private void lose(int from, int... to) {
    Set<Address> addresses = new HashSet<>();
    for (int one : to) {
      addresses.add(new Address("here:" + one));
    }
    wires.get(from - 1).passOnlyShort(SHORT, addresses);
  }

  private MemberId member(int place) {
    return nodes.get(place - 1).self();
  }

  /// Waits until a member waits for another one; the applications of all take what there is.
  private Status until(int place, Cause cause, int forWhom) throws InterruptedException {
    return until(place, cause, forWhom, false);
  }

  private Status until(int place, Cause cause, int forWhom, boolean again) throws InterruptedException {
    Group group = groups.get(place - 1);
    while (true) {
      if (again && nothingIsMissed()) {
        groups.get(1).multicast(LONG);
      }
      for (Group one : groups) {
        one.receive(Duration.ofMillis(1));
      }
      Status status = group.status();
      for (Status.Wait wait : status.waits()) {
        if (wait.cause() == cause && wait.members().equals(List.of(member(forWhom)))) {
          assertThat(wait.since()).isGreaterThanOrEqualTo(SUSPECT);
          return status;
        }
      }
    }
  }

  /// A view change, which a busy machine may bring, makes up for what n3 did not get.
  private boolean nothingIsMissed() {
    OptionalLong reached = groups.get(1).status().position();
    return reached.equals(groups.get(2).status().position()) && groups.get(1).view().primary();
  }

  private void untilNobodyWaits() throws InterruptedException {
    while (groups.stream().anyMatch(group -> !group.status().waits().isEmpty())) {
      for (Group one : groups) {
        one.receive(Duration.ofMillis(1));
      }
    }
  }

  @Test
  void whoIsNotOrderedWaitsForTheSequencer() throws Exception {
    lose(2, 1, 3);
    CompletableFuture<Outcome> sent = groups.get(1).multicast(LONG);
    Status status = until(2, Cause.ORDER, 1);
    assertThat(status.toString()).contains("waiting for n1 to order what was multicast, for ");
    assertThat(status.isServing()).as("nobody is suspected").isTrue();
    assertThat(Told.of(nodes.get(1).metrics(), "engine.standstills.begun{reason=order}")).isPositive();
    while (!log.has("group bank at n2 in view \\d+: no progress: .*waiting for n1 to order.*")) {
      Thread.onSpinWait();
    }
    lose(2);
    assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    untilNobodyWaits();
  }

  @Test
  void whoeverGetsNothingIsWaitedForAndWaitsForTheSender() throws Exception {
    lose(2, 3);
    assertThat(groups.get(1).multicast(LONG).get(60, TimeUnit.SECONDS))
        .as("a quorum has it")
        .isEqualTo(new Outcome.Ordered(0));
    until(1, Cause.ACKNOWLEDGEMENT, 3, true);
    until(2, Cause.ACKNOWLEDGEMENT, 3, true);
    until(3, Cause.MESSAGE, 2, true);
    assertThat(Told.of(nodes.get(2).metrics(), "engine.standstills.begun{reason=message}")).isPositive();
    lose(2);
    untilNobodyWaits();
    while (groups.stream().anyMatch(group -> group.view() == null || group.view().size() != 3)) {
      for (Group one : groups) {
        one.receive(Duration.ofMillis(1));
      }
    }
  }
}
