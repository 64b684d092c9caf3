package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.View;

/// Members that install a view of one id install the same list, flag and predecessors; no view lists two lives of one
/// name.
public record ViewsAgree() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (List<ViewInterval> together : intervals.byView().values()) {
      ViewInterval first = together.getFirst();
      for (ViewInterval other : together) {
        View view = other.view();
        if (!view.equals(first.view())) {
          report.accept(
              history.name(first.member())
                  + " installed "
                  + first.view()
                  + " from "
                  + first.view().predecessors()
                  + ", "
                  + history.name(other.member())
                  + " "
                  + view
                  + " from "
                  + view.predecessors());
        }
      }
      List<MemberId> members = first.view().members();
      if (members.stream().anyMatch(one -> members.stream().anyMatch(one::supersedes))) {
        report.accept(history.name(first.member()) + " installed two lives of one name: " + first.view());
      }
    }
  }
}
