package org.tutti.sim.check;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// Uniform groups: what anyone delivered in a primary view, even if it crashed right after, is delivered by every
/// member of every later primary view before that view, or contained in the state that it begins with. And all
/// who install a primary view without waiting stand at the same place.
public record UniformAgreement() implements Checker {
  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    boolean uniform = history.guarantee() == Guarantee.UNIFORM;
    long end = 0; // behind everything that was delivered in the primary views so far
    int whose = -1;
    for (View view : intervals.primaries()) {
      long start = intervals.startOf(view);
      for (ViewInterval interval : intervals.byView().get(view.id())) {
        if (!interval.isWaiting() && interval.start() != start) {
          report.accept(
              view + " begins at " + start + ", for " + history.name(interval.member()) + " at " + interval.start());
        }
      }
      if (uniform && start >= 0 && start < end) {
        report.accept(
            view
                + " begins at "
                + start
                + ", but "
                + history.name(whose)
                + " delivered up to "
                + (end - 1)
                + " before it");
      }
      for (ViewInterval interval : intervals.byView().get(view.id())) {
        if (!interval.onTime().isEmpty() && interval.onTime().getLast().index() >= end) {
          end = interval.onTime().getLast().index() + 1;
          whose = interval.member();
        }
      }
    }
    if (uniform) {
      late(history, intervals, report);
    }
  }

  /// What is delivered in a view, on time or late, lies before the beginning of every later primary view; what was
  /// taken over of a view that could not be entered, before that of every primary view after that one.
  private static void late(History history, ViewIntervals intervals, Consumer<String> report) {
    var taken = new TakenOver(history, intervals);
    var current = new View[history.members().size()];
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Installed installed) {
        current[installed.member()] = installed.view();
      } else if (event instanceof Delivered delivered && current[delivered.member()] != null) {
        View of = taken.viewOf(delivered);
        View successor = successor(of == null ? current[delivered.member()] : of, intervals);
        if (successor != null
            && delivered.index() >= intervals.startOf(successor)
            && intervals.startOf(successor) >= 0) {
          report.accept(
              history.name(delivered.member())
                  + " delivered "
                  + delivered.index()
                  + " in "
                  + current[delivered.member()]
                  + ", but "
                  + successor
                  + " begins at "
                  + intervals.startOf(successor));
        }
      }
    }
  }

  private static @Nullable View successor(View view, ViewIntervals intervals) {
    for (View primary : intervals.primaries()) {
      // Who is alone before a view that it does not install any more delivers that view's history late.
      if (primary.id().compareTo(view.id().agreed()) > 0) {
        return primary;
      }
    }
    return null;
  }
}
