package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.View;

/// Nobody votes whose certificate is only for observers: no view lists it as a voter, but one in which it is alone and
/// that is not primary, as it founds a group with nobody.
public record EntitledVoters() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (ViewInterval interval : intervals.all()) {
      View view = interval.view();
      boolean alone = view.size() == 1 && !view.primary();
      for (MemberId member : view.members().subList(0, alone ? 0 : view.voters())) {
        int ordinal = history.ordinalOf(member);
        if (!history.mayVote(ordinal)) {
          report.accept(history.name(ordinal) + " has a certificate for observers only, and votes in " + view);
        }
      }
    }
  }
}
