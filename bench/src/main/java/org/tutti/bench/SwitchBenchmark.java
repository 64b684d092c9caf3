package org.tutti.bench;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tutti.Ordering;
import org.tutti.bench.member.ClosedLoop;
import org.tutti.bench.trial.Numbers;

/// The gap that a change of the ordering makes, for every pair of orderings, in two settings.
///
/// Over bare loopback a message takes no time on its way: a round trip is what the machine needs to wake up and run the
/// members' threads, which share its processors. With links that have a length it is mostly the links'.
final class SwitchBenchmark {
  private static final Duration LINK = Duration.ofMillis(1);
  private static final double TRIPS_MAX = 2;
  private static final int WARM_UP = 50; // switches of each pair; their code is not run by anything else
  private static final int WARM_UP_MULTICASTS = 3;
  private static final int LINK_TIMES_MAX = 10; // with links everything takes longer, and is less noisy

  private record Change(Ordering from, Ordering to) {}

  private record Gaps(Numbers nanos, Numbers trips, Numbers controls) {}

  private final List<Change> rows = new ArrayList<>();
  private final Map<Change, Double> simulated = new LinkedHashMap<>();
  private final OrdersOptions options;
  private final PrintWriter out;

  SwitchBenchmark(OrdersOptions options, PrintWriter out) {
    this.options = options;
    this.out = out;
    for (Ordering from : options.orderings()) {
      options.orderings().stream().filter(to -> to != from).forEach(to -> rows.add(new Change(from, to)));
    }
  }

  /// Measures and prints.
  ///
  /// @param localGroup a group over loopback whose orderings have been in use
  /// @return whether the gaps are under two round trips where the machine is not the network
  boolean run(LocalGroup localGroup) throws InterruptedException {
    if (rows.isEmpty()) {
      return true;
    }
    int size = localGroup.size();
    rows.forEach(row -> simulated.put(row, SwitchGap.simulated(size, row.from(), row.to())));
    out.printf(
        """

        gap of a switch, n = %d: a closed loop at one member, another member switches; the longest time between two
        deliveries, in round trips (median latency, mean of both orderings)
        control: the same when the other member multicasts instead, in round trips of the first ordering
        simulated: the worst over 32 moments on a network where every frame travels equally long and nobody is busy
        """,
        size);
    warmUp(localGroup);
    int times = options.rounds() * options.switches();
    boolean loopback = table("over loopback", measure(localGroup, times), times);
    boolean linked;
    try (var apart = new LocalGroup(size, options.orderings().getFirst(), LINK)) {
      int fewer = Math.min(times, LINK_TIMES_MAX);
      linked = table("with links of " + LINK.toMillis() + " ms", measure(apart, fewer), fewer);
    }
    boolean quiet = simulated.values().stream().allMatch(trips -> trips < TRIPS_MAX);
    out.println("gap under two round trips:");
    verdict("simulated, worst", quiet, "");
    verdict("with links of " + LINK.toMillis() + " ms, medians", linked, "");
    verdict("over loopback, medians", loopback, ", where a round trip is this machine's work and not a network's");
    out.flush();
    return quiet && linked;
  }

  private void verdict(String what, boolean under, String remark) {
    out.printf("  %-28s %s%s%n", what + ":", under ? "yes, all" : "NO", remark);
  }

  private void warmUp(LocalGroup localGroup) throws InterruptedException {
    for (int i = 0; i < WARM_UP; i++) {
      for (Change row : rows) {
        localGroup.switchTo(row.from());
        localGroup.switchTo(row.to());
        for (int j = 0; j < WARM_UP_MULTICASTS; j++) {
          ClosedLoop.once(localGroup.junior().group(), new byte[Numbers.LATENCY_BYTES]);
        }
      }
    }
  }

  private Map<Change, Gaps> measure(LocalGroup localGroup, int times) throws InterruptedException {
    Map<Change, Gaps> table = new LinkedHashMap<>();
    rows.forEach(row -> table.put(row, new Gaps(new Numbers(), new Numbers(), new Numbers())));
    for (int round = 0; round < times; round++) {
      for (Change row : rows) {
        localGroup.switchTo(row.from());
        SwitchGap gap = SwitchGap.measure(localGroup, row.to(), round % 2 == 0);
        Gaps gaps = table.get(row);
        gaps.nanos.add(gap.nanos());
        gaps.trips.add(gap.trips());
        gaps.controls.add(gap.control());
      }
    }
    return table;
  }

  /// Prints a table.
  ///
  /// @return whether every median is under two round trips
  private boolean table(String setting, Map<Change, Gaps> table, int times) {
    MachineLoad.print(out, "after the switches " + setting);
    out.printf("%s, %d switches of each pair%n", setting, times);
    out.printf("%-10s %-10s  %-20s %-20s %-10s %s%n", "from", "to", "gap", "control", "simulated", "gap, microseconds");
    boolean under = true;
    for (Change row : rows) {
      Gaps gaps = table.get(row);
      under &= gaps.trips.median() < TRIPS_MAX;
      out.printf(
          Locale.ROOT,
          "%-10s %-10s  %-20s %-20s %-10.2f %s%n",
          CostTable.name(row.from()),
          CostTable.name(row.to()),
          gaps.trips.show(SwitchBenchmark::trips),
          gaps.controls.show(SwitchBenchmark::trips),
          simulated.get(row),
          gaps.nanos.show(Numbers::micros));
    }
    return under;
  }

  private static String trips(double number) {
    return String.format(Locale.ROOT, "%.2f", number);
  }
}
