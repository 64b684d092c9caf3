package org.tutti.sim.mutant;

import java.util.List;
import java.util.stream.Stream;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Redirect;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Bugs that are planted in calls among the members of a group.
final class CallMutants {
  static final List<Mutant> ALL =
      Stream.of(
              bug(
                  "calls-wait-for-the-departed",
                  "a caller waits for members that have left",
                  "installed",
                  new Drop("Consolidator.live", 0)),
              bug(
                  "calls-skip-in-silence",
                  "a newcomer does not say which calls it never answers",
                  "resumed",
                  new Drop("announce", 0)),
              bug(
                  "calls-skipped-are-awaited",
                  "a caller does not heed who never answers",
                  "delivered",
                  new Drop("Consolidator.silent", 0)),
              bug("calls-replies-forgotten", "a member executes and does not answer", "answered", new Return(0)),
              bug(
                  "calls-ask-observers",
                  "a caller waits for observers, too",
                  "reached",
                  new Redirect("View.voting", "size")),
              bug(
                  "calls-of-others-count",
                  "a reply to another caller counts",
                  "delivered",
                  new Drop("MemberId.equals", 1)),
              bug("calls-are-never-late", "no deadline is kept", "tick", new Return(0)))
          .toList();

  private CallMutants() {}

  private static Mutant bug(String name, String breaks, String method, Change change) {
    return new Mutant(name, breaks, "replica.protocol.GroupCallProtocol", method, change).in(RunKind.CALLS);
  }
}
