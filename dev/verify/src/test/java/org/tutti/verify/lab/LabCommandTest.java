package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.lab.Fault;
import org.tutti.lab.LabCampaign;
import org.tutti.lab.LabConfig;
import org.tutti.verify.cli.TuttiCommand;

/// What `tutti lab` says and does where it needs no network.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LabCommandTest {
  @TempDir Path empty;

  /// Runs the command where no other command is found.
  private void ends(int exitCode, String error, String... args) throws Exception {
    List<String> command = TuttiCommand.of(List.of(), "lab");
    command.addAll(Arrays.asList(args));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PATH", empty.toString());
    Process process = builder.start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(lines).hasSize(1).first().asString().matches("tutti lab: .*" + error + ".*");
    assertThat(process.waitFor()).isEqualTo(exitCode);
  }

  @Test
  void withoutNamespacesOneLineSaysWhy() throws Exception {
    ends(3, "(needs root|does not exist|no command 'ip'|Linux)", "--minutes", "0.01");
  }

  @Test
  void wrongUsageIsToldFromFailure() throws Exception {
    ends(2, "3 to 16 members, not 2", "--members", "2");
    ends(2, "'rain' is not a fault", "--fault", "ring,rain");
    ends(2, "--minutes is above 0", "--minutes", "0");
    ends(1, "is not a directory", "--check", empty.resolve("none").toString());
    ends(1, "no \\*.history in", "--check", empty.toString());
  }

  private static List<String> plan(long seed) {
    var campaign =
        new LabCampaign(
            LabConfig.standard(5).withSeed(seed),
            Duration.ofMinutes(1),
            List.of(Fault.values()),
            new PrintWriter(new StringWriter()));
    return campaign.plan(3 * Fault.values().length);
  }

  @Test
  void aSeedIsAScript() {
    assertThat(plan(7)).isEqualTo(plan(7)).isNotEqualTo(plan(8)).doesNotHaveDuplicates();
  }

  @Test
  void everyRoundHasEveryFault() {
    int kinds = Fault.values().length;
    for (int round = 0; round < 3; round++) {
      List<String> names =
          plan(1).subList(round * kinds, (round + 1) * kinds).stream().map(words -> words.split(" ")[0]).toList();
      assertThat(names)
          .containsExactlyInAnyOrder(Arrays.stream(Fault.values()).map(Fault::option).toArray(String[]::new));
    }
  }
}
