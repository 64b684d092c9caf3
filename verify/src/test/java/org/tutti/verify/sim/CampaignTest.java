package org.tutti.verify.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tutti.sim.Campaign;
import org.tutti.sim.FaultKind;
import org.tutti.sim.Findings;
import org.tutti.sim.Limits;
import org.tutti.sim.Outcome;

/// A few hundred seeds with all kinds of faults, and no violation.
class CampaignTest {
  private static final int SEEDS = 400;
  private static final int PERCENT_MIN = 5;

  @Test
  void nothingIsViolated() {
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    Campaign.Report report = new Campaign(1, SEEDS, Limits.NONE).run(threads, _ -> {});
    var words = new StringBuilder();
    for (Outcome failure : report.failures()) {
      words.append(Findings.describe(failure, Limits.NONE));
    }
    assertThat(words.toString()).isEmpty();
    assertThat(report.seeds()).isEqualTo(SEEDS);
    for (FaultKind kind : FaultKind.values()) {
      assertThat(100 * report.seedsWith(kind))
          .as(kind + " in " + SEEDS + " seeds")
          .isGreaterThanOrEqualTo(PERCENT_MIN * SEEDS);
    }
  }
}
