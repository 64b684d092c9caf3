package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `tutti simulate` with many seeds.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulateCommandTest {
  @Test
  void anInterruptEndsItWithWhatIsDone() throws Exception {
    interrupt("--recovery");
  }

  @Test
  @Tag("deep")
  void anInterruptEndsSplitsWithWhatIsDone() throws Exception {
    interrupt("--partitions");
  }

  private static void interrupt(String kind) throws Exception {
    try (CommandProcess run = CommandProcess.tutti("simulate", kind, "--seeds=1000000", "--threads=1")) {
      run.lineMatching("[\\d,]+ (runs|seeds), .*");
      run.signal("INT");
      run.lineMatching("interrupted: [\\d,]+ of 1,000,000 (runs|seeds) are done.*");
      assertThat(run.exitCode()).isNotZero();
    }
  }
}
