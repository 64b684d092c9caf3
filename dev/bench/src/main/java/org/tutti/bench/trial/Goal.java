package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;

/// What is wanted of a figure, beside what it is. Readers judge.
///
/// @param what   names it
/// @param wanted how far it is to go
/// @param atMost whether it is to be no more than that, or no less
/// @param figure what was measured
/// @param show   writes values
record Goal(String what, double wanted, boolean atMost, Numbers figure, DoubleFunction<String> show) {
  static Goal atLeast(String what, double wanted, Numbers figure) {
    return new Goal(what, wanted, false, figure, Numbers::hundredths);
  }

  static Goal atMost(String what, double wanted, Numbers figure) {
    return new Goal(what, wanted, true, figure, Numbers::hundredths);
  }

  /// A table of goals.
  static List<List<String>> rows(List<Goal> goals) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", "goal", "measured"));
    for (Goal goal : goals) {
      String wanted = (goal.atMost ? "at most " : "at least ") + goal.show.apply(goal.wanted);
      rows.add(List.of(goal.what, wanted, goal.figure.show(goal.show)));
    }
    return rows;
  }

  /// For a file of results.
  Map<String, Object> asMap() {
    return figure.rounds() == 0
        ? Map.of("goal", what, "wanted", wanted)
        : Map.of("goal", what, "wanted", wanted, "measured", figure.median());
  }
}
