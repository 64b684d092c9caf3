package org.tutti.sim.check;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.View;
import org.tutti.ViewId;

/// The membership of whoever is in a primary view does not end because somebody else comes with its name, unless the
/// others have gone on to a later view.
public record NameHeld() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    var views = new @Nullable View[history.members().size()];
    Arrays.fill(views, null);
    ViewId latest = new ViewId(0, 0); // that anybody has announced or installed
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case HistoryEvent.Installed(int member, _, View view) -> {
          views[member] = view;
          latest = later(latest, view.id());
        }
        case HistoryEvent.Announced(_, _, ViewId view) -> latest = later(latest, view);
        case HistoryEvent.Closed(int member, _, End end) -> {
          View view = views[member];
          boolean forItsName = end.cause() == End.Cause.NAME_TAKEN;
          if (forItsName && view != null && view.primary() && latest.equals(view.id())) {
            report.accept(history.name(member) + " ended in " + view + ": " + end);
          }
        }
        default -> {}
      }
    }
  }

  private static ViewId later(ViewId one, ViewId other) {
    return one.compareTo(other) < 0 ? other : one;
  }
}
