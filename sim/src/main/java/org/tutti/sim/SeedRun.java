package org.tutti.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.Packing;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.IpcRun;

/// One run for callers that share no class with it but the JDK's: another class loader, another process.
public final class SeedRun {
  private SeedRun() {}

  /// Runs a seed with natural packing and the same settings at all members: planted bugs have nothing to do with these,
  /// and some show in few runs, to which it should not make a difference.
  ///
  /// @param seed     the seed
  /// @param ordering the only ordering, or null for those that the seed draws
  /// @param kind     of what [RunKind] the run is, by its name
  /// @return the violations as words, each beginning with its property and a colon
  public static List<String> violations(long seed, @Nullable String ordering, String kind) {
    RunKind runs = RunKind.valueOf(kind);
    if (runs == RunKind.IPC) {
      return words(IpcRun.run(seed).violations());
    }
    Limits limits = Limits.NONE.ordering(ordering == null ? null : Ordering.valueOf(ordering));
    Plan plan = runs.of(Plan.drawAlike(seed, Packing.natural())).within(limits);
    return words(Simulation.run(plan).violations());
  }

  private static List<String> words(List<Violation> violations) {
    return violations.stream().map(Violation::toString).toList();
  }

  /// Runs a seed with one fault that strikes and ends.
  ///
  /// @param seed  the seed
  /// @param fault its name
  /// @return the violations as words, each beginning with its property and a colon
  public static List<String> recovery(long seed, String fault) {
    return words(RecoveryRun.run(seed, SingleFault.valueOf(fault)).violations());
  }

  /// Prints each seed's trace hash.
  ///
  /// @param args the first seed and how many
  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    for (long seed = first; seed < first + Long.parseLong(args[1]); seed++) {
      System.out.println(seed + " " + Long.toHexString(Simulation.run(Plan.draw(seed)).traceHash()));
    }
  }
}
