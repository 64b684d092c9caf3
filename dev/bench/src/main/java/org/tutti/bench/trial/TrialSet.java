package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Trials that are compared: in each round they run right after one another, and each round gives their ratios.
final class TrialSet {
  /// Who does what a trial demands.
  interface Runner {
    String name();

    /// Does it and tells what came of it.
    ///
    /// @param task what
    /// @param own  all processes that belong to the measurement, those of other process groups too
    TrialOutcome run(Task task, List<Long> own) throws InterruptedException;
  }

  /// One target's part.
  ///
  /// @param name   what it is called in tables
  /// @param runner who does it
  /// @param task   what is done
  record Trial(String name, Runner runner, Task task) {}

  /// One time through all trials.
  ///
  /// @param number      from 0; a repeated round has the number of the disturbed one
  /// @param reversed    whether the trials ran from the last to the first
  /// @param outcomes    by trial
  /// @param disturbance why it does not count, or null
  record Round(int number, boolean reversed, List<TrialOutcome> outcomes, @Nullable String disturbance) {
    Round {
      outcomes = List.copyOf(outcomes);
    }

    boolean counts() {
      return disturbance == null;
    }
  }

  /// How a trial came to run as fast as it will.
  ///
  /// @param windows its leading measure in successive windows
  /// @param steady  whether the last two were alike
  record WarmUp(List<Double> windows, boolean steady) {
    WarmUp {
      windows = List.copyOf(windows);
    }
  }

  private final String title;
  private final List<Trial> trials;
  private final int roundsWanted;
  private final List<WarmUp> warmUps = new ArrayList<>();
  private final List<Round> rounds = new ArrayList<>();

  /// @param title        heads the table
  /// @param trials       the first one is what the others are compared with
  /// @param roundsWanted how many rounds must count
  TrialSet(String title, List<Trial> trials, int roundsWanted) {
    this.title = title;
    this.trials = List.copyOf(trials);
    this.roundsWanted = roundsWanted;
  }

  String title() {
    return title;
  }

  List<Trial> trials() {
    return trials;
  }

  int roundsWanted() {
    return roundsWanted;
  }

  void add(WarmUp warmUp) {
    warmUps.add(warmUp);
  }

  void add(Round round) {
    rounds.add(round);
  }

  List<WarmUp> warmUps() {
    return List.copyOf(warmUps);
  }

  List<Round> rounds() {
    return List.copyOf(rounds);
  }

  int roundsThatCount() {
    return (int) rounds.stream().filter(Round::counts).count();
  }

  /// Whether there are as many undisturbed rounds as wanted.
  boolean complete() {
    return roundsThatCount() >= roundsWanted;
  }

  /// The rounds that figures come from: those that count; if there is none, all, and whoever prints them says so.
  private List<Round> used() {
    List<Round> counting = rounds.stream().filter(Round::counts).toList();
    return counting.isEmpty() ? rounds : counting;
  }

  /// A measure of a trial over the rounds.
  Numbers figure(int trial, Measure measure) {
    var numbers = new Numbers();
    for (Round round : used()) {
      Double value = round.outcomes().get(trial).values().get(measure);
      if (value != null) {
        numbers.add(value);
      }
    }
    return numbers;
  }

  /// A measure of a trial over that of another one in the same round.
  Numbers ratio(int trial, int reference, Measure measure) {
    var numbers = new Numbers();
    for (Round round : used()) {
      SortedMap<Measure, Double> ratios = round.outcomes().get(trial).over(round.outcomes().get(reference));
      if (ratios.containsKey(measure)) {
        numbers.add(ratios.get(measure));
      }
    }
    return numbers;
  }

  /// A measure of a trial over the greatest of some others in the same round.
  ///
  /// @param references which others; with none there is no ratio
  Numbers ratioToBest(int trial, List<Integer> references, Measure measure) {
    var numbers = new Numbers();
    for (Round round : used()) {
      double best = 0;
      for (int reference : references) {
        best = Math.max(best, round.outcomes().get(reference).value(measure));
      }
      if (best > 0) {
        numbers.add(round.outcomes().get(trial).value(measure) / best);
      }
    }
    return numbers;
  }
}
