package org.tutti.sim.check;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;

/// From a primary view to the next one the version does not fall, and what is not primary has that of the primary view
/// that it comes from: so it does not fall from any view to the next at any member either.
///
/// A history that was forced has the version of what its first member had kept. Who comes to it out of one that was
/// given up may have been in views of a higher version.
public record VersionNeverFalls() implements Checker {
  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    @Nullable View last = null;
    for (View view : intervals.primaries()) {
      compare(last, view, report);
      last = view;
    }
    Map<ViewId, View> views = intervals.views();
    for (View view : history.lineage() == null ? views.values() : List.<View>of()) {
      view.predecessors().forEach(id -> compare(views.get(id), view, report));
    }
  }

  private static void compare(@Nullable View before, View view, Consumer<String> report) {
    if (before != null && before.version() > view.version()) {
      report.accept(
          "%s speaks version %d, and %s before it %d".formatted(view, view.version(), before, before.version()));
    }
  }
}
