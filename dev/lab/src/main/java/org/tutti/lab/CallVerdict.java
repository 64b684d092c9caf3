package org.tutti.lab;

import java.util.List;
import org.tutti.sim.check.Violation;

/// What the calls of a lab's clients say.
///
/// @param told       how many calls have a result
/// @param unknown    of how many nobody knows whether they were executed
/// @param refused    how many were certainly not executed
/// @param keys       to how many keys they were made
/// @param undecided  keys for which the search for an order was given up
/// @param violations what did not hold
public record CallVerdict(
    long told, long unknown, long refused, int keys, List<String> undecided, List<Violation> violations) {
  /// Copies the lists.
  public CallVerdict {
    undecided = List.copyOf(undecided);
    violations = List.copyOf(violations);
  }

  /// How many calls there were.
  ///
  /// @return all
  public long calls() {
    return told + unknown + refused;
  }

  /// Whether there is an order of the calls to each key.
  ///
  /// @return `LINEARIZABLE`, `NOT LINEARIZABLE`, or that the search was given up
  public String word() {
    if (violations.stream().anyMatch(violation -> violation.property().equals("Linearizability"))) {
      return "NOT LINEARIZABLE";
    }
    return undecided.isEmpty() ? "LINEARIZABLE" : "not decided for " + String.join(" ", undecided);
  }

  @Override
  public String toString() {
    return "%d calls to %d keys: %d told, %d unknown, %d refused; %s"
        .formatted(calls(), keys, told, unknown, refused, word());
  }
}
