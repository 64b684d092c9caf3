package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Makes a failing run smaller while it fails in the same way: without kinds of faults, with fewer nodes, with fewer
/// multicasts. Greedy: what can go, goes; the rest is needed, or hides it.
public final class Shrinking {
  private static final int RUNS_MAX = 200;

  private final Function<Limits, RunResult> run;
  private final int runsMax;
  private final String property;
  private Limits limits;
  private RunResult smallest;
  private int runs;

  private Shrinking(RunResult failing, Limits limits, int runsMax, Function<Limits, RunResult> run) {
    this.limits = limits;
    this.run = run;
    this.runsMax = runsMax;
    this.property = failing.violations().getFirst().property();
    this.smallest = failing;
  }

  /// A smaller run that still fails.
  ///
  /// @param limits  what was left out
  /// @param outcome what came of it
  /// @param runs    how many runs it took to find it
  public record Shrunk(Limits limits, RunResult outcome, int runs) {}

  /// Shrinks a run.
  ///
  /// @param failing what came of it; has a violation
  /// @param limits  what was left out already
  /// @return the smallest that was found, which may be the same run
  public static Shrunk shrink(RunResult failing, Limits limits) {
    Plan plan = Plan.draw(failing.plan().seed());
    return shrink(failing, limits, RUNS_MAX, smaller -> Simulation.run(plan.within(smaller)));
  }

  /// Shrinks a run of another kind.
  ///
  /// @param failing what came of it; has a violation
  /// @param limits  what was left out already
  /// @param runsMax how many runs it may take
  /// @param run     runs the same seed with more left out
  /// @return the smallest that was found, which may be the same run
  public static Shrunk shrink(RunResult failing, Limits limits, int runsMax, Function<Limits, RunResult> run) {
    var shrinking = new Shrinking(failing, limits, runsMax, run);
    boolean smaller = true;
    while (smaller && shrinking.runs < runsMax) {
      smaller = shrinking.dropFaults() | shrinking.dropNodes() | shrinking.dropMulticasts();
    }
    return new Shrunk(shrinking.limits, shrinking.smallest, shrinking.runs);
  }

  private boolean dropFaults() {
    boolean some = false;
    List<FaultKind> kinds = new ArrayList<>(smallest.plan().strengths().keySet());
    for (FaultKind kind : kinds) {
      some |= attempt(limits.without(kind));
    }
    return some;
  }

  private boolean dropNodes() {
    boolean some = false;
    while (smallest.plan().nodes() > 1 && attempt(limits.nodes(smallest.plan().nodes() - 1))) {
      some = true;
    }
    return some;
  }

  private boolean dropMulticasts() {
    boolean some = false;
    for (int step = smallest.plan().multicasts(); step > 0; step /= 2) {
      while (step <= smallest.plan().multicasts() && attempt(limits.multicasts(smallest.plan().multicasts() - step))) {
        some = true;
      }
    }
    return some;
  }

  private boolean attempt(Limits smaller) {
    if (runs >= runsMax) {
      return false;
    }
    runs++;
    RunResult outcome = run.apply(smaller);
    boolean same = !outcome.passed() && outcome.violations().getFirst().property().equals(property);
    if (same) {
      limits = smaller;
      smallest = outcome;
    }
    return same;
  }
}
