package org.tutti.sim.mutant;

import java.util.List;
import java.util.stream.Stream;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;
import org.tutti.sim.mutant.Edit.Change.Twice;

/// All planted bugs.
public final class Mutants {
  /// How many seeds may pass until a bug is found.
  public static final int SEEDS_MAX = 240;

  private static final List<Mutant> SHARED =
      List.of(
          new Mutant(
                  "deliver-without-quorum",
                  "uniform delivery does not wait for a quorum",
                  "order.Stability",
                  "heldByQuorum",
                  new Return(Long.MAX_VALUE))
              .in(RunKind.SPLITS),
          new Mutant(
              "acknowledge-unheld",
              "a member acknowledges places whose batches it does not have",
              "engine.PrimaryHistory",
              "writtenNext",
              new Redirect("Log.heldNext", "knownNext")),
          new Mutant(
              "skip-cut",
              "a view change does not deliver the end of the old view",
              "engine.PrimaryHistory",
              "end",
              new Return(0)),
          new Mutant(
              "merge-without-cut",
              "a primary view goes on from what is decided, not from all that its members have",
              "membership.Flush",
              "primary",
              new Redirect("CutBuilder.whole", "decided")),
          new Mutant(
              "minority-delivers-all",
              "who goes to a non-primary view delivers what is not decided",
              "membership.Flush",
              "decidedCuts",
              new Redirect("CutBuilder.decided", "whole")),
          new Mutant(
              "hide-absence",
              "who comes back with a state is not shown that it was left out",
              "engine.Deliveries",
              "showAbsence",
              new Return(0)),
          new Mutant(
              "no-doubt",
              "who goes to a non-primary view is not told that its multicasts are undecided",
              "engine.Deliveries",
              "changed",
              new Drop("Deliveries.tellUndecided", 0)),
          new Mutant(
              "primary-without-majority",
              "any members may make the next primary view",
              "membership.Flush",
              "hasQuorum",
              new Return(1)),
          new Mutant(
              "ignore-electorate",
              "a primary view needs no majority of the configured set",
              "membership.Flush",
              "isAllowed",
              new Return(1)),
          new Mutant(
              "half-without-senior",
              "half of a view is enough without its senior member",
              "membership.DynamicLinearVoting",
              "isQuorum",
              new Drop("test", 1)),
          new Mutant(
              "ignore-promises",
              "a member answers proposals lower than it promised",
              "membership.Promise",
              "isBelow",
              new Return(1)),
          new Mutant(
              "reuse-ballot",
              "a proposer uses an epoch again",
              "membership.ViewAgreement",
              "nextBallot",
              new Drop("max", 6)),
          new Mutant(
                  "forget-accepted",
                  "a proposer ignores what was accepted and not finished",
                  "membership.Flush",
                  "unfinished",
                  new Return(0))
              .in(RunKind.SPLITS),
          new Mutant(
              "announce-before-accepted",
              "a proposer announces a view before all have accepted it",
              "membership.Proposer",
              "accepted",
              new Drop("List.isEmpty", 1)),
          new Mutant(
              "no-wedge",
              "a member goes on in its view after it has reported",
              "engine.AgreementHost",
              "wedge",
              new Return(0)),
          new Mutant(
              "forget-undecided",
              "own batches that a view change left out are not sent again",
              "engine.MulticastSender",
              "resend",
              new Return(0)),
          new Mutant(
              "any-view", "messages of other views are taken", "engine.ViewFilter", "inView", new Drop("equals", 1)),
          new Mutant(
              "deliver-before-state",
              "a newcomer delivers before its state is here",
              "engine.Deliveries",
              "deliver",
              new Fix(3, false)),
          new Mutant(
              "reader-not-told",
              "who reads a state is not told when it is cut off from the donor",
              "membership.StateTransfer",
              "part",
              new Drop("StateTransfer.interrupt", 0)),
          new Mutant(
              "state-unchecked",
              "a piece of a state comes twice, and nobody looks at length and checksum",
              List.of(
                  new Edit("org.tutti.membership.StateTransfer", "give", new Twice("Effects.send")),
                  new Edit("org.tutti.membership.StateTransfer", "chunk", new Drop("equals", 1)))),
          new Mutant(
              "forget-fate",
              "multicasts decided in a member's absence stay open",
              "engine.Deliveries",
              "started",
              new Drop("isEmpty", 1)),
          new Mutant(
              "drop-held-by-quorum",
              "batches are forgotten when a quorum holds them, not all",
              "engine.PrimaryHistory",
              "flush",
              new Redirect("Stability.heldByAll", "decidedNext")),
          new Mutant(
              "release-before-consumed",
              "the window opens before all have consumed",
              "engine.PrimaryHistory",
              "flush",
              new Redirect("Stability.consumedByAll", "heldByAll")),
          new Mutant(
              "link-never-repeats",
              "lost packets are not sent again",
              List.of(
                  new Edit("org.tutti.link.OutStream", "retransmit", new Drop("repeat", 1)),
                  new Edit("org.tutti.link.OutStream", "resendHoles", new Return(0)))),
          new Mutant(
              "link-takes-repetitions",
              "a packet that came before is taken again",
              "link.InStream",
              "take",
              new Fix(0, false)),
          new Mutant(
              "link-loses-long-messages",
              "a message of several packets is not handed up",
              "link.InStream",
              "assemble",
              new Drop("Consumer.accept", 0)),
          new Mutant(
              "reuse-unconsumed",
              "a batch's buffer is used again before its application has consumed it",
              "engine.PrimaryHistory",
              "dropped",
              new Fix(0, true)),
          new Mutant("ignore-checksum", "damaged frames are read", "link.Links", "arrived", new Drop("checksum", 0)),
          new Mutant(
              "suspect-for-ever", "who is heard again stays suspected", "detector.TimeSilence", "heard", new Return(0)),
          new Mutant(
              "never-call", "parts of a group do not look for each other", "membership.Merge", "call", new Return(0)));

  private Mutants() {}

  /// All planted bugs.
  ///
  /// @return in the order of the table
  public static List<Mutant> all() {
    return Stream.of(
            SHARED,
            MembershipMutants.all(),
            OrderingMutants.all(),
            ServiceMutants.all(),
            BranchMutants.all(),
            ExchangeMutants.all(),
            DurabilityMutants.all())
        .flatMap(List::stream)
        .toList();
  }

  /// Finds a bug by its name.
  ///
  /// @param name as on the command line
  /// @return the mutant
  /// @throws IllegalArgumentException when there is none
  public static Mutant named(String name) {
    return all().stream()
        .filter(mutant -> mutant.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such mutant: " + name));
  }
}
