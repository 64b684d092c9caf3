package org.tutti.sim.check;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Begun;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Early;
import org.tutti.sim.check.HistoryEvent.Installed;

/// Nothing is delivered before the first view, and in a view that is not primary only what is late: what was kept
/// back for the state that has just come, and the end of the history of primary views that the member, or a life from
/// whose stable storage it was restarted, was in; and what was taken over of a view that it could not enter
/// ([TakenOver]). What was delivered on time in a primary view without this member, or in another later one, is not
/// late but wrong.
///
/// Nothing is delivered there before it has its place.
public record NoDeliveryInNonPrimary() implements Checker {
  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    var taken = new TakenOver(history, intervals);
    var current = new View[history.members().size()];
    long[] begunAt = new long[current.length];
    Arrays.fill(begunAt, -1);
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case Installed installed -> current[installed.member()] = installed.view();
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
          List<View> places = taken.places(delivered.batch());
          boolean kept = begunAt[delivered.member()] == delivered.nanos();
          if (view == null) {
            report.accept(
                history.name(delivered.member()) + " delivered " + delivered.index() + " before its first view");
          } else if (!view.primary()
              && !kept
              && !places.isEmpty()
              && !mayBeLate(self, view, places, taken)
              && taken.viewOf(delivered) == null) {
            report.accept(
                history.name(delivered.member())
                    + " delivered "
                    + delivered.index()
                    + " in "
                    + view
                    + ", which belongs to "
                    + places);
          }
        }
        default -> {}
      }
    }
  }

  private static boolean mayBeLate(MemberId self, View view, List<View> places, TakenOver taken) {
    return places.stream().anyMatch(place -> place.id().compareTo(view.id().agreed()) <= 0 && taken.isIn(self, place));
  }
}
