package org.tutti.sim.mutant;

import java.util.List;
import java.util.stream.Stream;
import org.tutti.sim.RunKind;
import org.tutti.sim.mutant.Edit.Change.Drop;
import org.tutti.sim.mutant.Edit.Change.Return;

/// Planted bugs in which version of the protocol a group uses.
final class VersionMutants {
  static final List<Mutant> ALL =
      Stream.of(
              new Mutant(
                  "version-of-nobody",
                  "a group goes to a version whether or not its members have it",
                  List.of(
                      edit("SpokenVersions", "most", new Return(7)), edit("SpokenVersions", "speaks", new Return(1)))),
              new Mutant(
                  "version-falls",
                  "who lacks the version of the last primary view is taken in, and the group falls back for it",
                  List.of(
                      edit("Flush", "version", new Return(0)),
                      edit("GroupVersion", "mayJoin", new Return(1)),
                      edit("SpokenVersions", "speaks", new Return(1)))),
              new Mutant(
                  "version-stays",
                  "a group stays at its version when all have a higher one",
                  List.of(edit("SpokenVersions", "most", new Return(5)))),
              new Mutant(
                  "version-beyond-admitted",
                  "a group goes further than a member admits to",
                  List.of(new Edit("org.tutti.engine.NodeEngine", "<init>", new Drop("groupVersionMax", 255)))),
              new Mutant(
                  "refused-untold",
                  "who lacks the version of the group is not taken in, and is not told",
                  List.of(
                      edit("ViewAgreement$Proposer", "refuse", new Drop("Effects.send", 0)),
                      edit("Merge", "speaksAlong", new Drop("Effects.send", 0)))))
          .map(mutant -> mutant.in(RunKind.UPGRADES))
          .toList();

  private VersionMutants() {}

  private static Edit edit(String owner, String method, Edit.Change change) {
    return new Edit("org.tutti.membership." + owner, method, change);
  }
}
