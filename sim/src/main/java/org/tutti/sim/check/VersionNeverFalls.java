package org.tutti.sim.check;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;

/// From a primary view to the next one the version does not fall, and what is not primary has that of the primary view
/// that it comes from: so it does not fall from any view to the next at any member either.
public record VersionNeverFalls() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<ViewId, View> views = intervals.views();
    for (View view : views.values()) {
      for (ViewId id : view.predecessors()) {
        @Nullable View before = views.get(id);
        if (before != null && before.version() > view.version()) {
          report.accept(
              "%s speaks version %d, and %s before it %d".formatted(view, view.version(), before, before.version()));
        }
      }
    }
  }
}
