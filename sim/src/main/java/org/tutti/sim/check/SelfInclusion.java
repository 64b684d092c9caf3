package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.MemberId;

/// A member is in every view that it installs.
public record SelfInclusion() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (ViewInterval interval : intervals.all()) {
      MemberId self = history.members().get(interval.member());
      if (!interval.view().contains(self)) {
        report.accept(history.name(interval.member()) + " installed " + interval.view() + ", in which it is not");
      }
    }
  }
}
