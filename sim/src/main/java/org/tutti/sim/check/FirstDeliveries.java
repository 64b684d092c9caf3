package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/// When each member delivered each batch for the first time.
final class FirstDeliveries {
  private final List<Map<Content, Integer>> first = new ArrayList<>(); // by member; looked up only
  private final Map<ViewInterval, Integer> starts = new IdentityHashMap<>(); // looked up only

  FirstDeliveries(History history, ViewIntervals intervals) {
    history.members().forEach(_ -> first.add(new HashMap<>()));
    Iterator<ViewInterval> arrivals = intervals.all().iterator();
    int at = 0;
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case HistoryEvent.Installed _ -> starts.put(arrivals.next(), at);
        case HistoryEvent.Early early -> first.get(early.member()).putIfAbsent(early.batch(), at);
        case HistoryEvent.Delivered delivered -> first.get(delivered.member()).putIfAbsent(delivered.batch(), at);
        default -> {}
      }
      at++;
    }
  }

  /// Whether the member had delivered a batch before it installed the view.
  boolean isBefore(ViewInterval interval, Content batch) {
    Integer when = first.get(interval.member()).get(batch);
    return when != null && when < starts.get(interval);
  }
}
