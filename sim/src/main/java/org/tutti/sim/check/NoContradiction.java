package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.tutti.Metric;

/// No member says what another one has to drop because it cannot be true: in the simulator nobody lies, and frames that
/// the network damaged do not come so far. In production such a message would be dropped and the group would go on,
/// which must not hide that one of Tutti's members has said it.
public final class NoContradiction {
  private static final String DROPPED = "engine.messages.malformed";
  private static final String TOO_LATE = "fetch"; // of a branch that has ended where it is asked for

  private NoContradiction() {}

  /// Looks at what a node has counted.
  ///
  /// @param who     the node
  /// @param metrics what it has counted
  /// @return a violation for each reason for which it dropped a message
  public static List<Violation> check(String who, List<Metric> metrics) {
    List<Violation> found = new ArrayList<>();
    for (Metric metric : metrics) {
      String reason = metric.tag("reason");
      if (metric.name().equals(DROPPED) && !TOO_LATE.equals(reason)) {
        found.add(new Violation("NoContradiction", who + " dropped " + metric.value() + " messages: " + reason));
      }
    }
    return found;
  }
}
