package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.MemberId;

/// A member is in every view that it installs, and never beside an earlier life of itself (B1).
public record SelfInclusion() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    for (Stay stay : stays.all()) {
      MemberId self = history.members().get(stay.member());
      if (!stay.view().contains(self)) {
        report.accept(history.name(stay.member()) + " installed " + stay.view() + ", in which it is not");
      }
      for (MemberId member : stay.view().members()) {
        if (stay.view().members().stream().anyMatch(other -> other.supersedes(member))) {
          report.accept(history.name(stay.member()) + " installed two lives of one node: " + stay.view());
        }
      }
    }
  }
}
