package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.lab.CallHistory;
import org.tutti.lab.Fault;
import org.tutti.lab.LabCampaign;
import org.tutti.lab.LabConfig;
import org.tutti.lab.LabVerdict;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;

/// A short lab with clients, whose calls Porcupine judges, too. Skipped, with the reason, where there are no
/// namespaces, no Go, or no Porcupine.
@Tag("deep")
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LabClientsTest {
  private static final List<Fault> FAULTS = List.of(Fault.HALVES, Fault.SENIOR_DEAF, Fault.KILL_SENIOR, Fault.PAUSE);

  @TempDir Path directory;

  @Test
  void callsOfARealServiceAreLinearizable() throws Exception {
    try {
      LabNetwork.open(List.of("n1"), 1).close();
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
    Porcupine porcupine = Porcupine.build(directory);
    Path lab = directory.resolve("lab");
    var text = new StringWriter();
    LabConfig config = LabConfig.standard(3).withSeed(3).withClients(4).withDirectory(lab);
    LabVerdict verdict = new LabCampaign(config, Duration.ofSeconds(20), FAULTS, new PrintWriter(text)).run();
    assertThat(verdict.violations()).as(text.toString()).isEmpty();
    assertThat(text.toString()).contains("LINEARIZABLE", "exactly once: yes", "while a quorum was connected");
    assertThat(verdict.calls()).satisfies(calls -> assertThat(calls.told()).isGreaterThan(500));
    Porcupine.Said said = porcupine.judge(lab.resolve(CallHistory.FILE));
    assertThat(said.exitCode()).as(said.words()).isZero();
  }
}
