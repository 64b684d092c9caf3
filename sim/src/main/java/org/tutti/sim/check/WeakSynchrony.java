package org.tutti.sim.check;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// Members that go together from one primary view to the next have delivered the same messages of weak services in the
/// first, each in an order of its own, but for those that one of them had delivered before.
public record WeakSynchrony() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    var first = new FirstDeliveries(history, intervals);
    for (List<ViewInterval> together : intervals.byView().values()) {
      Pairs.movingTogether(
          together,
          (p, q) -> {
            if (p.view().primary() && p.next() != null && p.next().view().primary()) {
              compare(history, p, q, first, report);
              compare(history, q, p, first, report);
            }
          });
    }
  }

  private static void compare(
      History history, ViewInterval p, ViewInterval q, FirstDeliveries first, Consumer<String> report) {
    Set<Content> other = new HashSet<>(q.taken()); // looked up only
    for (Content batch : p.taken()) {
      if (batch.isWeak() && !other.contains(batch) && !first.isBefore(q, batch)) {
        report.accept(
            history.name(p.member())
                + " delivered "
                + batch
                + " in "
                + p.view()
                + ", and "
                + history.name(q.member())
                + ", which went with it, did not");
        return;
      }
    }
  }
}
