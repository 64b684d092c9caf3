package org.tutti.bench.trial;

/// A goal: with more members, Tutti's throughput falls no faster than that of plain sockets.
///
/// @param few  the trial set of the smallest group, sockets first, Tutti second
/// @param many that of a larger one
/// @param text what it is
record ScalingGoal(String text, TrialSet few, TrialSet many) implements Goal {
  @Override
  public String line() {
    if (few.rounds().isEmpty() || many.rounds().isEmpty()) {
      return Goal.row(text, Goal.wanted(true, 1), "-", "not measured");
    }
    double ratio = ratio(many) / ratio(few);
    TrialSet weaker = few.complete() ? many : few;
    return Goal.row(text, Goal.wanted(true, 1), Goal.hundredths(ratio), Goal.verdict(ratio >= 1, weaker));
  }

  private static double ratio(TrialSet trialSet) {
    return trialSet.ratio(1, 0, Measure.RATE).median();
  }
}
