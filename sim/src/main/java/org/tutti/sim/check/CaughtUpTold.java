package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Begun;
import org.tutti.sim.check.HistoryEvent.CaughtUp;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Entered;
import org.tutti.sim.check.HistoryEvent.Installed;
import org.tutti.sim.check.HistoryEvent.Offered;

/// A member is told that it is caught up in a primary view only, when it has taken the state that it was offered, with
/// the position of its next delivery, and once until it is cut off or offered a state.
///
/// @param atRest whether the run has come to rest; then every member in a primary view has been told
public record CaughtUpTold(boolean atRest) implements Checker {
  private static final class Member {
    @Nullable View view; // that it was shown last
    long next; // the position of its next delivery, or -1
    boolean reads; // a state that it was offered
    boolean told;
    boolean gone; // perhaps only until it comes back when nobody else is left

    boolean isInPrimaryView() {
      return view != null && view.primary();
    }
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<Member> members = history.forEachMember(Member::new);
    for (HistoryEvent event : history.events()) {
      Member member = members.get(event.member());
      switch (event) {
        case Entered entered -> member.next = entered.creates() ? 0 : -1;
        case Installed(_, _, View view) -> {
          member.view = view;
          member.told &= view.primary();
        }
        case Offered _ -> {
          member.reads = true;
          member.told = false;
        }
        case Begun begun -> {
          member.reads = false;
          member.told = false;
          member.next = begun.position();
        }
        case Delivered delivered -> member.next = delivered.position() + delivered.batch().positions();
        case CaughtUp told -> tell(history, member, told, report);
        case HistoryEvent.Closed _, HistoryEvent.Crashed _ -> member.gone = true;
        default -> {}
      }
    }
    for (int i = 0; atRest && i < members.size(); i++) {
      Member member = members.get(i);
      if (member.isInPrimaryView() && !member.told && !member.gone) {
        report.accept(history.name(i) + " is in " + member.view + " and was not told that it is caught up");
      }
    }
  }

  private static void tell(History history, Member member, CaughtUp told, Consumer<String> report) {
    if (!member.isInPrimaryView() || member.reads || member.told || told.position() != member.next) {
      report.accept(
          history.name(told.member())
              + " was told "
              + told
              + " at position "
              + member.next
              + " in view "
              + member.view
              + (member.reads ? ", reading a state" : "")
              + (member.told ? ", a second time" : ""));
    }
    member.told = true;
  }
}
