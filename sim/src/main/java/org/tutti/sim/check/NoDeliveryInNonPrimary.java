package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.View;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Installed;

/// Nothing is delivered before the first view or in a view that is not primary (B4).
public record NoDeliveryInNonPrimary() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    var current = new View[history.members().size()];
    for (Happening happening : history.happenings()) {
      switch (happening) {
        case Installed installed -> current[installed.member()] = installed.view();
        case Delivered delivered -> {
          View view = current[delivered.member()];
          if (view == null || !view.primary()) {
            String where = view == null ? "before its first view" : "in " + view;
            report.accept(history.name(delivered.member()) + " delivered " + delivered.index() + " " + where);
          }
        }
        default -> {}
      }
    }
  }
}
