package org.tutti.bench.trial;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs trial sets: warms all trials up, then goes through all trial sets once per round, in turns from the first trial
/// to the last and from the last to the first, so that whatever changes on the machine hits all of them. A round that
/// was disturbed does not count and is repeated.
final class Rounds {
  private static final double ALIKE = 0.05; // two windows differ by no more than this part of the greater one

  /// How rounds are run.
  ///
  /// @param rounds      at least this many rounds of each trial set
  /// @param window      the time of one window of a warm-up
  /// @param windowsMax  when a warm-up is given up
  /// @param attemptsMax how often one round is run at most, while it is disturbed
  /// @param limits      what disturbs
  /// @param budget      after this time no second round is begun any more, and rounds are missing
  record Rules(int rounds, Duration window, int windowsMax, int attemptsMax, Machine.Limits limits, Duration budget) {}

  private final Rules rules;
  private final List<Long> own;
  private final PrintWriter progress;
  private final long deadline;

  /// @param rules    how
  /// @param own      the processes of all process groups, also of those who rest meanwhile
  /// @param begun    when the budget began to run
  /// @param progress where it is told what is being done
  Rounds(Rules rules, Collection<Long> own, long begun, PrintWriter progress) {
    this.rules = rules;
    this.progress = progress;
    this.deadline = begun + rules.budget().toNanos();
    this.own = List.copyOf(own);
  }

  /// Runs them all.
  void run(List<TrialSet> trialSets) throws InterruptedException {
    for (TrialSet trialSet : trialSets) {
      warmUp(trialSet);
    }
    for (int number = 0; number < rules.rounds(); number++) {
      for (TrialSet trialSet : trialSets) {
        if (number < trialSet.roundsWanted() && (number == 0 || !isLate())) {
          round(trialSet, number);
        }
      }
    }
  }

  private boolean isLate() {
    return System.nanoTime() > deadline;
  }

  private void warmUp(TrialSet trialSet) throws InterruptedException {
    for (TrialSet.Trial trial : trialSet.trials()) {
      Task window = trial.task().lasting(rules.window().toNanos());
      var values = new ArrayList<Double>();
      boolean steady = false;
      while (!steady && values.size() < rules.windowsMax()) {
        values.add(trial.runner().run(window, own).value(window.leading()));
        steady = isSteady(values);
      }
      trialSet.add(new TrialSet.WarmUp(values, steady));
      tell("warmed up: " + trialSet.title() + ", " + trial.name() + (steady ? "" : " (not steady)"));
    }
  }

  /// Whether the last two windows are alike.
  static boolean isSteady(List<Double> windows) {
    if (windows.size() < 2) {
      return false;
    }
    double last = windows.getLast();
    double before = windows.get(windows.size() - 2);
    return Math.abs(last - before) <= ALIKE * Math.max(last, before);
  }

  private void round(TrialSet trialSet, int number) throws InterruptedException {
    boolean again = true;
    for (int attempt = 1; again; attempt++) {
      TrialSet.Round round = once(trialSet, number);
      trialSet.add(round);
      String disturbance = round.disturbance();
      again = disturbance != null && attempt < rules.attemptsMax() && !isLate();
      tell(
          "round "
              + (number + 1)
              + ": "
              + trialSet.title()
              + (disturbance == null ? "" : "; does not count, " + disturbance));
    }
  }

  private TrialSet.Round once(TrialSet trialSet, int number) throws InterruptedException {
    boolean reversed = number % 2 == 1;
    List<TrialSet.Trial> order = reversed ? trialSet.trials().reversed() : trialSet.trials();
    List<TrialOutcome> outcomes = new ArrayList<>();
    for (TrialSet.Trial trial : order) {
      outcomes.add(trial.runner().run(trial.task(), own));
    }
    return new TrialSet.Round(number, reversed, reversed ? outcomes.reversed() : outcomes, disturbance(outcomes));
  }

  private @Nullable String disturbance(List<TrialOutcome> outcomes) {
    for (TrialOutcome outcome : outcomes) {
      String why = outcome.load().disturbance(rules.limits());
      if (why != null) {
        return why;
      }
    }
    return null;
  }

  private void tell(String line) {
    progress.println(line);
    progress.flush();
  }
}
