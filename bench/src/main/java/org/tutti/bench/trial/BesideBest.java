package org.tutti.bench.trial;

import java.util.Comparator;
import java.util.List;

/// A goal for a trial's ratio to the best of others, of which there are many that differ in one number only: the one
/// with the highest rate or, where the source limits the rate, the one that takes least CPU time of those whose rate is
/// nearly the highest.
///
/// @param text    what it is
/// @param trialSet    where it is measured
/// @param trial   whose it is
/// @param others  among whom the best is
/// @param limited whether the source limits the rate
/// @param measure of which the ratio is taken
/// @param least   whether it should be at least, rather than at most, the limit
/// @param limit   the ratio
record BesideBest(
    String text,
    TrialSet trialSet,
    String trial,
    List<String> others,
    boolean limited,
    Measure measure,
    boolean least,
    double limit)
    implements Goal {
  private static final double NEARLY = 0.97;

  BesideBest {
    others = List.copyOf(others);
  }

  private double median(String name, Measure of) {
    return trialSet.figure(trialSet.indexOf(name), of).median();
  }

  private String best() {
    Comparator<String> byRate = Comparator.comparing(name -> median(name, Measure.RATE));
    String fastest = others.stream().max(byRate).orElseThrow();
    if (!limited) {
      return fastest;
    }
    double enough = NEARLY * median(fastest, Measure.RATE);
    return others.stream()
        .filter(name -> median(name, Measure.RATE) >= enough)
        .min(Comparator.comparing(name -> median(name, Measure.CPU)))
        .orElseThrow();
  }

  @Override
  public String line() {
    String wanted = Goal.wanted(least, limit);
    if (trialSet.rounds().isEmpty()) {
      return Goal.row(text, wanted, "-", "not measured");
    }
    String best = best();
    Numbers numbers = trialSet.ratio(trialSet.indexOf(trial), trialSet.indexOf(best), measure);
    boolean reached = least ? numbers.median() >= limit : numbers.median() <= limit;
    return Goal.row(text, wanted, numbers.show(Goal::hundredths), Goal.verdict(reached, trialSet) + ", best: " + best);
  }
}
