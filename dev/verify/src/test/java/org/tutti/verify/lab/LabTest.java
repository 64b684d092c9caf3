package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;
import org.tutti.lab.Fault;
import org.tutti.lab.Lab;
import org.tutti.lab.LabCampaign;
import org.tutti.lab.LabConfig;
import org.tutti.lab.LabVerdict;
import org.tutti.lab.network.Conditions;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;

/// Short labs, and the script of `docs/guides/lab.md`. Skipped, with the reason, where there are no namespaces.
@Tag("system")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LabTest {
  private static final Pattern REGION = Pattern.compile("(?s)\n *// lab: begin\n(.*?)\n *// lab: end\n");
  private static final Pattern BLOCK = Pattern.compile("(?s)\n```java\n(.*?)\n```\n");

  @TempDir Path directory;

  @BeforeAll
  static void needsNamespaces() {
    try {
      LabNetwork.open(List.of("n1"), 1).close();
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
  }

  private static LabVerdict script(Path histories) throws Exception {
    // lab: begin
    LabConfig config = LabConfig.standard(3).withSeed(7).withDirectory(histories);
    try (Lab lab = Lab.open(config)) {
      lab.start(); // n1 makes the group, n2 and n3 join
      lab.partition("n1 | n2 n3");
      lab.awaitPrimary("n2", "n3");
      lab.kill("n1"); // SIGKILL; `pause` and `resume` are SIGSTOP and SIGCONT
      lab.heal();
      lab.restart("n1");
      lab.conditions(Conditions.PERFECT.withDelay(Duration.ofMillis(20), Duration.ofMillis(5)).withLoss(0.01));
      lab.cut("n2", "n3"); // n3 does not hear n2, but n2 hears n3
      lab.pass(Duration.ofSeconds(2));
      return lab.finish(); // ends all faults, waits until the group is at rest, checks the histories
    }
    // lab: end
  }

  @Test
  @Tag("deep")
  void theScriptOfThePageHolds() throws Exception {
    LabVerdict verdict = script(directory.resolve("lab"));
    assertThat(verdict.violations()).as("histories in " + directory).isEmpty();
    assertThat(verdict.lostQuorum()).isFalse();
    assertThat(verdict.lives()).isEqualTo(4);
    assertThat(verdict.deliveries()).isPositive();
  }

  @Test
  void thePageShowsTheScriptThatRuns() throws Exception {
    Path root = Tree.root();
    Path source = root.resolve("dev/verify/src/test/java/org/tutti/verify/lab/LabTest.java");
    String code = found(REGION, Files.readString(source)).stripIndent();
    assertThat(found(BLOCK, Files.readString(root.resolve("docs/guides/lab.md")))).isEqualTo(code);
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(pattern.pattern()).isTrue();
    return matcher.group(1);
  }

  @Test
  void aCampaignResetsConnectionsAndLeavesNothingBehind() throws Exception {
    var text = new StringWriter();
    LabConfig config = LabConfig.standard(3).withSeed(1);
    // Each closes connections that speak within some tenths of a second.
    LabVerdict verdict =
        new LabCampaign(config, Duration.ofSeconds(3), List.of(Fault.RESET), new PrintWriter(text)).run();
    assertThat(verdict.violations()).as(text.toString()).isEmpty();
    assertThat(text.toString()).containsPattern("[1-9]\\d* connections reset").contains("verdict: HOLDS");
    Matcher kept = Pattern.compile("histories and logs in (\\S+)").matcher(text.toString());
    assertThat(kept.find()).isTrue();
    assertThat(Path.of(kept.group(1))).doesNotExist();
    Process list = new ProcessBuilder("ip", "netns", "list").start();
    String own = "tutti-" + ProcessHandle.current().pid() + "-";
    assertThat(list.inputReader().lines()).noneMatch(line -> line.startsWith(own));
  }
}
