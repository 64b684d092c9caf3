package org.tutti.sim.check;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// Uniform groups: whoever delivers at an index, ever, delivers the same batch there, at the same position.
public record UniformTotalOrder() implements Checker {
  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    if (history.guarantee() != Guarantee.UNIFORM) {
      return;
    }
    Map<Long, Delivered> places = new HashMap<>();
    for (HistoryEvent event : history.events()) {
      if (event instanceof Delivered delivered) {
        Delivered first = places.putIfAbsent(delivered.index(), delivered);
        if (first != null && (first.batch() != delivered.batch() || first.position() != delivered.position())) {
          report.accept(
              "at "
                  + delivered.index()
                  + " "
                  + history.name(first.member())
                  + " delivered "
                  + first.batch()
                  + " @"
                  + first.position()
                  + ", "
                  + history.name(delivered.member())
                  + " "
                  + delivered.batch()
                  + " @"
                  + delivered.position());
        }
      }
    }
  }
}
