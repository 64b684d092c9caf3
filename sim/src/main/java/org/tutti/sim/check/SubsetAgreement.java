package org.tutti.sim.check;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.tutti.View;

/// A multicast to some members that any member delivers in a primary view, even one that crashes at once, or that its
/// sender is told to be held by all destinations, is delivered in that view by every destination that goes from there
/// straight to the next primary view and is waiting at neither time; and in no other view.
public record SubsetAgreement() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<SubsetId, List<Integer>> destinations = new HashMap<>();
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.SubsetSubmitted submitted) {
        destinations.put(SubsetId.of(submitted), submitted.destinations());
      }
    }
    Map<SubsetId, View> views = new HashMap<>();
    for (List<ViewInterval> together : intervals.byView().values()) {
      Set<SubsetId> due = new LinkedHashSet<>();
      for (ViewInterval interval : together) {
        for (SubsetId subset : interval.subsets()) {
          View first = views.putIfAbsent(subset, interval.view());
          if (first != null && !first.id().equals(interval.view().id())) {
            report.accept(subset.in(history) + " was delivered in " + first + " and in " + interval.view());
          }
          due.add(subset);
        }
        due.addAll(interval.subsetsHeld());
      }
      for (ViewInterval interval : together) {
        if (goesOn(interval, intervals)) {
          for (SubsetId subset : due) {
            boolean isFor = destinations.getOrDefault(subset, List.of()).contains(interval.member());
            if (isFor && !interval.subsets().contains(subset)) {
              report.accept(
                  history.name(interval.member())
                      + " did not deliver "
                      + subset.in(history)
                      + " in "
                      + interval.view());
            }
          }
        }
      }
    }
  }

  private static boolean goesOn(ViewInterval interval, ViewIntervals intervals) {
    ViewInterval next = interval.next();
    if (!interval.view().primary()
        || interval.isWaiting()
        || next == null
        || !next.view().primary()
        || next.isWaiting()) {
      return false;
    }
    return intervals.placeOf(next.view()) == intervals.placeOf(interval.view()) + 1;
  }
}
