package org.tutti.workshop;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import org.tutti.sim.FirstSeed;
import org.tutti.sim.RecoveryRun;
import org.tutti.sim.RecoveryTable;
import org.tutti.sim.SingleFault;
import org.tutti.sim.check.Violation;

/// `tutti simulate --recovery`: runs with one fault each, and a table of what it cost.
final class RecoveryRuns {
  private static final int FAILURES_SHOWN = 10;
  private static final long LINE_EVERY_NANOS = 10_000_000_000L;

  private final PrintWriter out;
  private final @Nullable SingleFault fault;
  private long shownNanos = System.nanoTime();

  RecoveryRuns(PrintWriter out, @Nullable SingleFault fault) {
    this.out = out;
    this.fault = fault;
  }

  /// Runs them.
  ///
  /// @param seed    the only one, or null
  /// @param given   the first of many, or null for a fresh one
  /// @param seeds   how many
  /// @param threads runs at a time
  /// @param trace   whether every step of the only one is printed
  /// @return the exit code
  int run(@Nullable Long seed, @Nullable Long given, long seeds, int threads, boolean trace) {
    if (seed != null) {
      return one(seed, trace);
    }
    long first = given != null ? given : FirstSeed.fresh();
    FirstSeed.record("simulate --recovery" + option(), first);
    out.println("first seed " + first);
    out.flush();
    try (var _ = new Interruption()) {
      RecoveryTable table = RecoveryTable.run(first, seeds, fault, threads, this::progress);
      out.println("in times of suspicion, median / 99 % / longest:");
      out.print(table.table());
      table.failures().stream().limit(FAILURES_SHOWN).forEach(this::describe);
      table.failures().stream()
          .skip(FAILURES_SHOWN)
          .forEach(more -> out.println("and " + more.seed() + " " + more.violations()));
      out.printf("%,d runs, %,d with violations%n", table.runs(), table.failures().size());
      if (table.runs() < seeds) {
        out.printf("interrupted: %,d of %,d runs are done%n", table.runs(), seeds);
      }
      out.flush();
      return table.failures().isEmpty() && table.runs() == seeds ? 0 : 1;
    }
  }

  private String option() {
    return fault == null ? "" : " --fault " + fault.words().replace(' ', '-');
  }

  private void progress(RecoveryTable soFar) {
    long now = System.nanoTime();
    if (now - shownNanos >= LINE_EVERY_NANOS) {
      shownNanos = now;
      out.printf("%,d runs, %,d with violations%n", soFar.runs(), soFar.failures().size());
      out.flush();
    }
  }

  private int one(long seed, boolean trace) {
    RecoveryRun.Result result = trace ? RecoveryRun.run(seed, fault, out::println) : RecoveryRun.run(seed, fault);
    out.println("seed " + seed + ": " + RecoveryRun.describe(seed, result.fault()));
    out.printf(
        "%s for %.2f times of suspicion: no delivery for %.2f, all deliver after %.2f, one view after %.2f, %d views%n",
        result.fault().words(), result.length(), result.silence(), result.next(), result.whole(), result.views());
    if (!result.passed()) {
      describe(result);
    }
    out.flush();
    return result.passed() ? 0 : 1;
  }

  private void describe(RecoveryRun.Result result) {
    out.println();
    out.println("seed=" + result.seed() + ": " + RecoveryRun.describe(result.seed(), result.fault()));
    for (Violation violation : result.violations()) {
      out.println("  " + violation);
    }
    out.println("  replay: ./tutti simulate --recovery --seed " + result.seed() + option() + " --trace");
  }
}
