package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Groups of all kinds get over one fault within its bounds (`docs/protocols/suspicion.md`).
class RecoveryTest {
  @Test
  void oneFaultIsOverWithinItsBoundsAtSeedsThatNobodyHasRun() {
    isOverInTime(60);
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

  @Test
  void aRunIsTheSameEachTime() {
    for (SingleFault fault : SingleFault.values()) {
      assertThat(RecoveryRun.run(1, fault)).isEqualTo(RecoveryRun.run(1, fault));
    }
  }
}
