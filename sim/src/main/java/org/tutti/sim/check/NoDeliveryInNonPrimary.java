package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Begun;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Early;
import org.tutti.sim.check.HistoryEvent.Installed;

/// Nothing is delivered before the first view, and in a view that is not primary only what is late: what was kept
/// back for the state that has just come, and the end of the history of primary views that the member, or a life from
/// whose stable storage it was restarted, was in; and, when it goes on into another view, the history of a primary view
/// that took it in and that it could not enter, as the end of its branch was not to be had. What was delivered on time
/// in a primary view without this member, or in a later one at another time, is not late but wrong.
///
/// Nothing is delivered there before it has its place.
public record NoDeliveryInNonPrimary() implements Checker {
  /// What was delivered in a view that is not primary and belongs to a later one.
  private record Ahead(Delivered delivered, View view, List<View> places) {
    String message(History history) {
      return history.name(delivered.member())
          + " delivered "
          + delivered.index()
          + " in "
          + view
          + ", which belongs to "
          + places;
    }
  }

  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<Content, List<View>> onTime = new HashMap<>();
    for (ViewInterval interval : intervals.all()) {
      for (Delivered delivered : interval.onTime()) {
        List<View> views = onTime.computeIfAbsent(delivered.batch(), _ -> new ArrayList<>(1));
        if (!views.contains(interval.view())) {
          views.add(interval.view());
        }
      }
    }
    var lives = new Restarts(history);
    var current = new View[history.members().size()];
    long[] begunAt = new long[current.length];
    Arrays.fill(begunAt, -1);
    List<Ahead> ahead = new ArrayList<>(); // of whom it is still to be seen where they go
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case Installed installed -> {
          MemberId self = history.members().get(installed.member());
          ahead.removeIf(one -> one.delivered.member() == installed.member() && mayFollow(self, one, installed, lives));
          current[installed.member()] = installed.view();
        }
        case Early early -> {
          View view = current[early.member()];
          if (view == null || !view.primary() && begunAt[early.member()] != early.nanos()) {
            report.accept(history.name(early.member()) + " delivered " + early.batch() + " early in " + view);
          }
        }
        case Begun begun -> begunAt[begun.member()] = begun.nanos();
        case Delivered delivered -> {
          View view = current[delivered.member()];
          MemberId self = history.members().get(delivered.member());
          List<View> places = onTime.getOrDefault(delivered.batch(), List.of());
          boolean kept = begunAt[delivered.member()] == delivered.nanos();
          if (view == null) {
            report.accept(
                history.name(delivered.member()) + " delivered " + delivered.index() + " before its first view");
          } else if (!view.primary() && !kept && !places.isEmpty() && !mayBeLate(self, view, places, lives)) {
            ahead.add(new Ahead(delivered, view, places));
          }
        }
        default -> {}
      }
    }
    ahead.forEach(one -> report.accept(one.message(history)));
  }

  /// Whether a member goes at once into a view behind a primary view that took it in and had what it delivered.
  private static boolean mayFollow(MemberId self, Ahead ahead, Installed next, Restarts lives) {
    return next.nanos() == ahead.delivered.nanos()
        && ahead.places.stream()
            .filter(place -> place.id().compareTo(next.view().id()) < 0)
            .anyMatch(place -> isIn(self, place, lives));
  }

  private static boolean isIn(MemberId self, View place, Restarts lives) {
    return place.members().stream().anyMatch(member -> lives.isLaterLifeOf(self, member));
  }

  private static boolean mayBeLate(MemberId self, View view, List<View> places, Restarts lives) {
    return places.stream()
        .filter(place -> place.id().compareTo(view.id().agreed()) <= 0)
        .anyMatch(place -> isIn(self, place, lives));
  }
}
