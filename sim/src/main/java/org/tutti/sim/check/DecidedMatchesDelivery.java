package org.tutti.sim.check;

import java.util.Map;
import java.util.function.Consumer;
import org.tutti.sim.check.HistoryEvent.Decided;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// A sender is told of each of its multicasts once, in order, right before it has its place and with its position; -1
/// only for messages of weak services, and for what somebody else delivered while it was away.
public record DecidedMatchesDelivery() implements Checker {
  private static final class Sender {
    long decided; // messages of which it was told
    long submitted;
    Decided open; // told, and the delivery is yet to come
    Decided last; // told at all
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    int members = history.members().size();
    var senders = new Sender[members];
    for (int i = 0; i < members; i++) {
      senders[i] = new Sender();
    }
    Map<Content, Long> firsts = history.firstMessages();
    for (HistoryEvent event : history.events()) {
      Sender sender = senders[event.member()];
      switch (event) {
        case HistoryEvent.Submitted _ -> sender.submitted++;
        case Decided decided -> {
          if (sender.open != null) {
            report.accept(history.name(decided.member()) + " was told of " + sender.open + " without delivery");
          }
          sender.open = decided.position() < 0 ? null : decided;
          sender.last = decided;
          sender.decided += decided.messages();
          if (sender.decided > sender.submitted) {
            report.accept(history.name(decided.member()) + " was told of more than it multicast: " + decided);
          }
        }
        case Delivered delivered when isOwn(delivered) -> deliver(history, delivered, sender, firsts, report);
        default -> {}
      }
    }
  }

  /// A batch without messages tells nobody anything.
  private static boolean isOwn(Delivered delivered) {
    return delivered.batch().sender() == delivered.member() && delivered.batch().count() > 0;
  }

  private static void deliver(
      History history, Delivered delivered, Sender sender, Map<Content, Long> firsts, Consumer<String> report) {
    boolean weak = delivered.batch().isWeak();
    Decided told = weak ? sender.last : sender.open;
    sender.open = null;
    sender.last = null;
    int count = delivered.batch().count();
    if (told == null || told.position() != (weak ? -1 : delivered.position()) || told.messages() != count) {
      report.accept(history.name(delivered.member()) + " delivered its own " + delivered + ", but was told " + told);
    } else if (firsts.getOrDefault(delivered.batch(), -1L) != sender.decided - count) {
      report.accept(
          history.name(delivered.member())
              + " was told that message "
              + (sender.decided - count)
              + " is at "
              + told.position()
              + ", but there is "
              + delivered.batch());
    }
  }
}
