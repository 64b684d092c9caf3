package org.tutti.sim.check;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Installed;
import org.tutti.sim.check.HistoryEvent.Undecided;

/// A sender that is shown a view which is not primary is told that its multicasts on the way are undecided: all those
/// at least that anybody has delivered by then in an earlier view. It is told of no more than are open. One that
/// crashes right behind the view is told nothing any more.
public record UndecidedTold() implements Checker {
  private static final class Sender {
    long submitted;
    long decided;
    long told; // the number behind the last message that is, or was, undecided
    View view; // that it was shown last
    final SortedMap<ViewId, Long> due = new TreeMap<>(); // the number behind the last message delivered in a view
    long owed; // what of that it was to be told

    long dueBefore(ViewId view) {
      return due.headMap(view).values().stream().mapToLong(next -> next).max().orElse(0);
    }
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<Sender> senders = history.forEachMember(Sender::new);
    Map<Content, Long> firsts = history.firstMessages();
    for (HistoryEvent event : history.events()) {
      Sender sender = senders.get(event.member());
      switch (event) {
        case HistoryEvent.Submitted _ -> sender.submitted++;
        case HistoryEvent.Decided decided -> sender.decided += decided.messages();
        case Delivered delivered when firsts.containsKey(delivered.batch()) -> {
          long next = firsts.get(delivered.batch()) + delivered.batch().count();
          if (sender.view != null) {
            senders.get(delivered.batch().sender()).due.merge(sender.view.id(), next, Math::max);
          }
        }
        case Installed installed -> {
          sender.view = installed.view();
          sender.owed = sender.view.primary() ? 0 : sender.dueBefore(sender.view.id());
        }
        case Undecided undecided -> tell(history, undecided, sender, report);
        case HistoryEvent.Crashed _ -> sender.owed = 0;
        default -> {}
      }
      boolean late = !(event instanceof Installed) && sender.owed > Math.max(sender.told, sender.decided);
      if (late) {
        report.accept(
            history.name(event.member())
                + " was in a view that is not primary, and not told that its messages from "
                + Math.max(sender.told, sender.decided)
                + " to "
                + sender.owed
                + " are undecided, before "
                + event);
        sender.owed = 0;
      }
    }
  }

  private static void tell(History history, Undecided undecided, Sender sender, Consumer<String> report) {
    long told = sender.decided + undecided.messages();
    if (told > sender.submitted || told < sender.told) {
      report.accept(
          history.name(undecided.member())
              + " was told "
              + undecided
              + ", with "
              + sender.decided
              + " decided of "
              + sender.submitted
              + " and "
              + sender.told
              + " told");
    }
    sender.told = told;
  }
}
