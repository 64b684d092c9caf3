package org.tutti.bench.trial;

import java.util.Locale;

/// A figure that is wanted.
///
/// @param text     what it is
/// @param heat     where it is measured
/// @param trial    whose it is
/// @param over     whose it is divided by, or the same trial for a figure that stands for itself
/// @param measure  which one
/// @param least    whether it should be at least, rather than at most, the limit
/// @param limit    a ratio, or a value in the unit that the measure is printed in
record Goal(String text, Heat heat, String trial, String over, Measure measure, boolean least, double limit) {
  /// Its line in the table of goals.
  String line() {
    int mine = heat.indexOf(trial);
    boolean ratio = !over.equals(trial);
    Numbers numbers = ratio ? heat.ratio(mine, heat.indexOf(over), measure) : heat.figure(mine, measure);
    String wanted = (least ? ">= " : "<= ") + String.format(Locale.ROOT, "%.3g", limit);
    if (numbers.rounds() == 0) {
      return row(wanted, "-", "not measured");
    }
    double median = ratio ? numbers.median() : measure.scaled(numbers.median());
    boolean reached = least ? median >= limit : median <= limit;
    String lacking = " (" + heat.roundsThatCount() + " of " + heat.roundsWanted() + " rounds count)";
    String verdict = (reached ? "reached" : "missed") + (heat.complete() ? "" : lacking);
    return row(wanted, numbers.show(ratio ? Goal::hundredths : measure::show), verdict);
  }

  private String row(String wanted, String measured, String verdict) {
    return String.format("%-62s %-8s %-26s %s", text, wanted, measured, verdict);
  }

  static String hundredths(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }
}
