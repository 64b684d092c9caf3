package org.tutti.sim.check;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.sim.check.HistoryEvent.Branched;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Early;

/// No message is delivered both in a branch and in the history of the primary views, nor in two branches. Only
/// messages that are long enough to be told from all others are looked at.
public record BranchApart() implements Checker {
  private static final int LENGTH_MIN = Long.BYTES;

  private record Message(int sender, long hash, int length) {}

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<Message, Content> batches = new HashMap<>(); // looked up only
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case Branched branched -> compare(history, branched.member(), branched.batch(), batches, report);
        case Delivered delivered -> compare(history, delivered.member(), delivered.batch(), batches, report);
        case Early early -> compare(history, early.member(), early.batch(), batches, report);
        default -> {}
      }
    }
  }

  private static void compare(
      History history, int member, Content batch, Map<Message, Content> batches, Consumer<String> report) {
    for (int i = 0; i < batch.count(); i++) {
      if (batch.length(i) >= LENGTH_MIN) {
        var message = new Message(batch.sender(), batch.hash(i), batch.length(i));
        Content first = batches.putIfAbsent(message, batch);
        if (first != null && first != batch) {
          report.accept(
              history.name(member) + " delivered message " + i + " of " + batch + ", which is also in " + first);
          return;
        }
      }
    }
  }
}
