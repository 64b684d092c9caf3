package org.tutti.sim.mutant;

import java.util.ArrayList;
import java.util.List;
import org.tutti.Ordering;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs planted in the orderings, each looked for in runs with its ordering alone; and in switching between them.
final class OrderingMutants {
  private static final List<Mutant> SEQUENCER =
      List.of(
          new Mutant(
              "order-on-receipt",
              "every member numbers batches as they come",
              "order.FixedSequencer",
              "arrived",
              new Fix(0, false)),
          new Mutant(
              "sequencer-says-nothing",
              "the sequencer keeps its numbers to itself",
              "order.FixedSequencer",
              "flush",
              new Return(0)),
          new Mutant(
              "sequencer-repeats-itself",
              "places that were said are said again",
              "order.FixedSequencer",
              "flush",
              new Drop("List.clear", 0)));

  private static final List<Mutant> SKEEN =
      List.of(
          new Mutant(
              "skeen-lowest-proposal",
              "the sender decides for less than the highest proposal",
              "order.Skeen",
              "decide",
              new Redirect("max", "min")),
          new Mutant(
              "skeen-past-pending",
              "batches are placed past pending ones that may come before",
              "order.TimestampedLane",
              "lowest",
              new Fix(1, false)),
          new Mutant(
              "skeen-blind-clock",
              "a decided timestamp does not move the clock that later proposals are made with",
              "order.Skeen",
              "take",
              new Drop("witness", 0)));

  private static final List<Mutant> SUBSETS =
      List.of(
          new Mutant(
              "subset-lowest-proposal",
              "a subset multicast gets less than the highest proposal",
              "order.SubsetMulticasts",
              "decide",
              new Redirect("max", "min")),
          new Mutant(
              "subset-before-held",
              "a destination delivers a subset multicast before all others hold it",
              "order.SubsetMulticasts",
              "deliver",
              new Drop("isHeldByAll", 1)),
          new Mutant(
              "subset-passed-over",
              "places are delivered past subset multicasts that come before",
              "order.PendingSubsetMulticasts",
              "limit",
              new Return(Long.MAX_VALUE)),
          new Mutant(
              "subset-before-settled",
              "a subset multicast is held although batches may still come before it",
              "order.Skeen",
              "isPast",
              new Return(1)),
          new Mutant(
                  "subset-blind-clock",
                  "a subset multicast's timestamp does not move the clock that later proposals are made with",
                  "order.SubsetMulticasts",
                  "take",
                  new Drop("witness", 0))
              .in(RunKind.UNIQUE_NAMES),
          new Mutant(
              "cut-keeps-any-subset",
              "a view change keeps subset multicasts that a destination does not hold",
              "membership.CutBuilder",
              "isKept",
              new Drop("allMatch", 1)),
          new Mutant(
              "cut-drops-subsets",
              "a view change keeps no subset multicasts",
              "membership.CutBuilder",
              "isKept",
              new Return(0)),
          new Mutant(
              "subset-sent-twice",
              "a subset multicast that a view change keeps is sent again",
              "order.SubsetMulticasts",
              "isAmong",
              new Return(0)));

  private static final List<Mutant> SYMMETRIC =
      List.of(
          new Mutant(
              "place-without-hearing",
              "a batch has its place although a member may still send a lower stamp",
              "order.Symmetric",
              "isHeardPast",
              new Return(1)),
          new Mutant(
              "no-null-messages", "who has nothing to send says nothing", "order.Symmetric", "flush", new Return(0)),
          new Mutant(
              "null-messages-not-counted",
              "a member's clock without a batch does not count",
              "order.Symmetric",
              "receive",
              new Drop("Math.max", 0)),
          new Mutant(
              "clock-ignores-arrivals",
              "a member's stamps may be lower than those it has seen",
              "engine.PrimaryHistory",
              "received",
              new Drop("Clock.witness", 0)));

  private static final List<Mutant> CONSENSUS =
      List.of(
          new Mutant(
              "decide-without-acks",
              "a coordinator decides what no quorum has adopted",
              "consensus.ChandraToueg",
              "decideAdopted",
              new Drop("Predicate.test", 1)),
          new Mutant(
              "round-goes-back",
              "a member adopts in a round that it has left",
              "consensus.ChandraToueg",
              "isLeft",
              new Return(0)),
          new Mutant(
                  "lead-without-estimates",
                  "a member leads a round that only itself has entered",
                  "consensus.ChandraToueg",
                  "leadIfQuorum",
                  new Drop("Predicate.test", 1))
              .in(RunKind.SPLITS),
          new Mutant(
              "pass-over-missing",
              "a decided batch that is not here yet gets no place",
              "order.ConsensusOrder",
              "place",
              new Drop("ConsensusOrder.place", 1)));

  private static final List<Mutant> SWITCHING =
      List.of(
          new Mutant(
              "switch-forgets-waiting",
              "the new ordering does not get what has no place",
              "engine.OrderingEpochs",
              "settle",
              new Drop("TotalOrder.arrived", 0)),
          new Mutant(
              "switch-goes-on-placing",
              "the old ordering still gives places behind the switch",
              "engine.OrderingEpochs$Epoch",
              "place",
              new Fix(0, false)),
          new Mutant(
              "switch-stops-answering",
              "the old ordering does not answer members that have not switched",
              "engine.OrderingEpochs",
              "settle",
              new Drop("ArrayDeque.add", 1)));

  private static final List<Mutant> DOMAINS =
      List.of(
          new Mutant(
              "deliver-without-merging",
              "groups of a domain deliver without looking at each other",
              "engine.Domain",
              "isNext",
              new Return(1)),
          new Mutant(
              "send-without-turn",
              "a multicast does not wait for an earlier one in another group of the domain",
              "engine.Domain",
              "mayGoOn",
              new Return(1)),
          new Mutant(
              "frontier-forgets-undelivered",
              "a batch that is here and not delivered does not count for other groups",
              "order.Frontier",
              "bound",
              new Drop("Log.from", 0)),
          new Mutant(
                  "enter-behind-others",
                  "who comes in does not wait until the group is past what its other groups delivered meanwhile",
                  "engine.DomainMember",
                  "mayEnter",
                  new Return(1))
              .in(RunKind.OVERLAPS),
          new Mutant(
              "keys-without-stamps",
              "deliveries of a domain are compared by their groups alone",
              "engine.DomainMember",
              "deliver",
              new Drop("Math.max", 0)),
          new Mutant(
                  "fetched-without-stamp",
                  "the clock takes no notice of batches that a view change brings",
                  "engine.PrimaryHistory",
                  "supplied",
                  new Drop("Clock.witness", 0))
              .in(RunKind.OVERLAPS));

  private OrderingMutants() {}

  static List<Mutant> all() {
    List<Mutant> all = new ArrayList<>();
    SEQUENCER.forEach(mutant -> all.add(mutant.in(Ordering.SEQUENCER)));
    SKEEN.forEach(mutant -> all.add(mutant.in(Ordering.SKEEN)));
    SUBSETS.forEach(mutant -> all.add(mutant.in(Ordering.SKEEN)));
    CONSENSUS.forEach(mutant -> all.add(mutant.in(Ordering.CONSENSUS)));
    SYMMETRIC.forEach(mutant -> all.add(mutant.in(Ordering.SYMMETRIC)));
    all.addAll(SWITCHING);
    all.addAll(DOMAINS);
    return all;
  }
}
