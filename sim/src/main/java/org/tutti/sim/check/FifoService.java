package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.Service;

/// Nobody delivers a FIFO message after a later one of the same sender.
///
/// A member that begins anew with a state, or after agreed deliveries that are lost, counts from there.
public record FifoService() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    boolean agreed = history.guarantee() == Guarantee.AGREED;
    List<Map<Integer, Content>> last = new ArrayList<>(); // by member and sender; looked up only
    history.members().forEach(_ -> last.add(new HashMap<>()));
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case HistoryEvent.Begun(int member, _, _, _) when agreed || history.stateTransfer(member) ->
            last.get(member).clear();
        case HistoryEvent.Early early -> take(history, early.member(), early.batch(), last, report);
        case HistoryEvent.Delivered delivered when !delivered.again() ->
            take(history, delivered.member(), delivered.batch(), last, report);
        default -> {}
      }
    }
  }

  private static void take(
      History history, int member, Content batch, List<Map<Integer, Content>> last, Consumer<String> report) {
    if (batch.service() == Service.FIFO) {
      Content before = last.get(member).put(batch.sender(), batch);
      if (before != null && before.seq() >= batch.seq()) {
        report.accept(history.name(member) + " delivered " + batch + " after " + before);
      }
    }
  }
}
