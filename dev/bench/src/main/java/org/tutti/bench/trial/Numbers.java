package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/// One figure, measured in several rounds: its median and how far the rounds lie apart.
public final class Numbers {
  private final List<Double> values = new ArrayList<>();

  /// Starts without a round.
  public Numbers() {}

  /// Adds a round.
  ///
  /// @param value what was measured
  public void add(double value) {
    values.add(value);
  }

  int rounds() {
    return values.size();
  }

  /// What half of the rounds are below.
  ///
  /// @return the middle one, or the mean of the two in the middle
  public double median() {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  List<Double> all() {
    return List.copyOf(values);
  }

  /// The median, and the lowest and the highest round in brackets.
  ///
  /// @param how writes a value
  /// @return the text; a dash when there is no round, and no brackets when there is only one
  public String show(DoubleFunction<String> how) {
    if (values.size() < 2) {
      return values.isEmpty() ? "-" : how.apply(median());
    }
    return how.apply(median())
        + " ["
        + how.apply(Collections.min(values))
        + ".."
        + how.apply(Collections.max(values))
        + "]";
  }

  /// Writes nanoseconds as microseconds.
  ///
  /// @param nanos a time
  /// @return whole microseconds
  public static String micros(double nanos) {
    return String.format(Locale.ROOT, "%,.0f", nanos / 1000);
  }

  /// Writes a ratio.
  ///
  /// @param ratio any
  /// @return with two decimals
  public static String hundredths(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }
}
