package org.tutti.sim.check;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.View;
import org.tutti.sim.check.Happening.Delivered;

/// Uniform groups: what anyone delivered in a primary view, even if it crashed right after, is delivered by every
/// member of every later primary view before that view, or contained in the state that it begins with. And all
/// who install a primary view without waiting stand at the same place.
public record UniformAgreement() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    boolean uniform = history.guarantee() == Guarantee.UNIFORM;
    long end = 0; // behind everything that was delivered in the primary views so far
    int whose = -1;
    for (View view : stays.primaries()) {
      long start = stays.startOf(view);
      for (Stay stay : stays.byView().get(view.id())) {
        if (!stay.isWaiting() && stay.start() != start) {
          report.accept(view + " begins at " + start + ", for " + history.name(stay.member()) + " at " + stay.start());
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
      for (Stay stay : stays.byView().get(view.id())) {
        if (!stay.onTime().isEmpty() && stay.onTime().getLast().index() >= end) {
          end = stay.onTime().getLast().index() + 1;
          whose = stay.member();
        }
      }
    }
    if (uniform) {
      late(history, stays, report);
    }
  }

  /// What is delivered in a view, on time or late, lies before the beginning of every later primary view.
  private static void late(History history, Stays stays, Consumer<String> report) {
    var current = new View[history.members().size()];
    for (Happening happening : history.happenings()) {
      if (happening instanceof Happening.Installed installed) {
        current[installed.member()] = installed.view();
      } else if (happening instanceof Delivered delivered && current[delivered.member()] != null) {
        View successor = successor(current[delivered.member()], stays);
        if (successor != null && delivered.index() >= stays.startOf(successor) && stays.startOf(successor) >= 0) {
          report.accept(
              history.name(delivered.member())
                  + " delivered "
                  + delivered.index()
                  + " in "
                  + current[delivered.member()]
                  + ", but "
                  + successor
                  + " begins at "
                  + stays.startOf(successor));
        }
      }
    }
  }

  private static @Nullable View successor(View view, Stays stays) {
    for (View primary : stays.primaries()) {
      // Who is alone before a view that it does not install any more delivers that view's history late.
      if (primary.id().compareTo(view.id().agreed()) > 0) {
        return primary;
      }
    }
    return null;
  }
}
