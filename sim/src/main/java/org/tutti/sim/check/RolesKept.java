package org.tutti.sim.check;

import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.View;

/// A member that joined as an observer is one in every view that lists it, a voter in none; so no role changes, and the
/// most senior member of a primary view votes. One that expects another group is in no view, and nobody is refused but
/// such a one, one whose certificate does not let it vote ([EntitledVoters]), and one that does not speak the group's
/// version.
public record RolesKept() implements Checker {
  private static final Pattern VERSION = Pattern.compile("the group speaks version (\\d+)");

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (ViewInterval interval : intervals.all()) {
      View view = interval.view();
      for (MemberId member : view.members()) {
        Role role = history.role(history.ordinalOf(member));
        boolean other = role != Role.BARRED && view.isObserver(member) == (role == Role.VOTER);
        if (role == Role.MISTAKEN || other) {
          report.accept(history.name(history.ordinalOf(member)) + " joined as " + role + ", but is in " + view);
        }
      }
    }
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Closed(int member, _, End end)
          && (end.cause() == End.Cause.REFUSED && !mayBeRefused(history.role(member))
              || end.cause() == End.Cause.OTHER_VERSION && !lacks(history.build(member), end))) {
        report.accept(history.name(member) + " was refused: " + end);
      }
    }
  }

  private static boolean mayBeRefused(Role role) {
    return role == Role.MISTAKEN || role == Role.BARRED;
  }

  /// The group may have gone to the version in a view that nobody has installed, so only the end tells it.
  private static boolean lacks(@Nullable Build its, End end) {
    Matcher told = VERSION.matcher(end.words());
    return its != null && told.find() && !its.has(Integer.parseInt(told.group(1)));
  }
}
