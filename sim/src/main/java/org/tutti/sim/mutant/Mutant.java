package org.tutti.sim.mutant;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.sim.RunKind;
import org.tutti.sim.SingleFault;

/// A planted bug.
///
/// @param name   on the command line
/// @param breaks what is wrong with it, in words
/// @param edits  the changes that make it
/// @param ordering the ordering that it is in, or null when it is in what all orderings share
/// @param runs   in which runs it is looked for
/// @param fault  the fault in whose runs of recovery it is looked for, or null when it is looked for in others
public record Mutant(
    String name,
    String breaks,
    List<Edit> edits,
    @Nullable Ordering ordering,
    RunKind runs,
    @Nullable SingleFault fault) {
  /// Copies the list.
  public Mutant {
    edits = List.copyOf(edits);
  }

  Mutant(String name, String breaks, String owner, String method, Edit.Change change) {
    this(name, breaks, List.of(new Edit("org.tutti." + owner, method, change)), null, RunKind.ANY, null);
  }

  /// A bug that is looked for in any runs.
  ///
  /// @param name   on the command line
  /// @param breaks what is wrong with it, in words
  /// @param edits  the changes that make it
  public Mutant(String name, String breaks, List<Edit> edits) {
    this(name, breaks, edits, null, RunKind.ANY, null);
  }

  /// Plants the bug in a second copy of all classes of Tutti.
  ///
  /// @return the loader of the copy
  /// @throws IllegalStateException when the code that the bug changes is not there any more
  public ClassLoader plant() {
    var loader = new MutantLoader(this);
    loader.check();
    return loader;
  }

  /// The same bug, looked for in runs with one ordering only.
  Mutant in(Ordering only) {
    return new Mutant(name, breaks, edits, only, runs, fault);
  }

  /// The same bug, looked for in runs of one kind.
  Mutant in(RunKind kind) {
    return new Mutant(name, breaks, edits, ordering, kind, fault);
  }

  /// The same bug, looked for in runs in which one fault strikes and ends: it makes the group slow, not wrong.
  Mutant inRecoveryFrom(SingleFault only) {
    return new Mutant(name, breaks, edits, ordering, runs, only);
  }
}
