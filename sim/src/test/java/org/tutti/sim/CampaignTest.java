package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Seeds with all kinds of faults, and no violation; and a campaign that was interrupted goes on.
class CampaignTest {
  private static final int SEEDS = 25; // a deep build runs many more
  private static final int INTERRUPTED = 100; // enough that an interrupt comes before the last
  private static final int MORE = 300; // enough that no kind of fault is missing by chance
  private static final int MANY = 600; // of a deep build
  private static final int PERCENT_MIN = 5;
  private static final int FEW = 6;

  @Test
  void nothingIsViolatedAtSeedsThatNobodyHasRun() {
    CampaignReport report = run(FirstSeed.ofTest("CampaignTest"), SEEDS);
    assertThat(report.seeds()).isEqualTo(SEEDS);
  }

  @Test
  @Tag("deep")
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void nothingIsViolatedAtManySeedsThatNobodyHasRun() {
    CampaignReport report = run(FirstSeed.ofTest("CampaignTest"), MORE);
    assertThat(report.seeds()).isEqualTo(MORE);
    for (FaultKind kind : FaultKind.values()) {
      assertThat(report.seedsWith(kind)).as(kind + " in " + MORE + " seeds").isPositive();
    }
  }

  /// Observers alone in a branch, one of which takes nothing: the one that coordinated dropped the others as too slow,
  /// and they took it for a contradiction. One of several founders, whose disk was full, founds once more with nothing.
  @ParameterizedTest
  @ValueSource(longs = {223_736_240_094L, 32_458_246_053L})
  void whatFailedOnceHoldsNow(long seed) {
    run(seed, 1);
  }

  /// At the same seeds each time, so that a kind that is rare by chance fails nobody's build.
  @Test
  @Tag("deep")
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void everyKindOfFaultIsInjected() {
    CampaignReport report = run(1, MANY);
    for (FaultKind kind : FaultKind.values()) {
      assertThat(100 * report.seedsWith(kind))
          .as(kind + " in " + MANY + " seeds")
          .isGreaterThanOrEqualTo(PERCENT_MIN * MANY);
    }
  }

  private static CampaignReport run(long first, int seeds) {
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    CampaignReport report = Campaign.of(first, seeds, Limits.NONE).run(threads, _ -> {});
    var words = new StringBuilder();
    for (RunResult failure : report.failures()) {
      words.append(Findings.describe(failure, Limits.NONE));
    }
    assertThat(words.toString()).isEmpty();
    return report;
  }

  @Test
  void aCampaignThatWasInterruptedGoesOnWhereItStopped(@TempDir Path directory) throws IOException {
    Path path = directory.resolve("campaign.txt");
    Limits splits = Limits.NONE.about(Limits.Theme.PARTITIONS);
    CampaignFile<CampaignReport> begun = CampaignFile.open(path, 1L, splits);
    CampaignReport some = Campaign.of(1, FEW, splits).run(1, _ -> {});
    CampaignReport third = Campaign.of(1, FEW / 3, splits).run(2, _ -> {});
    begun.write(third);

    CampaignFile<CampaignReport> again = CampaignFile.open(path, null, splits);
    assertThat(again.first()).isEqualTo(1);
    assertThat(again.before().table()).isEqualTo(third.table());
    CampaignReport whole =
        new Campaign<>(again.first(), FEW, seed -> Simulation.run(Plan.draw(seed).within(splits)), again.before())
            .run(2, _ -> {});
    assertThat(whole.table()).isEqualTo(some.table());
  }

  @Test
  void anInterruptEndsACampaignWithWhatIsDone() {
    Thread waiting = Thread.currentThread();
    CampaignReport report =
        Campaign.of(1, INTERRUPTED, Limits.NONE.multicasts(1))
            .run(
                2,
                soFar -> {
                  if (soFar.seeds() >= FEW) {
                    waiting.interrupt();
                  }
                });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(report.seeds()).isBetween((long) FEW, INTERRUPTED - 1L);
    CampaignReport same = Campaign.of(1, report.seeds(), Limits.NONE.multicasts(1)).run(1, _ -> {});
    assertThat(report.table()).isEqualTo(same.table());
  }

  @Test
  void theFileOfAnotherCampaignIsRefused(@TempDir Path directory) throws IOException {
    Path path = directory.resolve("campaign.txt");
    CampaignFile.open(path, 7L, Limits.NONE).write(Campaign.of(7, 1, Limits.NONE).run(1, _ -> {}));
    assertThatThrownBy(() -> CampaignFile.open(path, null, Limits.NONE.nodes(3))).hasMessageContaining("other options");
    assertThatThrownBy(() -> CampaignFile.open(path, 8L, Limits.NONE)).hasMessageContaining("--first 7");
    List<String> lines = Files.readAllLines(path);
    Files.write(path, lines.stream().map(line -> line.startsWith("code ") ? "code 0" : line).toList());
    assertThatThrownBy(() -> CampaignFile.open(path, null, Limits.NONE)).hasMessageContaining("other code");
    Files.write(path, lines.subList(0, 2));
    assertThatThrownBy(() -> CampaignFile.open(path, null, Limits.NONE)).hasMessageContaining("no file of a campaign");
  }
}
