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
  private final Map<Stay, Integer> starts = new IdentityHashMap<>(); // looked up only

  FirstDeliveries(History history, Stays stays) {
    history.members().forEach(_ -> first.add(new HashMap<>()));
    Iterator<Stay> arrivals = stays.all().iterator();
    int at = 0;
    for (Happening happening : history.happenings()) {
      switch (happening) {
        case Happening.Installed _ -> starts.put(arrivals.next(), at);
        case Happening.Early early -> first.get(early.member()).putIfAbsent(early.batch(), at);
        case Happening.Delivered delivered -> first.get(delivered.member()).putIfAbsent(delivered.batch(), at);
        default -> {}
      }
      at++;
    }
  }

  /// Whether the member had delivered a batch before it installed the view.
  boolean isBefore(Stay stay, Content batch) {
    Integer when = first.get(stay.member()).get(batch);
    return when != null && when < starts.get(stay);
  }
}
