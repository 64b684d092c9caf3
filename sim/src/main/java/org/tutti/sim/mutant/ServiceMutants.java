package org.tutti.sim.mutant;

import java.util.List;
import org.tutti.Ordering;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs planted in the weak services and in what total order owes to causality.
final class ServiceMutants {
  private static final String EARLY = "org.tutti.engine.EarlyDeliveries";

  private static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "causal-on-arrival",
              "a causal message does not wait for what its sender had delivered",
              "engine.EarlyDeliveries",
              "isReady",
              new Return(1)),
          new Mutant(
              "causal-before-total",
              "a causal message does not wait for totally ordered ones",
              List.of(
                  new Edit(EARLY, "isReady", new Fix(1, true)), // the index that the past names
                  new Edit(EARLY, "isReady", new Fix(0, false)))), // the sender's own ones
          new Mutant(
                  "skip-waiting-room",
                  "a batch enters the log before what its sender had delivered",
                  "order.HoldBackQueue",
                  "next",
                  new Drop("Log.contains", 1))
              .in(Ordering.SEQUENCER),
          new Mutant(
              "past-says-nothing",
              "a batch does not say which causal ones its sender had delivered",
              "engine.EarlyDeliveries",
              "past",
              new Fix(3, true)),
          new Mutant(
                  "cut-by-rank",
                  "a view change appends what has no place without regard to causality",
                  "membership.CutBuilder",
                  "append",
                  new Drop("Tail$Lane.stamp", 0))
              .in(Ordering.SYMMETRIC),
          new Mutant(
              "forget-early",
              "what was delivered early is delivered again at its place",
              "engine.Deliveries",
              "deliver",
              new Drop("EarlyMarks.remove", 0)),
          new Mutant(
              "skip-not-delivered",
              "a weak batch is passed over at its place although it was not delivered",
              "engine.Deliveries",
              "deliver",
              new Drop("EarlyMarks.remove", 1)),
          new Mutant(
              "early-once-more",
              "a weak batch that is sent again in a later view is delivered again",
              "engine.Deliveries",
              "deliverEarly",
              new Drop("EarlyMarks.add", 1)),
          new Mutant(
              "early-before-state",
              "a newcomer delivers weak messages before its state is here",
              "engine.Deliveries",
              "deliverEarly",
              new Fix(1, false)),
          new Mutant(
              "early-outlives-state",
              "a member skips what it had delivered before it got a state that does not contain it",
              "engine.Deliveries",
              "restart",
              new Drop("EarlyMarks.clear", 0)));

  private ServiceMutants() {}

  static List<Mutant> all() {
    return ALL;
  }
}
