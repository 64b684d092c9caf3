package org.tutti.sim.check;

import java.util.function.Consumer;

/// The ids of the views that a member installs rise.
public record MonotoneViews() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (ViewInterval interval : intervals.all()) {
      ViewInterval next = interval.next();
      if (next != null && next.view().id().compareTo(interval.view().id()) <= 0) {
        report.accept(history.name(interval.member()) + " installed " + next.view() + " after " + interval.view());
      }
    }
  }
}
