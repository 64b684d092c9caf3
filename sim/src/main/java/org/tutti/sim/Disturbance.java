package org.tutti.sim;

import java.time.Duration;
import java.util.function.BiPredicate;

/// Something that happens to a group of five in [CostMeasurement#disturb], after which everybody lives: what it costs
/// in views shows whether a wrong suspicion tears the group apart. Times are in times of suspicion.
public enum Disturbance {
  /// Member 2 does not hear member 1 for 1.3: a virtual failure.
  SLOW_FOR_ONE(1.3, 1),
  /// Member 2 does not hear the senior one for 1.3.
  SENIOR_SLOW_FOR_ONE(1.3, 1),
  /// Member 2 does not hear member 1 for 20, though it is heard.
  ONE_WAY(20, 1),
  /// Members 1 and 2 do not reach each other for 1.3 out of every 2, ten times.
  FLAPPING(1.3, 10),
  /// Member 1 stands still for 3 (SIGSTOP).
  PAUSED(3, 1),
  /// Nobody reaches member 4, nor it anybody, for 10.
  ISOLATED(10, 1),
  /// Members 0 and 1 reach each other and member 2, as do 3 and 4, for 20: only member 2 reaches all.
  BRIDGE(20, 1),
  /// Each member reaches the one before it and the one after it, the last one and the first one too, for 20.
  RING(20, 1),
  /// The same, but the last one and the first one do not reach each other.
  CHAIN(20, 1);

  private static final double PERIOD = 2;

  private final double length;
  private final int times;

  Disturbance(double length, int times) {
    this.length = length;
    this.times = times;
  }

  /// How often it happens.
  int times() {
    return times;
  }

  /// How long it lasts each time.
  Duration length(Duration suspectAfter) {
    return units(suspectAfter, length);
  }

  /// How long after its beginning it begins again.
  Duration period(Duration suspectAfter) {
    return units(suspectAfter, Math.max(length, PERIOD));
  }

  private static Duration units(Duration suspectAfter, double units) {
    return Duration.ofNanos((long) (suspectAfter.toNanos() * units));
  }

  /// Begins or ends it.
  ///
  /// @param network the network
  /// @param nodes   the nodes by the ranks of their members
  /// @param on      whether it begins
  void set(Network network, SimulatedNode[] nodes, boolean on) {
    switch (this) {
      case SLOW_FOR_ONE, ONE_WAY -> cut(network, nodes[1], nodes[2], on);
      case SENIOR_SLOW_FOR_ONE -> cut(network, nodes[0], nodes[2], on);
      case FLAPPING -> {
        cut(network, nodes[1], nodes[2], on);
        cut(network, nodes[2], nodes[1], on);
      }
      case PAUSED -> pause(nodes[1], on);
      case ISOLATED -> keep(network, nodes, on, (i, j) -> Math.max(i, j) < nodes.length - 1);
      case BRIDGE -> keep(network, nodes, on, (i, j) -> i == 2 || j == 2 || i < 2 == j < 2);
      case RING -> keep(network, nodes, on, (i, j) -> Math.abs(i - j) % (nodes.length - 2) == 1);
      case CHAIN -> keep(network, nodes, on, (i, j) -> Math.abs(i - j) == 1);
    }
  }

  /// Cuts all links but some.
  private static void keep(Network network, SimulatedNode[] nodes, boolean on, BiPredicate<Integer, Integer> kept) {
    for (int i = 0; i < nodes.length; i++) {
      for (int j = 0; j < nodes.length; j++) {
        if (i != j && !kept.test(i, j)) {
          cut(network, nodes[i], nodes[j], on);
        }
      }
    }
  }

  private static void cut(Network network, SimulatedNode from, SimulatedNode to, boolean on) {
    network.link(from.number, to.number).cut(on);
  }

  private static void pause(SimulatedNode node, boolean on) {
    if (on) {
      node.pause();
    } else {
      node.resume();
    }
  }
}
