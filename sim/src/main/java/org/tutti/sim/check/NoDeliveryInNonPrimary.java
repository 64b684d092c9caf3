package org.tutti.sim.check;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.sim.check.Happening.Begun;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Installed;

/// Nothing is delivered before the first view, and in a view that is not primary only what is late (B4): what was kept
/// back for the state that has just come, and the end of the history of primary views that the member was in, when it
/// learns of a decision that was made before it went to the view.
public record NoDeliveryInNonPrimary() implements Checker {
  private static final class Place {
    @Nullable View current;
    @Nullable View lastPrimary;
    long begunAt = -1;
  }

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    var places = new Place[history.members().size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = new Place();
    }
    for (Happening happening : history.happenings()) {
      Place place = places[happening.member()];
      switch (happening) {
        case Installed installed -> {
          place.current = installed.view();
          place.lastPrimary = installed.view().primary() ? installed.view() : place.lastPrimary;
        }
        case Begun begun -> place.begunAt = begun.nanos();
        case Delivered delivered -> deliver(history, delivered, place, stays, report);
        default -> {}
      }
    }
  }

  private static void deliver(History history, Delivered delivered, Place place, Stays stays, Consumer<String> report) {
    View view = place.current;
    boolean kept = place.begunAt == delivered.nanos();
    if (view == null) {
      report.accept(history.name(delivered.member()) + " delivered " + delivered.index() + " before its first view");
    } else if (!view.primary() && !kept) {
      View other = foreign(history.members().get(delivered.member()), view, place.lastPrimary, stays);
      if (other != null && delivered.index() >= stays.startOf(other) && stays.startOf(other) >= 0) {
        report.accept(
            history.name(delivered.member())
                + " delivered "
                + delivered.index()
                + " in "
                + view
                + ", but "
                + other
                + " begins at "
                + stays.startOf(other));
      }
    }
  }

  /// The first primary view whose history a member in a view cannot know.
  private static @Nullable View foreign(MemberId member, View view, @Nullable View last, Stays stays) {
    for (View primary : stays.primaries()) {
      boolean later = last == null || primary.id().compareTo(last.id()) > 0;
      if (later && (!primary.contains(member) || primary.id().compareTo(view.id()) > 0)) {
        return primary;
      }
    }
    return null;
  }
}
