package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Members that spill what their applications do not take, and that are started again.
class SpillingRunsTest {
  private static final int SEEDS = 10;

  @ParameterizedTest
  @ValueSource(longs = {1, 11, 21, 31})
  void nothingThatIsPromisedDependsOnWhatIsSpilled(long first) {
    var results =
        LongStream.range(first, first + SEEDS)
            .mapToObj(seed -> Simulation.run(RunKind.SPILLING.of(Plan.draw(seed))))
            .toList();
    assertThat(results).allSatisfy(result -> assertThat(result.violations()).isEmpty());
    assertThat(results.stream().mapToLong(RunResult::spills).sum()).isPositive();
  }

  @Test
  void aRunInWhichNobodySpillsHasNoSpills() {
    Plan plan = Plan.draw(1).forRecovery();
    assertThat(Simulation.run(plan).spills()).isZero();
  }
}
