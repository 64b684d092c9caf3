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
  public void check(History history, Stays stays, Consumer<String> report) {
    for (List<Stay> together : stays.byView().values()) {
      List<Stay> there = together.stream().filter(stay -> !stay.view().primary() && !stay.isShownLate()).toList();
      Stay furthest = null;
      for (Stay stay : there) {
        if (furthest != null) {
          compare(history, stay, furthest, report);
        }
        if (furthest == null || meanwhile(history, stay).size() > meanwhile(history, furthest).size()) {
          furthest = stay;
        }
      }
      if (furthest != null && history.guarantee() == Guarantee.UNIFORM) {
        goOn(history, furthest, there, report);
      }
    }
  }

  private static void compare(History history, Stay one, Stay other, Consumer<String> report) {
    int common = Math.min(meanwhile(history, one).size(), meanwhile(history, other).size());
    if (!one.branched().subList(0, common).equals(other.branched().subList(0, common))) {
      differ(history, one, other, report);
    }
  }

  /// What was delivered before the branch ended.
  private static List<Content> meanwhile(History history, Stay stay) {
    return stay.branched().subList(0, stay.branchedMeanwhile(history.isInDomain()));
  }

  private static void goOn(History history, Stay furthest, List<Stay> there, Consumer<String> report) {
    SortedMap<ViewId, List<Stay>> ways = new TreeMap<>();
    for (Stay stay : there) {
      if (stay.next() != null) {
        ways.computeIfAbsent(stay.next().view().id(), _ -> new ArrayList<>()).add(stay);
      }
    }
    View view = furthest.view();
    for (List<Stay> way : ways.values()) {
      var members = way.stream().map(stay -> history.members().get(stay.member())).toList();
      if (new DynamicLinearVoting().isQuorum(view, rank -> members.contains(view.members().get(rank)))) {
        for (Stay stay : way) {
          List<Content> all = stay.branched();
          List<Content> had = meanwhile(history, furthest);
          if (all.size() < had.size() || !all.subList(0, had.size()).equals(had)) {
            differ(history, stay, furthest, report);
          }
        }
      }
    }
  }

  private static void differ(History history, Stay one, Stay other, Consumer<String> report) {
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
