package org.tutti.bench.trial;

import java.math.BigDecimal;
import java.util.Locale;

/// A line of the table of goals: a figure that is wanted, and whether it was reached; or one that is only told.
interface Goal {
  /// Its line in the table of goals, once everything is measured.
  String line();

  /// Lines up.
  static String row(String text, String wanted, String measured, String verdict) {
    return String.format("%-72s %-8s %-20s %s", text, wanted, measured, verdict);
  }

  /// How a limit is written.
  static String wanted(boolean least, double limit) {
    return (least ? ">= " : "<= ") + new BigDecimal(Double.toString(limit)).stripTrailingZeros().toPlainString();
  }

  /// Whether it was reached, and whether that counts.
  static String verdict(boolean reached, TrialSet trialSet) {
    return (reached ? "reached" : "missed") + lacking(trialSet);
  }

  /// How many rounds count, if those are too few.
  static String lacking(TrialSet trialSet) {
    return trialSet.complete()
        ? ""
        : " (" + trialSet.roundsThatCount() + " of " + trialSet.roundsWanted() + " rounds count)";
  }

  /// How a ratio is written.
  static String hundredths(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }
}
