package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Operators give up all members of durable groups but one, rightly or not, and force that one to be primary.
class ForcedTest {
  private static final int SEEDS = 30; // a deep build runs more
  private static final int MORE = Integer.getInteger("sim.forced", 800);
  private static final int FORCED_ONE_IN = 2; // in the others nobody has anything to go on from

  @Test
  void whoIsForcedGoesOnAndNothingIsViolated() {
    run(SEEDS);
  }

  @Test
  @Tag("deep")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void whoIsForcedGoesOnAtManySeeds() {
    run(MORE);
  }

  /// - Two observers that take nothing came back so late that they were dropped one after the other at the end.
  /// - Somebody came from a history that was given up, of a higher version than the forced one.
  /// - A view was decided, of a higher version, that nobody was shown.
  /// - Somebody who only expected others took what it knew of a forced history into another one.
  /// - The only one of the electorate was overruled after it had been taken into a view that nobody was shown.
  /// - The same, but it was refused, as another process with its name was in the history that was given up.
  /// - A life that was refused for its version lay between what was forced and the one that went on with it.
  @ParameterizedTest
  @ValueSource(
      longs = {
        2_272_638_028L,
        241_014_685_569L,
        241_014_685_764L,
        897_342_016_095L,
        241_014_688_982L,
        830_604_075_956L,
        222_956_774_033L
      })
  void whatFailedOnceHoldsNow(long seed) {
    assertThat(Simulation.run(RunKind.FORCED.of(Plan.draw(seed))).violations()).isEmpty();
  }

  private static void run(int seeds) {
    long first = FirstSeed.ofTest("ForcedTest");
    List<String> failures = new ArrayList<>();
    var campaign =
        new Campaign<RunResult, CampaignReport>(
            first, seeds, seed -> Simulation.run(RunKind.FORCED.of(Plan.draw(seed))), new CampaignReport());
    CampaignReport report = campaign.run(Math.min(2, Runtime.getRuntime().availableProcessors()), _ -> {});
    report.failures().forEach(failed -> failures.add(failed.plan().seed() + ": " + failed.violations()));
    assertThat(failures).isEmpty();
    assertThat(report.seedsWith(FaultKind.FORCE) * FORCED_ONE_IN)
        .as("seeds in which somebody was forced")
        .isGreaterThan(seeds);
  }
}
