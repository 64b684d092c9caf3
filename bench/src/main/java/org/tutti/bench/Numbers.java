package org.tutti.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/// One figure, measured in several rounds: its median and how far the rounds lie apart.
final class Numbers {
  /// Longer times are counted as this.
  static final long TIME_NANOS_MAX = 60_000_000_000L;

  /// Significant digits of a histogram.
  static final int DIGITS = 3;

  /// The length of a message when times are measured.
  static final int LATENCY_BYTES = 100;

  private final List<Double> values = new ArrayList<>();

  void add(double value) {
    values.add(value);
  }

  double median() {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  double worst() {
    return Collections.max(values);
  }

  /// The median, and the lowest and the highest round in brackets.
  String show(DoubleFunction<String> how) {
    return how.apply(median()) + " [" + how.apply(Collections.min(values)) + ".." + how.apply(worst()) + "]";
  }

  static String micros(double nanos) {
    return String.format(Locale.ROOT, "%,.0f", nanos / 1000);
  }

  static String thousands(double number) {
    return String.format(Locale.ROOT, "%,.1f", number / 1000);
  }
}
