package org.tutti.bench.trial;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs heats: warms all trials up, then goes through all heats once per round, in turns from the first trial to the
/// last and from the last to the first, so that whatever changes on the machine hits all of them. A round that was
/// disturbed does not count and is repeated.
final class Rounds {
  private static final double ALIKE = 0.05; // two windows differ by no more than this part of the greater one

  /// How rounds are run.
  ///
  /// @param rounds      at least this many rounds of each heat
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
  /// @param own      the processes of all teams, also of those who rest meanwhile
  /// @param begun    when the budget began to run
  /// @param progress where it is told what is being done
  Rounds(Rules rules, Collection<Long> own, long begun, PrintWriter progress) {
    this.rules = rules;
    this.progress = progress;
    this.deadline = begun + rules.budget().toNanos();
    this.own = List.copyOf(own);
  }

  /// Runs them all.
  void run(List<Heat> heats) throws InterruptedException {
    for (Heat heat : heats) {
      warmUp(heat);
    }
    for (int number = 0; number < rules.rounds(); number++) {
      for (Heat heat : heats) {
        if (number < heat.roundsWanted() && (number == 0 || !isLate())) {
          round(heat, number);
        }
      }
    }
  }

  private boolean isLate() {
    return System.nanoTime() > deadline;
  }

  private void warmUp(Heat heat) throws InterruptedException {
    for (Heat.Trial trial : heat.trials()) {
      Task window = trial.task().lasting(rules.window().toNanos());
      var values = new ArrayList<Double>();
      boolean stable = false;
      while (!stable && values.size() < rules.windowsMax()) {
        values.add(trial.player().run(window, own).value(window.leading()));
        stable = isStable(values);
      }
      heat.add(new Heat.WarmUp(values, stable));
      tell("warmed up: " + heat.title() + ", " + trial.name() + (stable ? "" : " (not stable)"));
    }
  }

  /// Whether the last two windows are alike.
  static boolean isStable(List<Double> windows) {
    if (windows.size() < 2) {
      return false;
    }
    double last = windows.getLast();
    double before = windows.get(windows.size() - 2);
    return Math.abs(last - before) <= ALIKE * Math.max(last, before);
  }

  private void round(Heat heat, int number) throws InterruptedException {
    boolean again = true;
    for (int attempt = 1; again; attempt++) {
      Heat.Round round = once(heat, number);
      heat.add(round);
      String disturbance = round.disturbance();
      again = disturbance != null && attempt < rules.attemptsMax() && !isLate();
      tell(
          "round "
              + (number + 1)
              + ": "
              + heat.title()
              + (disturbance == null ? "" : "; does not count, " + disturbance));
    }
  }

  private Heat.Round once(Heat heat, int number) throws InterruptedException {
    boolean reversed = number % 2 == 1;
    List<Heat.Trial> order = reversed ? heat.trials().reversed() : heat.trials();
    List<Outcome> outcomes = new ArrayList<>();
    for (Heat.Trial trial : order) {
      outcomes.add(trial.player().run(trial.task(), own));
    }
    return new Heat.Round(number, reversed, reversed ? outcomes.reversed() : outcomes, disturbance(outcomes));
  }

  private @Nullable String disturbance(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
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
