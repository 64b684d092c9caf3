package org.tutti.sim.check;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Gave;
import org.tutti.sim.check.Happening.Offered;
import org.tutti.sim.check.Happening.Restored;
import org.tutti.sim.check.Happening.Summary;

/// A member's history has no hole: its indices and positions follow one another, from 0 or from the state that it was
/// offered, and that state is of exactly that moment at the member that gave it. Nothing is delivered to a newcomer
/// before its state is announced (B8).
///
/// Without state transfer a member that was away goes on at a later place.
public record StateContinuity() implements Checker {
  private static final class Progress {
    long index;
    long position;
    boolean known; // whether the next place is known
    boolean away; // whether it may jump: it has not followed every primary view
    Offered offer;
  }

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    var progress = new Progress[history.members().size()];
    for (int i = 0; i < progress.length; i++) {
      progress[i] = new Progress();
    }
    Map<String, Summary> given = new HashMap<>();
    var stayAt = stays.all().iterator();
    for (Happening happening : history.happenings()) {
      Progress mine = progress[happening.member()];
      switch (happening) {
        case Happening.Installed _ -> arrive(stayAt.next(), mine, history.stateTransfer());
        case Gave gave -> given.put(gave.member() + "/" + gave.transfer(), gave.summary());
        case Offered offered -> {
          mine.offer = offered;
          mine.known = true;
          mine.index = offered.index();
          mine.position = offered.position();
        }
        case Restored restored -> restore(history, restored, mine, given, report);
        case Delivered delivered -> deliver(history, delivered, mine, report);
        default -> {}
      }
    }
  }

  private static void arrive(Stay stay, Progress mine, boolean stateTransfer) {
    if (!stay.view().primary()) {
      return;
    }
    if (stay.founding()) {
      mine.known = true;
    } else if (!stay.continuing()) {
      mine.away = !stateTransfer;
      mine.known = false;
    }
  }

  private static void restore(
      History history, Restored restored, Progress mine, Map<String, Summary> given, Consumer<String> report) {
    String who = history.name(restored.member());
    Summary summary = restored.summary();
    Offered offer = mine.offer;
    if (offer == null || offer.index() != summary.index() || offer.position() != summary.position()) {
      report.accept(who + " was offered " + offer + ", but the state is of " + summary);
    } else if (!history.members().get(restored.donor()).equals(offer.donor())) {
      report.accept(who + " was offered " + offer + ", but " + history.name(restored.donor()) + " wrote the state");
    }
    if (!summary.equals(given.get(restored.donor() + "/" + restored.transfer()))) {
      report.accept(who + " has state " + summary + ", which " + history.name(restored.donor()) + " did not write");
    }
  }

  private static void deliver(History history, Delivered delivered, Progress mine, Consumer<String> report) {
    String who = history.name(delivered.member());
    boolean follows = delivered.index() == mine.index && delivered.position() == mine.position;
    if (!mine.known && !mine.away) {
      report.accept(who + " delivered " + delivered.index() + " before it had state");
    } else if (mine.known && !follows) {
      report.accept(
          who
              + " delivered "
              + delivered.index()
              + " @"
              + delivered.position()
              + ", expected was "
              + mine.index
              + " @"
              + mine.position);
    } else if (mine.away && delivered.index() < mine.index) {
      report.accept(who + " went back from " + mine.index + " to " + delivered.index());
    }
    mine.known = true;
    mine.away = false;
    mine.index = delivered.index() + 1;
    mine.position = delivered.position() + delivered.batch().count();
  }
}
