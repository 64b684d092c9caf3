package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;

/// Who was in which view for how long.
final class Spans {
  /// A member's time in a view.
  ///
  /// @param member    the member's ordinal
  /// @param view      the view
  /// @param fromNanos when it installed it
  /// @param toNanos   when it installed the next, or ended
  record Span(int member, View view, long fromNanos, long toNanos) {}

  private final List<Span> all = new ArrayList<>();

  Spans(History history, long endNanos) {
    var current = new HistoryEvent.@Nullable Installed[history.members().size()];
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case HistoryEvent.Installed installed -> {
          end(current, installed.member(), installed.nanos());
          current[installed.member()] = installed;
        }
        case HistoryEvent.Crashed(int member, long nanos) -> end(current, member, nanos);
        case HistoryEvent.Closed(int member, long nanos, _) -> end(current, member, nanos);
        default -> {}
      }
    }
    for (int member = 0; member < current.length; member++) {
      end(current, member, endNanos);
    }
  }

  private void end(HistoryEvent.@Nullable Installed[] current, int member, long nanos) {
    HistoryEvent.Installed since = current[member];
    if (since != null) {
      all.add(new Span(member, since.view(), since.nanos(), nanos));
      current[member] = null;
    }
  }

  /// Those of a part of the run.
  List<Span> in(TimeWindow window) {
    return all.stream()
        .filter(span -> span.toNanos() >= window.fromNanos() && span.fromNanos() <= window.toNanos())
        .toList();
  }

  /// The views of a part of the run, by their ids.
  List<View> views(TimeWindow window) {
    Set<View> views = new LinkedHashSet<>();
    in(window).stream().map(Span::view).sorted((a, b) -> a.id().compareTo(b.id())).forEach(views::add);
    return List.copyOf(views);
  }

  /// Whether somebody was in a view.
  boolean know(ViewId id) {
    return all.stream().anyMatch(span -> span.view().id().equals(id));
  }

  List<Span> all() {
    return all;
  }
}
