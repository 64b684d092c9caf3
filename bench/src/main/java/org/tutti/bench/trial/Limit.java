package org.tutti.bench.trial;

import java.util.Comparator;
import java.util.List;

/// A goal for a figure of one trial, or for its ratio to that of others.
///
/// @param text    what it is
/// @param trialSet    where it is measured
/// @param trial   whose it is
/// @param over    by whose it is divided: the one with the greatest median; empty for a figure that stands for itself
/// @param measure which one
/// @param least   whether it should be at least, rather than at most, the limit
/// @param limit   a ratio, or a value in the unit that the measure is printed in
record Limit(
    String text, TrialSet trialSet, String trial, List<String> over, Measure measure, boolean least, double limit)
    implements Goal {
  Limit {
    over = List.copyOf(over);
  }

  @Override
  public String line() {
    String wanted = Goal.wanted(least, limit);
    if (trialSet.rounds().isEmpty()) {
      return Goal.row(text, wanted, "-", "not measured");
    }
    int mine = trialSet.indexOf(trial);
    if (over.isEmpty()) {
      Numbers numbers = trialSet.figure(mine, measure);
      boolean reached = isReached(measure.scaled(numbers.median()));
      return Goal.row(text, wanted, numbers.show(measure::show), Goal.verdict(reached, trialSet));
    }
    String best =
        over.stream()
            .max(Comparator.comparing(name -> trialSet.figure(trialSet.indexOf(name), measure).median()))
            .orElseThrow();
    Numbers numbers = trialSet.ratio(mine, trialSet.indexOf(best), measure);
    String verdict = Goal.verdict(isReached(numbers.median()), trialSet);
    return Goal.row(
        text, wanted, numbers.show(Goal::hundredths), over.size() == 1 ? verdict : verdict + ", best: " + best);
  }

  private boolean isReached(double value) {
    return least ? value >= limit : value <= limit;
  }
}
