package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A campaign of splits meets every shape within a few seeds, the same ones each time. Nothing is violated there and at
/// fresh ones.
class PartitionsTest {
  private static final int SEEDS = 40;
  private static final int FRESH = 8;
  private static final int MORE = 20;
  private static final int OTHERS = 10;
  private static final long SEEDS_MIN = 3;

  @Test
  @Tag("deep")
  void everyShapeIsMetAndPartsMerge() {
    Limits limits = Limits.NONE.about(Limits.Theme.PARTITIONS);
    Map<SplitShape, Long> seeds = new TreeMap<>();
    var words = new StringBuilder();
    long merges = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      RunResult outcome = Simulation.run(Plan.draw(seed).within(limits));
      assertThat(outcome.splits().isEmpty()).as("seed " + seed + " has no split").isFalse();
      for (SplitShape shape : SplitShape.values()) {
        seeds.merge(shape, outcome.splits().seedsWith(shape), Long::sum);
      }
      merges += outcome.splits().merges(2);
      words.append(outcome.passed() ? "" : Findings.describe(outcome, limits));
    }
    assertThat(words.toString()).isEmpty();
    for (SplitShape shape : SplitShape.values()) {
      assertThat(seeds.get(shape)).as(shape + " in " + SEEDS + " seeds").isGreaterThanOrEqualTo(SEEDS_MIN);
    }
    assertThat(merges).isGreaterThanOrEqualTo(SEEDS);
  }

  @Test
  void nothingIsViolatedAtSeedsThatNobodyHasRun() {
    nothingIsViolated(FRESH);
  }

  @Test
  @Tag("deep")
  void nothingIsViolatedAtMoreSeedsThatNobodyHasRun() {
    nothingIsViolated(MORE);
  }

  private static void nothingIsViolated(int seeds) {
    Limits limits = Limits.NONE.about(Limits.Theme.PARTITIONS);
    CampaignReport report = Campaign.of(FirstSeed.ofTest("PartitionsTest"), seeds, limits).run(1, _ -> {});
    var words = new StringBuilder();
    report.failures().forEach(failure -> words.append(Findings.describe(failure, limits)));
    assertThat(words.toString()).isEmpty();
  }

  @Test
  void otherPlansHaveNoneOfIt() {
    for (long seed = 1; seed <= OTHERS; seed++) {
      Plan plan = Plan.draw(seed);
      assertThat(plan.splits()).isFalse();
      assertThat(Simulation.run(plan.within(Limits.NONE.multicasts(1))).splits().isEmpty()).isTrue();
    }
  }

  @Test
  void aReplayHasTheOption() {
    assertThat(Limits.NONE.about(Limits.Theme.PARTITIONS).nodes(3).options()).isEqualTo(" --partitions --nodes 3");
  }
}
