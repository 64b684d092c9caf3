package org.tutti.sim.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// Uniform groups: whoever delivers a batch on time delivers it in the same primary view; with [UniformAgreement],
/// which bounds late deliveries by their index, all deliveries of a message belong to one primary view.
public record SameViewDelivery() implements Checker {
  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    if (history.guarantee() != Guarantee.UNIFORM) {
      return;
    }
    Map<Content, ViewInterval> places = new HashMap<>();
    for (List<ViewInterval> together : intervals.byView().values()) {
      for (ViewInterval interval : together) {
        for (Delivered delivered : interval.onTime()) {
          ViewInterval first = places.putIfAbsent(delivered.batch(), interval);
          if (first != null && !first.view().id().equals(interval.view().id())) {
            report.accept(
                history.name(first.member())
                    + " delivered "
                    + delivered.batch()
                    + " in "
                    + first.view()
                    + ", "
                    + history.name(interval.member())
                    + " in "
                    + interval.view());
          }
        }
      }
    }
  }
}
