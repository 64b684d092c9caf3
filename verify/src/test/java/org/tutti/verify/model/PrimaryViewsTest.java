package org.tutti.verify.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The model of docs/tla keeps its invariants, and TLC finds a counterexample when a rule of the protocol is broken.
class PrimaryViewsTest {
  private static final int MINUTES_MAX = 4; // on a machine with much else to do
  private static final int INVARIANT_VIOLATED = 12; // TLC's exit code
  private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");

  @TempDir private Path work;

  @Test
  void keepsTheGuarantees() throws Exception {
    assertThat(run("none", "").violated()).isEmpty();
  }

  @Test
  void keepsTheGuaranteesWithReportsThatComeOneByOne() throws Exception {
    assertThat(run("none", "Reports=\"one by one\"; Messages=0").violated()).isEmpty();
  }

  @Test
  void keepsTheGuaranteesWithBranches() throws Exception {
    assertThat(run("none", "Partitions=\"continue\"; Senders={2}; CONSTRAINT=FirstIsAlone").violated()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "NeverDecidedLate, Senders={2}; CONSTRAINT=FirstIsAlone",
    "NeverFinished, Messages=0",
    "NeverRestarted, Messages=0; CONSTRAINT=ThirdIsLeftOut",
  })
  void reaches(String what, String settings) throws Exception {
    assertThat(run("none", settings + "; INVARIANT=" + what).violated()).isEqualTo(what);
  }

  @ParameterizedTest
  @CsvSource({
    "any view, PrimaryUniqueness, Messages=0",
    "half without senior, PrimaryUniqueness, Messages=0",
    "forget accepted, PrimaryUniqueness, Messages=0",
    "announce before accepted, PrimaryUniqueness, Messages=0",
    "reuse id, ViewsAgree, Messages=0",
    "no cut, NothingDeliveredIsLost, Ballots=1",
    "no wedge, NothingDeliveredIsLost, Ballots=1",
    "deliver without quorum, NothingDeliveredIsLost, Ballots=1",
    "acknowledge unheld, NothingDeliveredIsLost, Ballots=1",
    "minority delivers all, NothingDeliveredIsLost, CONSTRAINT=FirstIsAlone",
    "forget suffix, NothingDeliveredIsLost, CONSTRAINT=FirstIsAlone",
    "hide absence, PrefixDelivery, CONSTRAINT=ThirdIsLeftOut",
  })
  void findsWhatIsBrokenBy(String variant, String invariant, String settings) throws Exception {
    assertThat(run(variant, settings).violated()).isEqualTo(invariant);
  }

  /// What TLC said.
  ///
  /// @param violated the invariant that does not hold, or nothing
  private record Outcome(String violated) {}

  private Outcome run(String variant, String settings) throws IOException, InterruptedException {
    configure(("Variant=\"" + variant + "\"; " + settings).split("; *"));
    Path model = root().resolve("docs/tla/PrimaryViews.tla");
    Files.copy(model, work.resolve(model.getFileName()));
    Path output = work.resolve("output.txt");
    Process tlc =
        new ProcessBuilder(command(settings.isEmpty()))
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = tlc.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
    tlc.destroyForcibly().waitFor();
    String said = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(ended).as("TLC ends in time:\n" + said).isTrue();
    if (tlc.exitValue() == 0) {
      assertThat(said).contains("No error has been found");
      return new Outcome("");
    }
    assertThat(tlc.exitValue()).as(said).isEqualTo(INVARIANT_VIOLATED);
    Matcher found = VIOLATED.matcher(said);
    assertThat(found.find()).as(said).isTrue();
    return new Outcome(found.group(1));
  }

  private List<String> command(boolean large) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        large
            ? List.of("-XX:+UseParallelGC", "-Xmx1g")
            : List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.add("-Djava.io.tmpdir=" + work); // where TLC unpacks its modules
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "tlc2.TLC"));
    command.addAll(List.of("-workers", large ? "auto" : "1", "-nowarning", "PrimaryViews.tla"));
    return command;
  }

  private void configure(String... settings) throws IOException {
    String config = Files.readString(root().resolve("docs/tla/PrimaryViews.cfg"));
    for (String setting : settings) {
      String name = setting.substring(0, setting.indexOf('='));
      String value = setting.substring(name.length() + 1);
      if (name.equals("CONSTRAINT") || name.equals("INVARIANT")) {
        config += name + " " + value + "\n";
      } else {
        String changed = config.replaceFirst("(?m)^  " + name + " = .*$", "  " + name + " = " + value);
        assertThat(config).as(setting).containsPattern("(?m)^  " + name + " = ");
        config = changed;
      }
    }
    Files.writeString(work.resolve("PrimaryViews.cfg"), config);
  }

  private static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("mvnw"))) {
      root = root.getParent();
    }
    return root;
  }
}
