package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.GroupConfig;
import org.tutti.PrimaryViews;

/// A member was dropped although it lives, and then the senior one of the two that were left crashes
/// (`docs/protocols/primary-views.md`): a golden scenario, the same each time.
class LostSeniorRunTest {
  private static final GroupConfig CONFIG = GroupConfig.builder().stateTransfer(true).build();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          STATIC_MAJORITY | primary [n1, n2] +1
          BOTH            | non-primary [n1, n2] +0
          DYNAMIC_LINEAR  | non-primary [n1, n2] +0
          """)
  void aStaticMajorityGoesOnWithoutIt(PrimaryViews choice, String outcome) {
    Set<String> electorate = choice.needsElectorate() ? Set.of("n0", "n1", "n2") : Set.of();
    var group = new CostMeasurement(3, CONFIG.toBuilder().electorate(electorate).primaryViews(choice).build());
    assertThat(group.loseSenior()).containsExactly(outcome, outcome);
  }
}
