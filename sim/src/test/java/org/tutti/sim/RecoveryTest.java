package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Groups of all kinds get over one fault within its bounds (`docs/protocols/suspicion.md`).
class RecoveryTest {
  @Test
  void oneFaultIsOverWithinItsBoundsAtSeedsThatNobodyHasRun() {
    isOverInTime(20);
  }

  @Test
  @Tag("deep")
  void oneFaultIsOverWithinItsBoundsAtManySeedsThatNobodyHasRun() {
    isOverInTime(600);
  }

  private static void isOverInTime(int seeds) {
    int threads = Math.min(2, Runtime.getRuntime().availableProcessors());
    RecoveryTable table = RecoveryTable.run(FirstSeed.ofTest("RecoveryTest"), seeds, null, threads, _ -> {});
    assertThat(table.runs()).isEqualTo(seeds);
    assertThat(table.failures()).as("replay: ./tutti simulate --recovery --seed N").isEmpty();
  }

  /// A donor is struck in the middle of a transfer in some runs; the newcomer's reader is told, and gets another state.
  @Test
  void aDonorIsStruckWhileItGivesItsState() {
    long first = FirstSeed.ofTest("RecoveryTest");
    long struck =
        LongStream.range(first, first + 10)
            .filter(seed -> {
              List<String> lines = new ArrayList<>();
              RecoveryRun.Result result = RecoveryRun.run(seed, SingleFault.DONOR_CRASHES, lines::add);
              assertThat(result.violations()).as("seed %s", seed).isEmpty();
              return lines.stream().anyMatch(line -> line.contains("** state") && line.endsWith("interrupted"));
            })
            .count();
    assertThat(struck).as("newcomers whose first transfer was broken off").isPositive();
  }

  /// An application that takes nothing fills the windows of the senders in some runs.
  @Test
  void aConsumerThatStandsStillStopsTheSenders() {
    long first = FirstSeed.ofTest("RecoveryTest");
    long stopped =
        LongStream.range(first, first + 20)
            .filter(seed -> {
              List<String> lines = new ArrayList<>();
              RecoveryRun.Result result = RecoveryRun.run(seed, SingleFault.CONSUMER_STANDS_STILL, lines::add);
              assertThat(result.violations()).as("seed %s", seed).isEmpty();
              return lines.stream().anyMatch(line -> line.endsWith("all windows are full"));
            })
            .count();
    assertThat(stopped).as("runs in which nobody could multicast any more").isPositive();
  }

  /// With two kinds of faults, others each time.
  @Test
  void aRunIsTheSameEachTime() {
    var faults = new ArrayList<>(List.of(SingleFault.values()));
    Collections.shuffle(faults, new Random(FirstSeed.ofTest("RecoveryTest")));
    areTheSame(faults.subList(0, 2));
  }

  @Test
  @Tag("deep")
  void aRunWithAnyFaultIsTheSameEachTime() {
    areTheSame(List.of(SingleFault.values()));
  }

  private static void areTheSame(List<SingleFault> faults) {
    for (SingleFault fault : faults) {
      assertThat(RecoveryRun.run(1, fault)).as("%s", fault).isEqualTo(RecoveryRun.run(1, fault));
    }
  }
}
