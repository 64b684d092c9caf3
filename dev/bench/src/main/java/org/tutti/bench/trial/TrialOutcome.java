package org.tutti.bench.trial;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one trial of one round gave.
///
/// @param values      what was measured
/// @param counters    what the processes counted themselves meanwhile, all together
/// @param times       the histogram as HdrHistogram compresses it, in base 64, or null
/// @param seconds     how long it took
/// @param load        what the machine did besides
record TrialOutcome(
    SortedMap<Measure, Double> values,
    SortedMap<String, Long> counters,
    @Nullable String times,
    double seconds,
    Machine.Load load) {
  TrialOutcome {
    values = new TreeMap<>(values);
    counters = new TreeMap<>(counters);
  }

  double value(Measure measure) {
    Double value = values.get(measure);
    if (value == null) {
      throw new IllegalArgumentException(measure + " was not measured");
    }
    return value;
  }

  /// The quotient of every measure that both have and that has one.
  SortedMap<Measure, Double> over(TrialOutcome reference) {
    var ratios = new TreeMap<Measure, Double>();
    for (Map.Entry<Measure, Double> each : values.entrySet()) {
      Double other = reference.values.get(each.getKey());
      if (each.getKey().hasRatio() && other != null && other > 0) {
        ratios.put(each.getKey(), each.getValue() / other);
      }
    }
    return ratios;
  }
}
