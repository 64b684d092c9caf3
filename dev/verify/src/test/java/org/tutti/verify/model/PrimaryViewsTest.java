package org.tutti.verify.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The model of docs/tla keeps its invariants, and TLC finds a counterexample when a rule of the protocol is broken.
@Timeout(value = 15, unit = TimeUnit.MINUTES) // TLC itself is ended before
class PrimaryViewsTest {
  private static final int INVARIANT_VIOLATED = 12; // TLC's exit code
  private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");

  @TempDir private Path work;

  @Test
  @Tag("deep")
  void keepsTheGuarantees() throws Exception {
    assertThat(run("none", "").violated()).isEmpty();
  }

  @Test
  @Tag("deep")
  void keepsTheGuaranteesWithReportsThatComeOneByOne() throws Exception {
    assertThat(run("none", "Reports=\"one by one\"; Messages=0").violated()).isEmpty();
  }

  @Test
  @Tag("deep")
  void keepsTheGuaranteesWithBranches() throws Exception {
    assertThat(run("none", "Partitions=\"continue\"; Senders={2}; CONSTRAINT=FirstIsAlone").violated()).isEmpty();
  }

  @Test
  @Tag("deep")
  void keepsTheGuaranteesWithAStaticMajority() throws Exception {
    assertThat(run("none", "Rule=\"static majority\"; CONSTRAINT=FirstIsAlone").violated()).isEmpty();
  }

  @Test
  @Tag("deep")
  void keepsTheGuaranteesWithASecondLifeOfAMember() throws Exception {
    String settings = "Rule=\"static majority\"; Reborn={2}; Messages=0; CONSTRAINT=FirstIsLeftOut";
    assertThat(run("none", settings).violated()).isEmpty();
  }

  @ParameterizedTest
  @Tag("deep")
  @CsvSource({
    "NeverDecidedLate, Senders={2}; CONSTRAINT=FirstIsAlone",
    "NeverFinished, Messages=0",
    "NeverRestarted, Messages=0; CONSTRAINT=ThirdIsLeftOut",
    "NeverByAbsentees, Rule=\"static majority\"; Messages=0; CONSTRAINT=FirstIsLeftOut",
    "NeverReborn, Rule=\"static majority\"; Reborn={2}; Messages=0; Ballots=1",
  })
  void reaches(String what, String settings) throws Exception {
    assertThat(run("none", settings + "; INVARIANT=" + what).violated()).isEqualTo(what);
  }

  @ParameterizedTest
  @Tag("deep")
  @CsvSource({
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
    "new lives vote, PrimaryUniqueness, Rule=\"static majority\"; Reborn={2}; Messages=0",
    "majority of those present, PrimaryUniqueness, Rule=\"static majority\"; Messages=0",
    "forget absentees, PrimaryUniqueness, Rule=\"static majority\"; Messages=0; Ballots=3; CONSTRAINT=FirstIsLeftOut",
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
    Path model = Tlc.docs().resolve("PrimaryViews.tla");
    Files.copy(model, work.resolve(model.getFileName()));
    Tlc tlc = Tlc.run(work, "PrimaryViews", settings.isEmpty());
    if (tlc.exit() == 0) {
      return new Outcome("");
    }
    assertThat(tlc.exit()).as(tlc.said()).isEqualTo(INVARIANT_VIOLATED);
    Matcher found = VIOLATED.matcher(tlc.said());
    assertThat(found.find()).as(tlc.said()).isTrue();
    return new Outcome(found.group(1));
  }

  @Test
  void findsTwoPrimaryViewsWhenAnyViewMayBeOne() throws Exception {
    assertThat(run("any view", "Messages=0").violated()).isEqualTo("PrimaryUniqueness");
  }

  private void configure(String... settings) throws IOException {
    String config = Files.readString(Tlc.docs().resolve("PrimaryViews.cfg"));
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
}
