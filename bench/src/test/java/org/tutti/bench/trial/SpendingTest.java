package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.data.MapEntry;
import org.junit.jupiter.api.Test;

/// CPU time of threads becomes CPU time of stages.
class SpendingTest {
  private static ThreadTimes.Time time(String name, long nanos) {
    return new ThreadTimes.Time(name, nanos);
  }

  @Test
  void timeOfAThreadIsSplitAsItsSamplesAreAndTheSumIsWhatTheProcessUsed() {
    Map<Long, ThreadTimes.Time> threads =
        Map.of(
            1L, time("java", 1000), 2L, time("tutti-n0", 600), 3L, time("ZWorkerYoung#0", 30), 4L, time("commands", 7));
    Map<Long, Map<Stage, Integer>> samples =
        Map.of(1L, Map.of(Stage.ENQUEUE, 3, Stage.WAIT, 1), 2L, Map.of(Stage.WRITE, 2, Stage.WAIT, 1));
    assertThat(Spending.split(threads, samples))
        .containsExactly(
            MapEntry.entry(Stage.ENQUEUE, 750.0),
            MapEntry.entry(Stage.WRITE, 400.0),
            MapEntry.entry(Stage.WAIT, 450.0),
            MapEntry.entry(Stage.GC, 30.0),
            MapEntry.entry(Stage.OTHER, 7.0));
  }

  @Test
  void aThreadThatHasBegunMeanwhileCountsFromItsBeginning() {
    var before = new ThreadTimes(Map.of(1L, time("java", 100), 2L, time("gone", 5)));
    var after = new ThreadTimes(Map.of(1L, time("java", 150), 3L, time("young", 9)));
    assertThat(after.since(before).threads())
        .containsExactly(MapEntry.entry(1L, time("java", 50)), MapEntry.entry(3L, time("young", 9)));
  }

  @Test
  void theTableHasTimesPerMessageAndBatchAndTheMeanOfTheOthers() {
    var sender = new Spending(new TreeMap<>(Map.of(Stage.ENQUEUE, 3000.0, Stage.WRITE, 1000.0)), 40, 1);
    var one = new Spending(new TreeMap<>(Map.of(Stage.READ, 100.0)), 5, 0);
    var other = new Spending(new TreeMap<>(Map.of(Stage.READ, 300.0)), 5, 0);
    var profile = new CpuProfile(50, 5, false, List.of(sender, one, other));
    assertThat(StageTable.lines("a flood", profile.plus(profile)))
        .anyMatch(line -> line.startsWith("| enqueue | 60.0 | 600 | 75.0 | 0.0 | 0 | 0.0 | "))
        .anyMatch(line -> line.startsWith("| read | 0.0 | 0 | 0.0 | 4.0 | 40 | 100.0 | "))
        .anyMatch(line -> line.startsWith("| **all** | 80.0 | 800 | 100.0 | 4.0 | 40 | 100.0 | "))
        .contains("10.0 messages per batch; 100 messages; 80 stacks of the sequencer, 20 of others; 2.0 % missed.")
        .anyMatch(line -> line.contains("by the clock"));
  }
}
