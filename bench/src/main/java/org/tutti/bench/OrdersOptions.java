package org.tutti.bench;

import java.time.Duration;
import java.util.List;
import org.tutti.Ordering;

/// What to measure, and how long.
///
/// @param members   sizes of groups, each at least 2
/// @param orderings which orderings
/// @param rounds    how often everything is measured, in turn over the orderings
/// @param latency   how long a closed loop runs
/// @param flood     how long members multicast as fast as they can
/// @param offered   how long messages come at one rate
/// @param rates     messages per second of the whole group, rising
/// @param switches  how often each change of the ordering is measured in a round
/// @param onlySwitches whether nothing else is measured
public record OrdersOptions(
    List<Integer> members,
    List<Ordering> orderings,
    int rounds,
    Duration latency,
    Duration flood,
    Duration offered,
    List<Integer> rates,
    int switches,
    boolean onlySwitches) {
  private static final int MEMBERS_MAX = 32;

  /// Checks the ranges.
  public OrdersOptions {
    members = List.copyOf(members);
    orderings = List.copyOf(orderings);
    rates = List.copyOf(rates);
    if (members.isEmpty() || members.stream().anyMatch(size -> size < 2 || size > MEMBERS_MAX)) {
      throw new IllegalArgumentException("groups have 2 to " + MEMBERS_MAX + " members, not " + members);
    }
    if (orderings.isEmpty() || rounds < 1) {
      throw new IllegalArgumentException("nothing to measure");
    }
  }

  /// Three minutes on two cores for three sizes.
  ///
  /// @param members   sizes of groups
  /// @param orderings which orderings
  /// @return five rounds
  public static OrdersOptions full(List<Integer> members, List<Ordering> orderings) {
    return new OrdersOptions(
        members,
        orderings,
        5,
        Duration.ofMillis(350),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        List.of(100, 1000, 5000, 20_000, 50_000),
        5,
        false);
  }

  /// A good minute for one size.
  ///
  /// @param members   sizes of groups
  /// @param orderings which orderings
  /// @return five short rounds
  public static OrdersOptions quick(List<Integer> members, List<Ordering> orderings) {
    return new OrdersOptions(
        members,
        orderings,
        5,
        Duration.ofMillis(150),
        Duration.ofMillis(200),
        Duration.ofMillis(200),
        List.of(200, 1000, 5000, 20_000),
        2,
        false);
  }

  /// The same, without anything but the switches.
  ///
  /// @return options for the first size
  public OrdersOptions switchesOnly() {
    return new OrdersOptions(members.subList(0, 1), orderings, rounds, latency, flood, offered, rates, switches, true);
  }
}
