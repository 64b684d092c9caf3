package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.View;
import org.tutti.membership.Electorate;

/// In a group with a configured set every primary view has more than half of its names.
public record ElectorateHeld() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    var electorate = new Electorate(history.electorate());
    for (View view : intervals.primaries()) {
      if (!electorate.allows(view)) {
        report.accept(view + " has no majority of " + history.electorate());
      }
    }
  }
}
