package org.tutti.sim.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.tutti.sim.ipc.IpcFailures.Condition;
import org.tutti.sim.ipc.IpcFailures.Outcome;
import org.tutti.sim.ipc.IpcFailures.Stage;

/// The 35 cells of the source's figure 3.2: what each promises holds for all seeds, and the page shows what is seen.
class IpcFailuresTest {
  private static final int SEEDS = Integer.getInteger("ipc.cell.seeds", 20);
  private static final long OVER_NANOS_MAX = 3_500_000_000L; // the sender's patience, a silence and some probes
  private static final Path PAGE = Path.of("../docs/ipc-failures.md");
  private static final Path GENERATED = Path.of("target/ipc-failures.txt");

  /// What the source says, by condition and stage, in its order.
  private static final List<List<String>> SOURCE =
      List.of(
          List.of(
              "ends; how far it goes is open",
              "may be received; ends",
              "no reply possible; ends",
              "the reply fails in the middle; ends",
              "OK"),
          List.of(
              "ends; how far it goes is open",
              "may be received; ends",
              "no reply possible; ends",
              "the reply fails in the middle; ends",
              "perhaps inconsistent, but ends"),
          List.of(
              "is sent again, or ends",
              "may end at other hosts",
              "the reply may fail",
              "the reply may reach the sender or not",
              "perhaps inconsistent, but ends"),
          List.of("is not counted", "never replies", "never replies", "the reply fails in the middle", "OK"),
          List.of("is not counted", "never replies", "never replies", "the reply fails in the middle", "OK"),
          List.of(
              "may not be counted",
              "may end at the member's host",
              "the reply may fail",
              "the reply may reach the sender or not",
              "perhaps inconsistent, but ends"),
          List.of(
              "only the sender's part is counted",
              "may end in the other part",
              "no replies of the other part",
              "replies of the other part are missed",
              "perhaps inconsistent, but ends"));

  @TestFactory
  Stream<DynamicTest> eachCellKeepsItsPromise() {
    return Stream.of(Condition.values())
        .flatMap(condition ->
            Stream.of(Stage.values())
                .map(stage ->
                    DynamicTest.dynamicTest(condition.words + ", " + stage, () -> keepsItsPromise(condition, stage))));
  }

  private static void keepsItsPromise(Condition condition, Stage stage) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Outcome outcome = IpcFailures.run(condition, stage, seed);
      String what = condition + " " + stage + " seed " + seed + ": " + outcome;
      assertThat(outcome.violated()).as(what).isEmpty();
      assertThat(outcome.over()).as(what).isBetween(1L, OVER_NANOS_MAX);
      assertThat(outcome.taken()).as(what).containsAll(outcome.told());
      assertThat(outcome.members()).as(what).doesNotContain("received");
      promised(condition, stage, outcome, what);
    }
  }

  private static void promised(Condition condition, Stage stage, Outcome outcome, String what) {
    boolean before = stage.compareTo(Stage.REPLIED) < 0;
    if (stage != Stage.INITIATED) {
      assertThat(outcome.count()).as(what).isEqualTo(3);
    }
    if (stage == Stage.TERMINATING) {
      assertThat(outcome.taken()).as(what).hasSize(3);
      return;
    }
    switch (condition) {
      case SENDER_DIES, SENDERS_HOST_CRASHES ->
          assertThat(outcome.taken().size()).as(what).isLessThanOrEqualTo(before ? 0 : 1);
      case SENDERS_HOST_SEVERED -> {} // whether they are heard in time is chance
      case MEMBER_DIES, MEMBERS_HOST_CRASHES -> {
        assertThat(outcome.count()).as(what).isBetween(2, 3);
        assertThat(outcome.taken()).as(what).containsAll(Set.of(2, 3));
        if (before) {
          assertThat(outcome.taken()).as(what).doesNotContain(1);
        }
      }
      case MEMBERS_HOST_SEVERED -> {
        assertThat(outcome.count()).as(what).isBetween(2, 3);
        assertThat(outcome.taken()).as(what).containsAll(Set.of(2, 3));
      }
      case PARTITIONED -> {
        assertThat(outcome.count()).as(what).isBetween(1, 3);
        assertThat(outcome.taken()).as(what).containsExactly(1);
      }
    }
  }

  @Test
  void thePageShowsWhatIsSeen() throws IOException {
    var table =
        new StringBuilder("| what goes wrong | stage | source | send | replies | members | over, ms | seed |\n");
    table.append("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (Condition condition : Condition.values()) {
      for (Stage stage : Stage.values()) {
        long seed = telling(condition, stage);
        Outcome outcome = IpcFailures.run(condition, stage, seed);
        table
            .append("| ")
            .append(condition.words)
            .append(" | ")
            .append(stage.name().toLowerCase(Locale.ROOT))
            .append(" | ")
            .append(SOURCE.get(condition.ordinal()).get(stage.ordinal()))
            .append(" | ")
            .append(outcome.text())
            .append(" | ")
            .append(outcome.over() / 1_000_000)
            .append(" | ")
            .append(seed)
            .append(" |\n");
      }
    }
    Files.writeString(GENERATED, table);
    assertThat(Files.readString(PAGE)).as("the table of this run is in sim/" + GENERATED).contains(table);
  }

  /// The first seed in which the fault makes a difference for the sender, or else for a member.
  private static long telling(Condition condition, Stage stage) {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Outcome outcome = IpcFailures.run(condition, stage, seed);
      if (outcome.taken().size() < 3 || outcome.count() < 3 || outcome.told().size() < 3) {
        return seed;
      }
    }
    return 1;
  }
}
