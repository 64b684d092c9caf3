package org.tutti.sim.check;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// Members that go from one view to the same next view delivered the same set of batches in the first.
public record VirtualSynchrony() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (List<ViewInterval> together : intervals.byView().values()) {
      Pairs.movingTogether(
          together,
          (p, q) -> {
            var sequences = Sequences.of(p, q);
            if (!batches(sequences.first()).equals(batches(sequences.second()))) {
              report.accept(
                  history.name(p.member())
                      + " and "
                      + history.name(q.member())
                      + " went from "
                      + p.view()
                      + " to "
                      + p.next().view()
                      + ": "
                      + sequences.difference());
            }
          });
    }
  }

  private static Set<Content> batches(List<Delivered> deliveries) {
    var batches = new HashSet<Content>(); // compared as a whole
    deliveries.forEach(delivered -> batches.add(delivered.batch()));
    return batches;
  }
}
