package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.tutti.replica.ClientGroup;

/// Clients that are members of groups with replicas have their share of the runs with a service.
class ClientGroupRunsTest {
  private static final int PLANS = 200;
  private static final int RUNS = 12;

  @Test
  void bothKindsAreDrawnAndManyServicesHaveNone() {
    int with = 0;
    Set<ClientGroup.Kind> kinds = new HashSet<>();
    for (long seed = 1; seed <= PLANS; seed++) {
      Plan plan = RunKind.REPLICA.of(Plan.draw(seed));
      var settings = new ServiceSettings(plan, true, 0);
      with += settings.groupClients() > 0 ? 1 : 0;
      assertThat(plan.nodes() - settings.groupClients()).as("replicas").isPositive();
      for (int place = plan.nodes() - settings.groupClients(); place < plan.nodes(); place++) {
        kinds.add(settings.groupClient(place).kind());
      }
    }
    assertThat(with).isBetween(PLANS / 8, PLANS / 2);
    assertThat(kinds).containsExactlyInAnyOrder(ClientGroup.Kind.values());
  }

  @Test
  void clientsInGroupsAreAnswered() {
    List<RunResult> runs =
        LongStream.iterate(1, seed -> seed + 1)
            .mapToObj(seed -> RunKind.REPLICA.of(Plan.draw(seed)))
            .filter(plan -> new ServiceSettings(plan, true, 0).groupClients() > 0)
            .limit(RUNS)
            .map(Simulation::run)
            .toList();
    assertThat(runs).allSatisfy(run -> assertThat(run.passed()).isTrue());
    assertThat(runs).filteredOn(run -> run.inGroups() > 0).hasSizeGreaterThan(RUNS / 2);
    assertThat(runs).anyMatch(run -> run.groups() > 2);
  }

  private static boolean bundles(Plan plan) {
    var settings = new ServiceSettings(plan, true, 0);
    return IntStream.range(plan.nodes() - settings.groupClients(), plan.nodes())
        .mapToObj(settings::groupClient)
        .anyMatch(client ->
            client.kind() == ClientGroup.Kind.ONE_CLUSIVE
                && client.policy() != null
                && client.policy().collectsSeveral());
  }

  @Test
  void managersGatherTheRepliesOfAllServers() {
    List<RunResult> runs =
        LongStream.iterate(1, seed -> seed + 1)
            .mapToObj(seed -> RunKind.REPLICA.of(Plan.draw(seed)))
            .filter(ClientGroupRunsTest::bundles)
            .limit(RUNS)
            .map(Simulation::run)
            .toList();
    assertThat(runs).allSatisfy(run -> assertThat(run.passed()).isTrue());
    assertThat(runs.stream().filter(run -> run.bundles() > 0).count()).isGreaterThan(RUNS / 3);
  }
}
