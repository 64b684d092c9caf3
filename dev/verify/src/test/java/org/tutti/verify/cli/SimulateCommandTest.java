package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `tutti simulate` with many seeds.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulateCommandTest {
  @ParameterizedTest
  @ValueSource(strings = {"--recovery", "--partitions"})
  void anInterruptEndsItWithWhatIsDone(String kind) throws Exception {
    try (CommandProcess run = CommandProcess.tutti("simulate", kind, "--seeds=1000000", "--threads=1")) {
      run.lineMatching("[\\d,]+ (runs|seeds), .*");
      run.signal("INT");
      run.lineMatching("interrupted: [\\d,]+ of 1,000,000 (runs|seeds) are done.*");
      assertThat(run.exitCode()).isNotZero();
    }
  }
}
