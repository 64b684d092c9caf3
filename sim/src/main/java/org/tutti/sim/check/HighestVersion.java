package org.tutti.sim.check;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.tutti.View;
import org.tutti.ViewId;

/// Each primary view speaks the highest version that all of its members have and admit to, or that of the primary view
/// before it, if that is higher. So a group without old members is at the highest version at the view change by which
/// the last of them goes, and none goes further than a member admits to.
public record HighestVersion() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<ViewId, View> views = intervals.views();
    for (View view : views.values()) {
      OptionalInt admitted =
          view.members().stream()
              .map(member -> history.build(history.ordinalOf(member)))
              .filter(Objects::nonNull)
              .mapToInt(Build::admitted)
              .min();
      if (!view.primary() || admitted.isEmpty()) {
        continue;
      }
      boolean known = views.keySet().containsAll(view.predecessors());
      int last =
          view.predecessors().stream().map(views::get).filter(Objects::nonNull).mapToInt(View::version).max().orElse(0);
      boolean less = view.version() < admitted.getAsInt();
      // A predecessor that was agreed and that nobody was shown may have had a higher version.
      boolean more = known && view.version() > Math.max(admitted.getAsInt(), last);
      if (less || more) {
        report.accept(
            "%s speaks version %d, its members admit to %d, and before it spoke %d"
                .formatted(view, view.version(), admitted.getAsInt(), last));
      }
    }
  }
}
