package org.tutti.sim;

import org.tutti.sim.check.Violation;

/// A failing run in words: what was violated, how to see it again, how little of it is needed.
public final class Findings {
  private Findings() {}

  /// Describes a failing run.
  ///
  /// @param outcome what came of it
  /// @param limits  what was left out
  /// @return several lines
  public static String describe(RunResult outcome, Limits limits) {
    var text = new StringBuilder();
    text.append(
        String.format("seed=%d step=%d property=%s%n", outcome.plan().seed(), outcome.steps(), property(outcome)));
    text.append(String.format("  run: %s%n", outcome.plan().describe()));
    for (Violation violation : outcome.violations()) {
      text.append(String.format("  %s%n", violation));
    }
    text.append(String.format("  replay: %s --trace%n", command(outcome, limits)));
    return text.toString();
  }

  /// Describes what is left of a failing run.
  ///
  /// @param shrunk the smallest run that fails in the same way
  /// @return several lines
  public static String describe(Shrinking.Shrunk shrunk) {
    var text = new StringBuilder();
    text.append(String.format("  shrunk in %d runs to: %s%n", shrunk.runs(), shrunk.outcome().plan().describe()));
    for (Violation violation : shrunk.outcome().violations()) {
      text.append(String.format("    %s%n", violation));
    }
    text.append(String.format("  replay: %s --trace%n", command(shrunk.outcome(), shrunk.limits())));
    return text.toString();
  }

  private static String property(RunResult outcome) {
    return outcome.violations().isEmpty() ? "none" : outcome.violations().getFirst().property();
  }

  private static String command(RunResult outcome, Limits limits) {
    return "./tutti simulate --seed " + outcome.plan().seed() + limits.options();
  }
}
