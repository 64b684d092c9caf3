package org.tutti.sim.check;

import java.util.function.Consumer;

/// The ids of the views that a member installs rise.
public record MonotoneViews() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    for (Stay stay : stays.all()) {
      Stay next = stay.next();
      if (next != null && next.view().id().compareTo(stay.view().id()) <= 0) {
        report.accept(history.name(stay.member()) + " installed " + next.view() + " after " + stay.view());
      }
    }
  }
}
