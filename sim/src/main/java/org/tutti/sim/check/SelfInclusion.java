package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.MemberId;

/// A member is in every view that it installs.
public record SelfInclusion() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    for (Stay stay : stays.all()) {
      MemberId self = history.members().get(stay.member());
      if (!stay.view().contains(self)) {
        report.accept(history.name(stay.member()) + " installed " + stay.view() + ", in which it is not");
      }
    }
  }
}
