package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Groups of all kinds get over one fault within its bounds (`docs/protocols/suspicion.md`).
class RecoveryTest {
  @Test
  void oneFaultIsOverWithinItsBoundsAtSeedsThatNobodyHasRun() {
    isOverInTime(10);
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

  /// After a split into single members, a member fetched batches from members whose links it closed in that moment, as
  /// they were in no view of its own; so it could not accept, and all stood still for two times of suspicion.
  @Test
  void linksToThoseWhoseBatchesAreFetchedStayOpen() {
    assertThat(RecoveryRun.run(137853303918L, null).violations()).isEmpty();
  }

  /// A member that did not hear the senior proposed to the rest and then went on alone. They had promised it to wait,
  /// and went on waiting for two times of suspicion although it told them that it was in the view without them.
  @Test
  void nobodyWaitsForAProposerThatHasGoneOnAlone() {
    assertThat(RecoveryRun.run(731122338316L, null).violations()).isEmpty();
  }

  /// Two newcomers were found, came into the primary view, and then were asked by who had found them and knew less:
  /// they left the primary view for one that was not, and the group was together only after four times of suspicion.
  @Test
  void nobodyTakesMembersOutOfALaterPrimaryView() {
    assertThat(RecoveryRun.run(137853303913L, null).violations()).isEmpty();
  }

  /// In how many runs, of which none violates anything, a line of the trace is of some kind.
  private static long runsThatSay(int seeds, SingleFault fault, Predicate<String> line) {
    long first = FirstSeed.ofTest("RecoveryTest");
    return LongStream.range(first, first + seeds)
        .filter(seed -> {
          List<String> lines = new ArrayList<>();
          RecoveryRun.Result result = RecoveryRun.run(seed, fault, lines::add);
          assertThat(result.violations()).as("seed %s", seed).isEmpty();
          return lines.stream().anyMatch(line);
        })
        .count();
  }

  /// A donor is struck in the middle of a transfer in some runs; the newcomer's reader is told, and gets another state.
  @Test
  @Tag("deep")
  void aDonorIsStruckWhileItGivesItsState() {
    long struck =
        runsThatSay(10, SingleFault.DONOR_CRASHES, line -> line.contains("** state") && line.endsWith("interrupted"));
    assertThat(struck).as("newcomers whose first transfer was broken off").isPositive();
  }

  /// An application that takes nothing fills the windows of the senders in some runs.
  @Test
  void aConsumerThatStandsStillStopsTheSenders() {
    long stopped = runsThatSay(20, SingleFault.CONSUMER_STANDS_STILL, line -> line.endsWith("all windows are full"));
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
