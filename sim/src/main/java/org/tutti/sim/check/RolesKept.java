package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.View;

/// A member that joined as an observer is one in every view that lists it, a voter in none. One that has no state
/// transfer in a group with it is an observer from the first view by which it is in the group's history: before, nobody
/// knows. So no role changes, and the most senior member of a primary view votes.
public record RolesKept() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    for (Stay stay : stays.all()) {
      View view = stay.view();
      for (MemberId member : view.members()) {
        Role role = history.role(history.ordinalOf(member));
        boolean open = role == Role.STATELESS && !view.primary();
        if (!open && view.isObserver(member) == (role == Role.VOTER)) {
          report.accept(history.name(history.ordinalOf(member)) + " joined as " + role + ", but is in " + view);
        }
      }
    }
  }
}
