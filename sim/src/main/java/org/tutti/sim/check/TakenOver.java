package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Installed;

/// Which late deliveries are of the history of a primary view that took the member in and that it could not enter, as
/// the end of its branch was not to be had. It delivers them in the moment in which it goes on into a later view.
final class TakenOver {
  private final Restarts lives;
  private final Map<Content, List<View>> onTime = new HashMap<>();
  private final Map<Delivered, View> views = new IdentityHashMap<>();

  TakenOver(History history, ViewIntervals intervals) {
    lives = new Restarts(history);
    for (ViewInterval interval : intervals.all()) {
      for (Delivered delivered : interval.onTime()) {
        List<View> places = onTime.computeIfAbsent(delivered.batch(), _ -> new ArrayList<>(1));
        if (!places.contains(interval.view())) {
          places.add(interval.view());
        }
      }
    }
    var current = new View[history.members().size()];
    List<Delivered> apart = new ArrayList<>(); // in views that are not primary, which were not left since
    for (HistoryEvent event : history.events()) {
      if (event instanceof Installed installed) {
        View left = current[installed.member()];
        MemberId self = history.members().get(installed.member());
        for (Delivered delivered : apart) {
          if (delivered.member() == installed.member() && delivered.nanos() == installed.nanos()) {
            places(delivered.batch()).stream()
                .filter(place -> isBetween(left, place, installed.view()) && isIn(self, place))
                .findFirst()
                .ifPresent(place -> views.put(delivered, place));
          }
        }
        apart.removeIf(delivered -> delivered.member() == installed.member());
        current[installed.member()] = installed.view();
      } else if (event instanceof Delivered delivered) {
        View view = current[delivered.member()];
        if (view != null && !view.primary()) {
          apart.add(delivered);
        }
      }
    }
  }

  private static boolean isBetween(View before, View place, View after) {
    return place.id().compareTo(before.id().agreed()) > 0 && place.id().compareTo(after.id()) < 0;
  }

  /// The primary views in which a batch was delivered on time.
  List<View> places(Content batch) {
    return onTime.getOrDefault(batch, List.of());
  }

  /// Whether a member, or a life from whose stable storage it was restarted, is in a view.
  boolean isIn(MemberId member, View view) {
    return view.members().stream().anyMatch(other -> lives.isLaterLifeOf(member, other));
  }

  /// The view whose history was taken over.
  ///
  /// @return null when it was not
  @Nullable View viewOf(Delivered delivered) {
    return views.get(delivered);
  }
}
