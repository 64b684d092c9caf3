package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;

/// A history cut into each member's time in each view, and the chain of primary views.
public final class Stays {
  private final List<Stay> all = new ArrayList<>();
  private final SortedMap<ViewId, List<Stay>> byView = new TreeMap<>();
  private final List<View> primaries = new ArrayList<>(); // by id, which is the order of their succession
  private final @Nullable Stay[] last;

  /// Cuts a history.
  ///
  /// @param history a run that is over
  public Stays(History history) {
    var seen = new TreeSet<ViewId>();
    for (Happening happening : history.happenings()) {
      if (happening instanceof Happening.Installed(_, _, View view) && view.primary() && seen.add(view.id())) {
        primaries.add(view);
      }
    }
    primaries.sort((a, b) -> a.id().compareTo(b.id()));
    last = new Stay[history.members().size()];
    Stay[] lastPrimary = new Stay[last.length];
    for (Happening happening : history.happenings()) {
      cut(history, happening, lastPrimary);
    }
  }

  private void cut(History history, Happening happening, @Nullable Stay[] lastPrimary) {
    int member = happening.member();
    Stay current = last[member];
    switch (happening) {
      case Happening.Installed installed -> {
        Stay stay = arrive(history, installed, current, lastPrimary[member]);
        if (installed.view().primary()) {
          lastPrimary[member] = stay;
        }
      }
      case Happening.Delivered delivered when current != null -> current.deliver(delivered);
      case Happening.Offered offered when current != null -> current.offer(offered.index());
      case Happening.Interrupted _ when current != null -> current.loseState();
      default -> {}
    }
  }

  private Stay arrive(History history, Happening.Installed installed, @Nullable Stay before, @Nullable Stay primary) {
    View view = installed.view();
    boolean first = !primaries.isEmpty() && primaries.getFirst().id().equals(view.id());
    boolean continuing = first || primary != null && view.primary() && follows(primary.view(), view);
    boolean holds = !history.stateTransfer() || first || continuing && primary != null && primary.holdsState();
    long end = continuing && primary != null ? primary.end() : first ? 0 : -1;
    var stay = new Stay(installed.member(), view, first, continuing, holds, end);
    if (before != null) {
      before.follow(stay);
    }
    last[installed.member()] = stay;
    all.add(stay);
    byView.computeIfAbsent(view.id(), _ -> new ArrayList<>()).add(stay);
    return stay;
  }

  /// Whether a primary view is the next one after another, so that who was in both missed nothing.
  private boolean follows(View earlier, View later) {
    int at = primaries.indexOf(later);
    return at > 0 && primaries.get(at - 1).id().equals(earlier.id());
  }

  /// All stays, in the order of installation.
  ///
  /// @return a view of the list
  public List<Stay> all() {
    return Collections.unmodifiableList(all);
  }

  /// All stays by view, the views in the order of their ids.
  ///
  /// @return a view of the map
  public SortedMap<ViewId, List<Stay>> byView() {
    return Collections.unmodifiableSortedMap(byView);
  }

  /// The primary views that anyone installed, in the order of their ids.
  ///
  /// @return a view of the list
  public List<View> primaries() {
    return Collections.unmodifiableList(primaries);
  }

  /// Where each member is at the end of the run.
  ///
  /// @return by ordinal; null for a member that installed no view
  public List<@Nullable Stay> last() {
    return Collections.unmodifiableList(Arrays.asList(last));
  }
}
