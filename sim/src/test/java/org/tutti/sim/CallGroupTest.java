package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Campaigns of members that call each other; `./tutti simulate --calls` runs longer ones. What its checks find is
/// shown by the planted bugs of `CallMutants`.
class CallGroupTest {
  private static final int SEEDS = 10;
  private static final int SEEDS_DEEP = 800;
  private static final int MET_WITHIN = 150;

  @Test
  void nothingIsViolatedAtSeedsThatNobodyHasRun() {
    holds(FirstSeed.ofTest("CallGroupTest"), SEEDS);
  }

  @Test
  @Tag("deep")
  void nothingIsViolatedAtManySeedsThatNobodyHasRun() {
    holds(FirstSeed.ofTest("CallGroupTest"), SEEDS_DEEP);
  }

  /// Calls stayed open whose answers were lost where their caller was not, or that a newcomer had never executed. And
  /// runs that hold counted as wrong: a call had two places, one of them where only a member that was cut off was; and
  /// groups that all members had lost made a run long.
  @Test
  @Tag("deep")
  void seedsThatFailedHold() {
    holds(LongStream.of(154695042393L, 154695043008L, 154695043520L, 606665245022L, 627300647303L, 627300647686L));
  }

  private static void holds(long first, int seeds) {
    holds(LongStream.range(first, first + seeds));
  }

  private static void holds(LongStream seeds) {
    List<RunResult> failed =
        seeds
            .parallel()
            .mapToObj(seed -> Simulation.run(RunKind.CALLS.of(Plan.draw(seed))))
            .filter(result -> !result.passed())
            .toList();
    assertThat(failed).as("replay: ./tutti simulate --calls --seed N --trace").isEmpty();
  }

  @Test
  void seedsMeetEveryOutcome() {
    List<String> left =
        new ArrayList<>(
            List.of(
                ": Success[",
                ": ReducedMembership[",
                ": Timeout[",
                ": InsufficientQuorum[",
                ": Inconsistent[",
                ": KeyMemberMissing[",
                "skips @"));
    for (long seed = 1; seed <= MET_WITHIN && !left.isEmpty(); seed++) {
      Simulation.run(
          RunKind.CALLS.of(Plan.draw(seed)),
          line -> left.removeIf(what -> line.contains("** calls") && line.contains(what)));
    }
    assertThat(left).isEmpty();
  }
}
