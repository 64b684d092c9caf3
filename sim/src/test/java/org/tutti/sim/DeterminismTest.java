package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A seed means one run: in one JVM again and again, and in every JVM.
class DeterminismTest {
  private static final long FIRST = 1;
  private static final int SEEDS = 5;
  private static final int MORE = 15;

  @Test
  void aSeedGivesOneTraceInThisJvmAndInAnother() throws Exception {
    giveOneTrace(SEEDS);
  }

  @Test
  @Tag("deep")
  void moreSeedsGiveOneTraceInThisJvmAndInAnother() throws Exception {
    giveOneTrace(MORE);
  }

  private static void giveOneTrace(int seeds) throws Exception {
    Process other = other(seeds);
    var here = new StringBuilder();
    for (long seed = FIRST; seed < FIRST + seeds; seed++) {
      long once = Simulation.run(Plan.draw(seed)).traceHash();
      // Reading the trace must not change the run either.
      long again = Simulation.run(Plan.draw(seed), _ -> {}).traceHash();
      assertThat(again).as("trace hash of seed " + seed).isEqualTo(once);
      here.append(seed).append(' ').append(Long.toHexString(once)).append(System.lineSeparator());
    }
    assertThat(new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(here.toString());
    assertThat(other.waitFor()).isZero();
  }

  @Test
  void anotherSeedGivesAnotherTrace() {
    long one = Simulation.run(Plan.draw(FIRST)).traceHash();
    assertThat(Simulation.run(Plan.draw(FIRST + 1)).traceHash()).isNotEqualTo(one);
  }

  private static Process other(int seeds) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path").replace("\n", File.pathSeparator)));
    command.addAll(List.of(SeedRun.class.getName(), Long.toString(FIRST), Integer.toString(seeds)));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
