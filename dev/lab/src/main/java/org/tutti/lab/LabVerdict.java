package org.tutti.lab;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.sim.check.Violation;

/// What the histories of a lab say.
///
/// @param violations  what did not hold
/// @param lostQuorum  whether the group had lost, for good, what it needs to go on; then only safety was checked
/// @param lives       how many processes took part
/// @param views       how many views were installed
/// @param primaries   how many of them were primary
/// @param deliveries  how many deliveries there were at all members; with clients, executions of commands
/// @param messages    how many messages the history of the group has; with clients, commands
/// @param calls       what the calls of clients say; null without clients
public record LabVerdict(
    List<Violation> violations,
    boolean lostQuorum,
    int lives,
    int views,
    int primaries,
    long deliveries,
    long messages,
    @Nullable CallVerdict calls) {
  /// Copies the list.
  public LabVerdict {
    violations = List.copyOf(violations);
  }

  /// Whether every guarantee held.
  ///
  /// @return whether there are no violations
  public boolean holds() {
    return violations.isEmpty();
  }

  /// Whether no command was executed twice, as far as replicas and clients have seen.
  ///
  /// @return whether there is no violation of that
  boolean isExactlyOnce() {
    return violations.stream().noneMatch(violation -> violation.property().equals("ExactlyOnce"));
  }

  /// The verdict in a word.
  ///
  /// @return `HOLDS` or `VIOLATED`
  public String word() {
    return holds() ? "HOLDS" : "VIOLATED";
  }
}
