package org.tutti.sim.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.sim.check.HistoryEvent.Begun;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Gave;
import org.tutti.sim.check.HistoryEvent.Offered;
import org.tutti.sim.check.HistoryEvent.Restored;
import org.tutti.sim.check.HistoryEvent.Summary;

/// A member's history has no hole: its indices and positions follow one another, from 0 or from where its deliveries
/// begin; in uniform groups they never begin anew
/// further back. After a restart they go on where the application's own durable state ends. In a group with state
/// transfer they begin only behind a state that was offered and read to its end, and that state is of exactly that
/// moment at the member that gave it.
public record StateContinuity() implements Checker {
  private static final class Progress {
    long index; // of the next delivery
    long position;
    @Nullable Offered offer; // that was not read to its end
    @Nullable Summary state; // that was read, and deliveries have not begun
    @Nullable Summary saved; // that the application had made durable in an earlier life
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<Progress> progress = history.forEachMember(Progress::new);
    Map<String, Summary> given = new HashMap<>();
    for (HistoryEvent event : history.events()) {
      Progress mine = progress.get(event.member());
      switch (event) {
        case Gave gave -> given.put(gave.member() + "/" + gave.transfer(), gave.summary());
        case Offered offered -> mine.offer = offered;
        case HistoryEvent.Interrupted _ -> mine.offer = null;
        case Restored restored -> restore(history, restored, mine, given, report);
        case HistoryEvent.Restarted restarted -> mine.saved = restarted.summary();
        case Begun begun -> begin(history, begun, mine, report);
        case Delivered delivered -> deliver(history, delivered, mine, report);
        default -> {}
      }
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
    mine.offer = null;
    mine.state = summary;
  }

  private static void begin(History history, Begun begun, Progress mine, Consumer<String> report) {
    String who = history.name(begun.member());
    Summary state = mine.state;
    mine.state = null;
    Summary saved = mine.saved;
    mine.saved = null;
    boolean fits = state != null && state.index() == begun.index() && state.position() == begun.position();
    fits |= saved != null && saved.index() >= begun.index() && saved.position() == begun.position();
    if (history.stateTransfer(begun.member()) && !fits) {
      report.accept(who + " begins at " + begun.index() + " @" + begun.position() + " with state " + state);
    }
    boolean back = begun.index() < mine.index || begun.position() < mine.position;
    if (back && history.guarantee() == Guarantee.UNIFORM) {
      report.accept(who + " goes back from " + mine.index + " to " + begun.index());
    }
    mine.index = begun.index();
    mine.position = begun.position();
  }

  private static void deliver(History history, Delivered delivered, Progress mine, Consumer<String> report) {
    String who = history.name(delivered.member());
    if (mine.offer != null) {
      report.accept(who + " delivered " + delivered.index() + " while it was waiting for its state");
    }
    if (delivered.index() != mine.index || delivered.position() != mine.position) {
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
    }
    mine.index = delivered.index() + 1;
    mine.position = delivered.position() + delivered.batch().positions();
  }
}
