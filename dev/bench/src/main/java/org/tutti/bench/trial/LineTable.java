package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// A table of what stacks do on lines of limited rate.
final class LineTable {
  private static final List<Measure> MEASURES =
      List.of(
          Measure.PAYLOAD,
          Measure.OF_LINE,
          Measure.OF_OPTIMUM,
          Measure.VIEWS,
          Measure.REPEATED,
          Measure.DROPPED,
          Measure.UP,
          Measure.CPU_TIME);

  private LineTable() {}

  /// A head, and a row for each stack; its rate is compared with the best of JGroups in the same round.
  static List<List<String>> rows(TrialSet trialSet) {
    List<Integer> jgroups =
        IntStream.range(0, trialSet.trials().size())
            .filter(trial -> LineStack.of(trialSet.trials().get(trial).name()).isJGroups())
            .boxed()
            .toList();
    var measures = new ArrayList<>(MEASURES);
    if (IntStream.range(0, trialSet.trials().size())
        .anyMatch(trial -> trialSet.figure(trial, Measure.STREAM).rounds() > 0)) {
      measures.add(Measure.STREAM);
    }
    List<List<String>> rows = new ArrayList<>();
    var head = new ArrayList<>(List.of(""));
    measures.forEach(measure -> head.add(measure.title()));
    head.add("over JGroups");
    rows.add(head);
    for (int trial = 0; trial < trialSet.trials().size(); trial++) {
      var row = new ArrayList<>(List.of(trialSet.trials().get(trial).name()));
      for (Measure measure : measures) {
        row.add(trialSet.figure(trial, measure).show(measure::show));
      }
      row.add(trialSet.ratioToBest(trial, jgroups, Measure.PAYLOAD).show(Numbers::hundredths));
      rows.add(row);
    }
    return rows;
  }
}
