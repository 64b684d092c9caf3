package org.tutti.bench.trial;

import java.util.Comparator;
import java.util.List;

/// A ratio that is told without one that is wanted: the figure of a trial over that of the best of others.
///
/// @param trialSet    where it is measured
/// @param trial   whose figure
/// @param over    the others
/// @param measure which figure: of rates the greatest is the best, of all others the smallest
record Comparison(TrialSet trialSet, String trial, List<String> over, Measure measure) implements Goal {
  Comparison {
    over = List.copyOf(over);
  }

  @Override
  public String line() {
    String text = measure.title() + " / best peer, " + trialSet.title();
    if (trialSet.rounds().isEmpty()) {
      return Goal.row(text, "-", "-", "not measured");
    }
    Comparator<String> byFigure =
        Comparator.comparing(name -> trialSet.figure(trialSet.indexOf(name), measure).median());
    String best = over.stream().max(measure == Measure.RATE ? byFigure : byFigure.reversed()).orElseThrow();
    Numbers ratio = trialSet.ratio(trialSet.indexOf(trial), trialSet.indexOf(best), measure);
    return Goal.row(text, "-", ratio.show(Goal::hundredths), trial + " over " + best + Goal.lacking(trialSet));
  }
}
