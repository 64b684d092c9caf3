package org.tutti.sim.mutant;

import java.util.List;

/// A planted bug.
///
/// @param name   on the command line
/// @param breaks what is wrong with it, in words
/// @param edits  the changes that make it
public record Mutant(String name, String breaks, List<Edit> edits) {
  /// Copies the list.
  public Mutant {
    edits = List.copyOf(edits);
  }

  Mutant(String name, String breaks, String owner, String method, Edit.Change change) {
    this(name, breaks, List.of(new Edit("org.tutti." + owner, method, change)));
  }
}
