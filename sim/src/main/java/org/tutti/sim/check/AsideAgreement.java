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
public record AsideAgreement() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    Map<Aside, List<Integer>> destinations = new HashMap<>();
    for (Happening happening : history.happenings()) {
      if (happening instanceof Happening.AsideSubmitted submitted) {
        destinations.put(Aside.of(submitted), submitted.destinations());
      }
    }
    Map<Aside, View> views = new HashMap<>();
    for (List<Stay> together : stays.byView().values()) {
      Set<Aside> due = new LinkedHashSet<>();
      for (Stay stay : together) {
        for (Aside aside : stay.asides()) {
          View first = views.putIfAbsent(aside, stay.view());
          if (first != null && !first.id().equals(stay.view().id())) {
            report.accept(aside.in(history) + " was delivered in " + first + " and in " + stay.view());
          }
          due.add(aside);
        }
        due.addAll(stay.asidesHeld());
      }
      for (Stay stay : together) {
        if (goesOn(stay, stays)) {
          for (Aside aside : due) {
            boolean isFor = destinations.getOrDefault(aside, List.of()).contains(stay.member());
            if (isFor && !stay.asides().contains(aside)) {
              report.accept(
                  history.name(stay.member()) + " did not deliver " + aside.in(history) + " in " + stay.view());
            }
          }
        }
      }
    }
  }

  private static boolean goesOn(Stay stay, Stays stays) {
    Stay next = stay.next();
    if (!stay.view().primary() || stay.isWaiting() || next == null || !next.view().primary() || next.isWaiting()) {
      return false;
    }
    int at = stays.primaries().indexOf(stay.view());
    return stays.primaries().indexOf(next.view()) == at + 1;
  }
}
