package org.tutti.sim.mutant;

import java.util.List;
import org.tutti.sim.RunKind;
import org.tutti.sim.SingleFault;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs planted where members come in.
final class MembershipMutants {
  private static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "take-over-names",
              "a later life of a name takes the place of a member that is heard",
              List.of(
                  new Edit("org.tutti.engine.GroupEngine", "alive", new Redirect("MemberId.replaces", "supersedes")),
                  new Edit(
                      "org.tutti.membership.NamesInUse", "judge", new Redirect("MemberId.replaces", "supersedes")))),
          new Mutant(
              "found-alone",
              "each of several expected members founds a history",
              "membership.InitialState",
              "of",
              new Drop("Founding.isJoint", 0)),
          new Mutant(
              "found-without-majority",
              "any of the expected members found the group",
              "membership.Flush",
              "hasQuorum",
              new Drop("Stream.count", Short.MAX_VALUE)),
          new Mutant(
              "found-by-fewer",
              "any number of members founds a group that expects a certain one",
              "membership.Flush",
              "founders",
              new Drop("Stream.count", Short.MAX_VALUE)),
          new Mutant(
                  "new-lives-vote",
                  "a life that has forgotten what an earlier one promised and held counts by its name",
                  "membership.Flush",
                  "remembers",
                  new Return(1))
              .in(RunKind.STATIC_MAJORITY),
          new Mutant(
                  "majority-of-those-present",
                  "one of the electorate is enough, as it is a majority of those who are there",
                  "membership.Electorate",
                  "isMajority",
                  new Drop("size", 1))
              .in(RunKind.STATIC_MAJORITY),
          new Mutant(
                  "forget-absentees",
                  "what absentees have accepted is ignored, although their votes count",
                  "membership.Flush",
                  "unfinished",
                  new Redirect("deciders", "electors"))
              .in(RunKind.LONELY_ANNOUNCEMENTS),
          new Mutant(
                  "observers-vote",
                  "observers count for quorums",
                  "membership.PrimaryRule",
                  "voting",
                  new Redirect("View.voting", "size"))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "wait-for-observers",
                  "a sender's window waits for observers",
                  "order.Stability",
                  "<init>",
                  new Redirect("View.voting", "size"))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "observer-first",
                  "an observer may be more senior than a voter",
                  "membership.Flush",
                  "byRole",
                  new Return(0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "last-voter-stays",
                  "the last voter stays in view after view, as nobody else has the state",
                  "membership.Flush",
                  "isLastVoterLeaving",
                  new Return(0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "merge-one-by-one",
                  "after a split each part takes in the first one that it meets",
                  "membership.MergeCandidates",
                  "isDue",
                  new Return(1))
              .inRecoveryFrom(SingleFault.SCATTERED),
          new Mutant(
                  "deaf-to-departures",
                  "who is left behind by a member that hears nobody waits for it",
                  "membership.Merge",
                  "heard",
                  new Drop("PeerStates.wentTo", 0))
              .inRecoveryFrom(SingleFault.SENIOR_DEAF),
          new Mutant(
                  "refute-for-ever",
                  "two members that do not reach each other hold up the group as long as others hear both",
                  "membership.Refutation",
                  "isOver",
                  new Return(0))
              .inRecoveryFrom(SingleFault.TWO_APART),
          new Mutant(
              "waits-of-before",
              "who was waited for in the view before still is",
              "engine.StatusTracker",
              "tell",
              new Drop("Standstill.newView", 0)),
          new Mutant(
              "caught-up-without-state",
              "a newcomer is told that it is caught up before it has the state",
              "engine.Deliveries",
              "tellCaughtUp",
              new Fix(1, false)),
          new Mutant(
                  "join-whatever-is-there",
                  "who joins a group that is not as expected takes part in it",
                  "engine.NodeEngine",
                  "objection",
                  new Return(0))
              .in(RunKind.OBSERVED),
          new Mutant(
                  "call-nobody-back",
                  "who joins does not call whoever calls it",
                  "engine.Newcomer",
                  "heard",
                  new Return(0))
              .in(RunKind.MIXED),
          new Mutant(
              "forget-early-wishes",
              "what the application asks for before the group is known is forgotten",
              "engine.Newcomer",
              "wish",
              new Return(0)),
          new Mutant("wait-for-nobody", "who waits does not say for whom", "engine.Standstill", "add", new Return(0)),
          new Mutant(
                  "no-absentees",
                  "only who is in the last primary view decides what follows it",
                  "membership.StaticMajority",
                  "absentees",
                  new Drop("isZero", 1))
              .in(RunKind.STATIC_MAJORITY));

  private MembershipMutants() {}

  static List<Mutant> all() {
    return ALL;
  }
}
