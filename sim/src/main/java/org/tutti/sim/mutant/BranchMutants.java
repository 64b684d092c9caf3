package org.tutti.sim.mutant;

import java.util.List;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs planted in branches, and in how they end.
final class BranchMutants {
  private static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "branch-without-cut",
              "a branch ends without what its members have of it, but have not delivered",
              "engine.Branch",
              "end",
              new Drop("PrimaryHistory.end", 0)),
          new Mutant(
              "branch-ends-where-decided",
              "what is not decided when a branch ends is forgotten",
              "membership.Flush",
              "branchCuts",
              new Redirect("CutBuilder.whole", "decided")),
          new Mutant(
              "history-in-branch",
              "the history of the primary view goes on in a view that is not",
              List.of(
                  new Edit("org.tutti.engine.ViewFilter", "acting", new Fix(0, false)),
                  new Edit("org.tutti.engine.LastHistory", "acting", new Fix(0, false)))),
          new Mutant(
              "branch-as-history",
              "what is delivered in a branch is taken for a part of the history",
              "engine.Branch",
              "deliver",
              new Redirect("GroupUser.deliverInBranch", "deliverEarly")),
          new Mutant(
              "branch-numbers-again",
              "a batch of a branch gets a number that its sender has used there",
              "engine.MulticastSender",
              "sendInBranch",
              new Redirect("Branch.sentNext", "deliveredNext")),
          new Mutant(
              "branch-keeps-window",
              "what was multicast in a branch that is over takes room in the window for ever",
              "engine.Branch",
              "end",
              new Drop("consumedByAll", 0)),
          new Mutant(
                  "branch-not-shown",
                  "a member that waits in vain for a state takes part in a branch and is not shown the view",
                  List.of(
                      new Edit("org.tutti.engine.GroupEngine", "installed", new Drop("isShowing", 1)),
                      new Edit("org.tutti.engine.Deliveries", "stranded", new Return(0))))
              .in(RunKind.SPLITS),
          new Mutant(
              "branch-goes-on",
              "a branch goes on after its members have reported",
              "engine.AgreementHost",
              "wedge",
              new Drop("Branch.stop", 0)),
          new Mutant(
                  "branch-end-unfetched",
                  "a member follows from a branch without the batches of its end",
                  List.of(
                      new Edit("org.tutti.membership.CutRecovery", "endsBranch", new Return(1)),
                      new Edit("org.tutti.membership.CutRecovery", "branchCutOf", new Return(0))))
              .in(RunKind.SPLITS));

  private BranchMutants() {}

  static List<Mutant> all() {
    return ALL;
  }
}
