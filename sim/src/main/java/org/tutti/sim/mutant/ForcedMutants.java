package org.tutti.sim.mutant;

import java.util.List;
import java.util.stream.Stream;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Invert;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Planted bugs in what keeps a history that was forced apart from the one that it replaces.
final class ForcedMutants {
  static final List<Mutant> ALL =
      Stream.of(
              new Mutant(
                  "one-lineage",
                  "who is in a replaced history takes part with those of the forced one",
                  "membership.Lineage",
                  "differ",
                  new Return(0)),
              new Mutant(
                  "replaced-overrules",
                  "a replaced history goes on, and the forced one gives way",
                  "membership.Lineage",
                  "isOlderThan",
                  new Invert(6)))
          .map(mutant -> mutant.in(RunKind.FORCED))
          .toList();

  private ForcedMutants() {}
}
