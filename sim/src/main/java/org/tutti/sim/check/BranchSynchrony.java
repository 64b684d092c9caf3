package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;

/// Two members that go straight from one view that is not primary to the same next view have delivered the same
/// sequence in its branch.
public record BranchSynchrony() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (List<ViewInterval> together : intervals.byView().values()) {
      Pairs.goingTogether(
          together.stream().filter(interval -> !interval.view().primary() && !interval.isShownLate()).toList(),
          (p, q) -> {
            if (!p.branched().equals(q.branched())) {
              report.accept(
                  history.name(p.member())
                      + " and "
                      + history.name(q.member())
                      + " went together from "
                      + p.view()
                      + " and had delivered "
                      + p.branched()
                      + " and "
                      + q.branched());
            }
          });
    }
  }
}
