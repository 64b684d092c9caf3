package org.tutti.sim.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// Members that go from one view to the same next view delivered what both delivered in one order (agreed
/// delivery).
public record AgreedTotalOrder() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (List<ViewInterval> together : intervals.byView().values()) {
      Pairs.movingTogether(
          together,
          (p, q) -> {
            var sequences = Sequences.of(p, q);
            Map<Content, Integer> places = new HashMap<>();
            for (Delivered delivered : sequences.first()) {
              places.put(delivered.batch(), places.size());
            }
            int reached = -1;
            for (Delivered delivered : sequences.second()) {
              int place = places.getOrDefault(delivered.batch(), reached);
              if (place < reached) {
                report.accept(
                    history.name(p.member())
                        + " and "
                        + history.name(q.member())
                        + " in "
                        + p.view()
                        + ": "
                        + sequences.difference());
                return;
              }
              reached = place;
            }
          });
    }
  }
}
