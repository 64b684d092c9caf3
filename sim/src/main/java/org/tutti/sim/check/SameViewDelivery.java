package org.tutti.sim.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.sim.check.Happening.Delivered;

/// Uniform groups: whoever delivers a batch on time delivers it in the same primary view; with [UniformAgreement],
/// which bounds late deliveries by their index, all deliveries of a message belong to one primary view.
public record SameViewDelivery() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    if (history.guarantee() != Guarantee.UNIFORM) {
      return;
    }
    Map<Content, Stay> places = new HashMap<>();
    for (List<Stay> together : stays.byView().values()) {
      for (Stay stay : together) {
        for (Delivered delivered : stay.onTime()) {
          Stay first = places.putIfAbsent(delivered.batch(), stay);
          if (first != null && !first.view().id().equals(stay.view().id())) {
            report.accept(
                history.name(first.member())
                    + " delivered "
                    + delivered.batch()
                    + " in "
                    + first.view()
                    + ", "
                    + history.name(stay.member())
                    + " in "
                    + stay.view());
          }
        }
      }
    }
  }
}
