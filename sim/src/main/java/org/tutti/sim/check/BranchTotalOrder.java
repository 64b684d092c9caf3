package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.DynamicLinearVoting;

/// What the members of a branch deliver while it goes on is one sequence: of two members one has a beginning of the
/// other's. In uniform groups, whatever one of them has delivered so is in the beginning of what is delivered by those
/// who go on with a quorum of the branch.
public record BranchTotalOrder() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    for (List<ViewInterval> together : intervals.byView().values()) {
      List<ViewInterval> there =
          together.stream().filter(interval -> !interval.view().primary() && !interval.isShownLate()).toList();
      ViewInterval furthest = null;
      for (ViewInterval interval : there) {
        if (furthest != null) {
          compare(history, interval, furthest, report);
        }
        if (furthest == null || meanwhile(history, interval).size() > meanwhile(history, furthest).size()) {
          furthest = interval;
        }
      }
      if (furthest != null && history.guarantee() == Guarantee.UNIFORM) {
        goOn(history, furthest, there, report);
      }
    }
  }

  private static void compare(History history, ViewInterval one, ViewInterval other, Consumer<String> report) {
    int common = Math.min(meanwhile(history, one).size(), meanwhile(history, other).size());
    if (!one.branched().subList(0, common).equals(other.branched().subList(0, common))) {
      differ(history, one, other, report);
    }
  }

  /// What was delivered before the branch ended.
  private static List<Content> meanwhile(History history, ViewInterval interval) {
    return interval.branched().subList(0, interval.branchedMeanwhile(history.isInDomain()));
  }

  private static void goOn(History history, ViewInterval furthest, List<ViewInterval> there, Consumer<String> report) {
    SortedMap<ViewId, List<ViewInterval>> ways = new TreeMap<>();
    for (ViewInterval interval : there) {
      if (interval.next() != null) {
        ways.computeIfAbsent(interval.next().view().id(), _ -> new ArrayList<>()).add(interval);
      }
    }
    View view = furthest.view();
    for (List<ViewInterval> way : ways.values()) {
      var members = way.stream().map(interval -> history.members().get(interval.member())).toList();
      if (new DynamicLinearVoting().isQuorum(view, rank -> members.contains(view.members().get(rank)))) {
        for (ViewInterval interval : way) {
          List<Content> all = interval.branched();
          List<Content> had = meanwhile(history, furthest);
          if (all.size() < had.size() || !all.subList(0, had.size()).equals(had)) {
            differ(history, interval, furthest, report);
          }
        }
      }
    }
  }

  private static void differ(History history, ViewInterval one, ViewInterval other, Consumer<String> report) {
    report.accept(
        "in the branch of "
            + one.view()
            + " "
            + history.name(one.member())
            + " delivered "
            + one.branched()
            + ", "
            + history.name(other.member())
            + " "
            + other.branched()
            + ", of which "
            + meanwhile(history, other).size()
            + " while it went on");
  }
}
