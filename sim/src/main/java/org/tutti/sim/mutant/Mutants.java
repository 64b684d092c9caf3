package org.tutti.sim.mutant;

import java.util.List;

/// All planted bugs.
public final class Mutants {
  /// How many seeds may pass until a bug is found.
  public static final int SEEDS_MAX = 200;

  private static final List<Mutant> ALL = List.of();

  private Mutants() {}

  /// All planted bugs.
  ///
  /// @return in the order of the table
  public static List<Mutant> all() {
    return ALL;
  }

  /// Finds a bug by its name.
  ///
  /// @param name as on the command line
  /// @return the mutant
  /// @throws IllegalArgumentException when there is none
  public static Mutant named(String name) {
    return ALL.stream()
        .filter(mutant -> mutant.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such mutant: " + name));
  }
}
