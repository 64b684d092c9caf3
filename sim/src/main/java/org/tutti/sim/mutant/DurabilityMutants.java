package org.tutti.sim.mutant;

import java.util.List;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Fix;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs planted where members go to stable storage and come back from it.
final class DurabilityMutants {
  private static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "acknowledge-unwritten",
              "a member acknowledges and delivers what it has not written",
              "engine.Journal",
              "next",
              new Return(Long.MAX_VALUE)),
          new Mutant("never-force", "what is written is never forced", "engine.NodeEngine", "commit", new Fix(3, true)),
          new Mutant(
              "deliver-end-unwritten",
              "the end of a view's history is delivered before it is written",
              "engine.PrimaryHistory",
              "end",
              new Drop("StorageProgress.adopted", 0)),
          new Mutant(
              "forget-promise",
              "a restarted member does not keep to the ballots that it had promised",
              "membership.InitialState",
              "of",
              new Drop("ViewId.epoch", 0)),
          new Mutant(
                  "forget-acceptance",
                  "a restarted member does not know what it had accepted",
                  "membership.Chain",
                  "<init>",
                  new Drop("PersistentState.accepted", 0))
              .in(RunKind.SPLITS),
          new Mutant(
              "stand-without-log",
              "a restarted member counts, but has nothing of the history",
              "engine.PrimaryHistory",
              "resume",
              new Return(0)),
          new Mutant(
              "stand-for-nobody",
              "a restarted member does not count for its earlier lives",
              "membership.PersistentState",
              "identity",
              new Drop("List.add", 0)),
          new Mutant(
              "found-anew",
              "a group is founded in spite of what the storage knows",
              "engine.Restart",
              "read",
              new Drop("PersistentState.knowsHistory", 0)),
          new Mutant(
              "drop-before-persisted",
              "the log is dropped before the application has made its state durable",
              "engine.Journal",
              "trim",
              new Redirect("Math.min", "max")));

  private DurabilityMutants() {}

  static List<Mutant> all() {
    return ALL;
  }
}
