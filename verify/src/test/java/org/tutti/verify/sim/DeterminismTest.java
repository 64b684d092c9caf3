package org.tutti.verify.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.sim.Plan;
import org.tutti.sim.SeedRun;
import org.tutti.sim.Simulation;

/// A seed means one run: in one JVM again and again, and in every JVM.
class DeterminismTest {
  private static final long FIRST = 1;
  private static final int SEEDS = 40;

  @Test
  void aSeedGivesOneTraceInOneJvm() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      long once = Simulation.run(Plan.draw(seed)).traceHash();
      // Reading the trace must not change the run either.
      long again = Simulation.run(Plan.draw(seed), _ -> {}).traceHash();
      assertThat(again).as("trace hash of seed " + seed).isEqualTo(once);
    }
  }

  @Test
  void aSeedGivesOneTraceInTwoJvms() throws Exception {
    String one = hashes();
    assertThat(one.lines()).hasSize(SEEDS);
    assertThat(hashes()).isEqualTo(one);
  }

  @Test
  void anotherSeedGivesAnotherTrace() {
    long one = Simulation.run(Plan.draw(FIRST)).traceHash();
    assertThat(Simulation.run(Plan.draw(FIRST + 1)).traceHash()).isNotEqualTo(one);
  }

  private static String hashes() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path").replace("\n", File.pathSeparator)));
    command.addAll(List.of(SeedRun.class.getName(), Long.toString(FIRST), Integer.toString(SEEDS)));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }
}
