package org.tutti.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// What else the machine does while something is measured: tells of it, and spreads it over all that is compared.
final class MachineLoad {
  private MachineLoad() {}

  /// How many processes ran or waited for a processor in the last minute; negative where the system does not tell.
  static double now() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /// The order of one round: each begins with another one, so that a change of the load hits all of them.
  static <T> List<T> inTurn(List<T> all, int round) {
    List<T> turn = new ArrayList<>(all);
    Collections.rotate(turn, -round);
    return turn;
  }
}
