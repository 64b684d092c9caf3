package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.tutti.Ordering;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.sim.PolicyRun.Failure;
import org.tutti.sim.PolicyRun.Outcome;
import org.tutti.sim.ServiceGroup.Way;

/// The 24 policies, and those that are refused, with each failure: what holds for all seeds, and what the page shows.
class PolicyMatrixTest {
  private static final int SEEDS = Integer.getInteger("policy.cell.seeds", 3);
  private static final Path PAGE = Path.of("../docs/policy-failures.md");
  private static final Path GENERATED = Path.of("target/policy-failures.txt");

  /// One cell of each row; all of them take a minute.
  @TestFactory
  Stream<DynamicTest> aCellOfEachPolicyKeepsItsPromise() {
    return someCells(Way.PLAIN);
  }

  @TestFactory
  @Tag("deep")
  Stream<DynamicTest> eachCellKeepsItsPromise() {
    return allCells(Way.PLAIN);
  }

  /// A client that sends to all while it suspects the manager: the same holds, and it does not wait for its connection.
  @TestFactory
  Stream<DynamicTest> aClientThatSuspectsTheManagerKeepsItToo() {
    return someCells(Way.ON_SUSPICION);
  }

  @TestFactory
  @Tag("deep")
  Stream<DynamicTest> eachClientThatSuspectsTheManagerKeepsItToo() {
    return allCells(Way.ON_SUSPICION);
  }

  /// A client for which the manager gathers the replies: the same holds.
  @TestFactory
  Stream<DynamicTest> aClientThatGetsBundlesKeepsItToo() {
    return allCells(Way.BUNDLED);
  }

  /// A client in a group with the manager, which is where its commands go, and one in a group with all replicas: the
  /// same holds.
  @TestFactory
  Stream<DynamicTest> aClientInAGroupKeepsItToo() {
    return Stream.of(Way.ONE_CLUSIVE, Way.INCLUSIVE).flatMap(PolicyMatrixTest::someCells);
  }

  @TestFactory
  @Tag("deep")
  Stream<DynamicTest> eachClientInAGroupKeepsItToo() {
    return Stream.of(Way.ONE_CLUSIVE, Way.INCLUSIVE).flatMap(PolicyMatrixTest::allCells);
  }

  /// One of each policy, with another failure for another number of the policy.
  private static Stream<DynamicTest> someCells(Way way) {
    List<Policy> policies = policies(way).toList();
    return IntStream.range(0, policies.size())
        .mapToObj(i -> {
          List<Failure> all = failures(policies.get(i)).toList();
          return cell(policies.get(i), way, all.get(i % all.size()));
        });
  }

  private static Stream<DynamicTest> allCells(Way way) {
    return policies(way).flatMap(policy -> failures(policy).map(failure -> cell(policy, way, failure)));
  }

  private static Stream<Policy> policies(Way way) {
    return switch (way) {
      case PLAIN, INCLUSIVE -> Policy.all().stream();
      case ON_SUSPICION, ONE_CLUSIVE -> toTheManager();
      case BUNDLED -> toTheManager().filter(Policy::collectsSeveral);
    };
  }

  private static Stream<Policy> toTheManager() {
    return Policy.all().stream().filter(policy -> policy.dissemination() == Policy.Dissemination.MANAGER);
  }

  private static Stream<Failure> failures(Policy policy) {
    return Stream.of(Failure.values()).filter(failure -> failure.occursWith(policy.replication()));
  }

  private static DynamicTest cell(Policy policy, Way way, Failure failure) {
    return DynamicTest.dynamicTest(
        policy + ", " + way + ", " + failure.words,
        () -> {
          for (long seed = 1; seed <= SEEDS; seed++) {
            keepsItsPromise(policy, way, failure, seed);
          }
        });
  }

  /// The manager is cut off from the client only: the others have the command before the client leaves the manager.
  @Test
  void aCutOffManagerDelaysWhoSuspectsItLess() {
    for (Replication replication : Replication.values()) {
      var first = new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, replication, Ordering.SEQUENCER);
      for (long seed = 1; seed <= SEEDS; seed++) {
        long alone = PolicyRun.run(first, Way.PLAIN, Failure.FALSE_SUSPICION, seed).millis();
        long toAll = PolicyRun.run(first, Way.ON_SUSPICION, Failure.FALSE_SUSPICION, seed).millis();
        assertThat(toAll).as("%s, seed %d", first, seed).isPositive().isLessThan(alone * 3 / 4);
      }
    }
  }

  private static void keepsItsPromise(Policy policy, Way way, Failure failure, long seed) {
    Outcome outcome = PolicyRun.run(policy, way, failure, seed);
    String what = policy + ", " + way + ", " + failure.words + ", seed " + seed + ": " + outcome;
    assertThat(outcome.violations()).as(what).isEmpty();
    assertThat(outcome.struck()).as(what).isEqualTo(failure != Failure.NONE);
    assertThat(outcome.executions()).as(what).isEqualTo(1);
    assertThat(outcome.told()).as(what).matches(promised(policy, way, failure));
  }

  /// A regular expression of what the client is told. A server that crashes when the manager sends may have executed
  /// and answered before what another replica has multicast, where commands go to all; a manager that has replied has
  /// done so. Where the manager gathers replies, those of the two others may both come before it has executed the
  /// command.
  private static String promised(Policy policy, Way way, Failure failure) {
    boolean gathers = way == Way.BUNDLED || way == Way.ONE_CLUSIVE;
    boolean crash = failure != Failure.NONE && failure != Failure.FALSE_SUSPICION;
    boolean toAll = policy.dissemination() == Policy.Dissemination.ALL;
    boolean mayHaveAnswered = toAll && failure == Failure.OTHER_SERVER || failure == Failure.MANAGER_REPLIES;
    return switch (policy.collection()) {
      case NONE -> "sent";
      case FIRST -> "1 reply";
      case ALL -> !crash ? "3 replies" : mayHaveAnswered ? "3 replies|2 replies(, 1 left)?" : "2 replies(, 1 left)?";
      case MAJORITY -> gathers ? "2 replies|3 replies" : "2 replies";
    };
  }

  @Test
  @Tag("deep")
  void thePageShowsWhatIsSeen() throws IOException {
    var table = new StringBuilder("| commands go to | replies of | replication | order |");
    for (Failure failure : Failure.values()) {
      table.append(' ').append(failure.words).append(" |");
    }
    table.append("\n|").append(" --- |".repeat(4 + Failure.values().length)).append('\n');
    for (Policy policy : Policy.all()) {
      Replication replication = policy.replication();
      table.append(words(policy.dissemination(), policy.collection(), replication, policy.ordering()));
      for (Failure failure : Failure.values()) {
        boolean occurs = failure.occursWith(policy.replication());
        table
            .append(' ')
            .append(occurs ? PolicyRun.run(policy, Way.PLAIN, failure, 1).told() : "no change")
            .append(" |");
      }
      table.append('\n');
    }
    refused().forEach(row -> table.append(row).append('\n'));
    Files.writeString(GENERATED, table);
    assertThat(Files.readString(PAGE)).as("the table of this run is in sim/" + GENERATED).contains(table);
  }

  private static String words(
      Policy.Dissemination dissemination, Policy.Collection collection, Replication replication, Ordering ordering) {
    return "| %s | %s | %s | %s |".formatted(dissemination, collection, replication, ordering).toLowerCase(Locale.ROOT);
  }

  /// The rows of what is refused before anything can fail.
  private static List<String> refused() {
    List<String> rows = new ArrayList<>();
    for (Policy.Dissemination dissemination : Policy.Dissemination.values()) {
      for (Policy.Collection collection : List.of(Policy.Collection.ALL, Policy.Collection.MAJORITY)) {
        for (Ordering ordering : List.of(Ordering.SEQUENCER, Ordering.SYMMETRIC)) {
          Throwable refusal =
              catchThrowable(() -> new Policy(dissemination, collection, Replication.PASSIVE, ordering));
          assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
          String policy = words(dissemination, collection, Replication.PASSIVE, ordering);
          rows.add(policy + " refused |".repeat(Failure.values().length));
        }
      }
    }
    return rows;
  }
}
