package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// No member says what another one has to drop because it cannot be true: in the simulator nobody lies, and frames that
/// the network damaged do not come so far. In production such a message would be dropped and the group would go on,
/// which must not hide that one of Tutti's members has said it.
public final class NoContradiction {
  private static final String DROPPED = "drop.malformed ";
  private static final String TOO_LATE = "drop.malformed fetch"; // of a branch that has ended where it is asked for

  private NoContradiction() {}

  /// Looks at what a node has counted.
  ///
  /// @param who      the node
  /// @param counters its counters
  /// @return a violation for each reason for which it dropped a message
  public static List<Violation> check(String who, Map<String, Long> counters) {
    List<Violation> found = new ArrayList<>();
    counters.forEach((name, count) -> {
      if (name.startsWith(DROPPED) && !name.equals(TOO_LATE)) {
        String reason = name.substring(DROPPED.length());
        found.add(new Violation("NoContradiction", who + " dropped " + count + " messages: " + reason));
      }
    });
    return found;
  }
}
