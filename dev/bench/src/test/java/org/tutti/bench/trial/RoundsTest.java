package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Rounds with runners who say what they are told to say.
class RoundsTest {
  private static final Machine.Limits LIMITS = new Machine.Limits(0.1, 0.03);
  private static final int ATTEMPTS_MAX = 3;
  private static final int WINDOWS_MAX = 6;
  private static final Task FLOOD = new Task.Flood(List.of(0), 100, 1);

  private final List<String> played = new ArrayList<>();
  private final StringWriter progress = new StringWriter();

  /// Rates, and how much others use meanwhile; the last one is repeated for ever.
  private final class Scripted implements TrialSet.Runner {
    private final String name;
    private final Deque<double[]> script = new ArrayDeque<>();

    Scripted(String name, double[]... script) {
      this.name = name;
      this.script.addAll(List.of(script));
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public TrialOutcome run(Task task, List<Long> own) {
      played.add(name);
      double[] next = script.size() > 1 ? script.removeFirst() : script.getFirst();
      var values = new TreeMap<Measure, Double>();
      values.put(Measure.RATE, next[0]);
      return new TrialOutcome(values, new TreeMap<>(), null, 1, new Machine.Load(true, next[1], 0));
    }
  }

  private static double[] quiet(double rate) {
    return new double[] {rate, 0};
  }

  private static double[] disturbed(double rate) {
    return new double[] {rate, 0.5};
  }

  private static TrialSet trialSet(int rounds, TrialSet.Runner... runners) {
    List<TrialSet.Trial> trials = new ArrayList<>();
    for (TrialSet.Runner runner : runners) {
      trials.add(new TrialSet.Trial(runner.name(), runner, FLOOD));
    }
    return new TrialSet("a heat", trials, rounds);
  }

  private void run(TrialSet trialSet, Duration budget) throws InterruptedException {
    var rules =
        new Rounds.Rules(trialSet.roundsWanted(), Duration.ofNanos(1), WINDOWS_MAX, ATTEMPTS_MAX, LIMITS, budget);
    new Rounds(rules, List.of(), System.nanoTime(), new PrintWriter(progress)).run(List.of(trialSet));
  }

  @Test
  void aWarmUpEndsWhenTwoWindowsAreAlike() throws InterruptedException {
    var runner = new Scripted("a", quiet(10), quiet(50), quiet(98), quiet(100));
    TrialSet trialSet = trialSet(1, runner);
    run(trialSet, Duration.ofMinutes(1));
    assertThat(trialSet.warmUps()).containsExactly(new TrialSet.WarmUp(List.of(10.0, 50.0, 98.0, 100.0), true));
  }

  @Test
  void aWarmUpIsBounded() throws InterruptedException {
    var runner =
        new Scripted("a", quiet(1), quiet(2), quiet(1), quiet(2), quiet(1), quiet(2), quiet(1), quiet(2), quiet(1));
    TrialSet trialSet = trialSet(1, runner);
    run(trialSet, Duration.ofMinutes(1));
    assertThat(trialSet.warmUps().getFirst().windows()).hasSize(WINDOWS_MAX);
    assertThat(trialSet.warmUps().getFirst().steady()).isFalse();
  }

  @Test
  void everyOtherRoundRunsInTheOtherDirection() throws InterruptedException {
    TrialSet trialSet = trialSet(3, new Scripted("a", quiet(1)), new Scripted("b", quiet(2)));
    run(trialSet, Duration.ofMinutes(1));
    assertThat(played.subList(4, played.size())).containsExactly("a", "b", "b", "a", "a", "b");
    assertThat(trialSet.rounds().get(1).outcomes().get(0).value(Measure.RATE)).as("by trial").isEqualTo(1);
  }

  @Test
  void aDisturbedRoundDoesNotCountAndIsRepeated() throws InterruptedException {
    var victim = new Scripted("b", quiet(2), quiet(2), disturbed(99), quiet(4), quiet(6));
    TrialSet trialSet = trialSet(2, new Scripted("a", quiet(2)), victim);
    run(trialSet, Duration.ofMinutes(1));
    assertThat(trialSet.rounds()).extracting(TrialSet.Round::counts).containsExactly(false, true, true);
    assertThat(trialSet.complete()).isTrue();
    assertThat(trialSet.figure(1, Measure.RATE).median()).isEqualTo(5);
    assertThat(trialSet.ratio(1, 0, Measure.RATE).median()).isEqualTo(2.5);
    assertThat(progress.toString()).contains("does not count, others used 50 % of the machine");
  }

  @Test
  void repetitionsAreBoundedAndTheTableSaysSo() throws InterruptedException {
    TrialSet trialSet = trialSet(1, new Scripted("a", disturbed(7)));
    run(trialSet, Duration.ofMinutes(1));
    assertThat(trialSet.rounds()).hasSize(ATTEMPTS_MAX);
    assertThat(trialSet.complete()).isFalse();
    var text = new StringWriter();
    new TextReport(new PrintWriter(text)).trialSet(trialSet);
    assertThat(text.toString()).contains("0 of 3 rounds count").contains("FIGURES OF DISTURBED ROUNDS");
  }

  @Test
  void whenTheTimeIsOverThereIsOneRound() throws InterruptedException {
    TrialSet trialSet = trialSet(5, new Scripted("a", quiet(7)));
    run(trialSet, Duration.ofNanos(-1));
    assertThat(trialSet.rounds()).hasSize(1);
    assertThat(trialSet.complete()).isFalse();
  }

  @Test
  void aRatioIsTheMedianOfTheRoundsRatios() throws InterruptedException {
    TrialSet trialSet =
        trialSet(3, new Scripted("raw", quiet(10)), new Scripted("tutti", quiet(6), quiet(6), quiet(6), quiet(4)));
    run(trialSet, Duration.ofMinutes(1));
    assertThat(TextReport.rows(trialSet))
        .containsExactly(
            List.of("", "messages/s"),
            List.of("raw", "10 [10..10]"),
            List.of("tutti", "4 [4..6]"),
            List.of("- over raw", "0.40 [0.40..0.60]"));
  }
}
