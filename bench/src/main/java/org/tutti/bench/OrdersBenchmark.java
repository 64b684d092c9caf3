package org.tutti.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.tutti.Group;
import org.tutti.Ordering;
import org.tutti.bench.member.ClosedLoop;
import org.tutti.bench.member.OpenLoop;
import org.tutti.bench.trial.Numbers;
import org.tutti.transport.TransportException;

/// How fast the orderings are over TCP: latency, throughput, latency against offered load, and the gap of a switch.
///
/// One group per size, which switches from ordering to ordering, so that the rounds take turns over the orderings and a
/// change of the machine's load hits all of them.
public final class OrdersBenchmark {
  private static final int FLOOD_BYTES = 1024;
  private static final double P50 = 50;
  private static final double P99 = 99;

  private final OrdersOptions options;
  private final PrintWriter out;

  private OrdersBenchmark(OrdersOptions options, PrintWriter out) {
    this.options = options;
    this.out = out;
  }

  /// Measures and prints.
  ///
  /// @param options what to measure
  /// @param out     where to print
  /// @return whether the gap of a switch is under two round trips, simulated and with links that have a length
  /// @throws InterruptedException when interrupted
  /// @throws TransportException   when no socket can be opened
  public static boolean run(OrdersOptions options, PrintWriter out) throws InterruptedException {
    return new OrdersBenchmark(options, out).run();
  }

  private boolean run() throws InterruptedException {
    out.printf(
        Locale.ROOT,
        "n nodes in this one process, each with its engine thread and sockets, over TCP on loopback; %d processors;%n"
            + "Java %s; uniform delivery, window of 1 MiB; median of %d rounds in turn over the orderings%n"
            + "[lowest..highest round].%n",
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        options.rounds());
    boolean under = true;
    for (int size : options.members()) {
      try (var localGroup = new LocalGroup(size, options.orderings().getFirst())) {
        warmUp(localGroup);
        if (!options.onlySwitches()) {
          speed(localGroup);
        }
        if (size == options.members().getFirst()) {
          if (!options.onlySwitches()) {
            offered(localGroup);
          }
          under = new SwitchBenchmark(options, out).run(localGroup);
        }
      }
    }
    MachineLoad.print(out, "at the end");
    return under;
  }

  private <T> Map<T, Numbers> table(List<T> rows) {
    Map<T, Numbers> table = new LinkedHashMap<>();
    rows.forEach(row -> table.put(row, new Numbers()));
    return table;
  }

  private void warmUp(LocalGroup localGroup) throws InterruptedException {
    for (Ordering ordering : options.orderings()) {
      localGroup.switchTo(ordering);
      ClosedLoop.run(localGroup.junior().group(), Numbers.LATENCY_BYTES, options.latency().toNanos());
      FloodBenchmark.run(localGroup, groups(localGroup), FLOOD_BYTES, options.flood().toNanos());
    }
  }

  private static List<Group> groups(LocalGroup localGroup) {
    return localGroup.members().stream().map(LocalGroup.Member::group).toList();
  }

  private void speed(LocalGroup localGroup) throws InterruptedException {
    out.println();
    MachineLoad.print(out, "at n = " + localGroup.size());
    List<Ordering> rows = options.orderings();
    Map<Ordering, Numbers> half = table(rows);
    Map<Ordering, Numbers> tail = table(rows);
    Map<Ordering, Numbers> one = table(rows);
    Map<Ordering, Numbers> all = table(rows);
    Group junior = localGroup.junior().group();
    for (int round = 0; round < options.rounds(); round++) {
      for (Ordering ordering : MachineLoad.inTurn(options.orderings(), round)) {
        localGroup.switchTo(ordering);
        Histogram times = ClosedLoop.run(junior, Numbers.LATENCY_BYTES, options.latency().toNanos());
        half.get(ordering).add(times.getValueAtPercentile(P50));
        tail.get(ordering).add(times.getValueAtPercentile(P99));
        one.get(ordering).add(FloodBenchmark.run(localGroup, List.of(junior), FLOOD_BYTES, options.flood().toNanos()));
        all.get(ordering)
            .add(FloodBenchmark.run(localGroup, groups(localGroup), FLOOD_BYTES, options.flood().toNanos()));
      }
    }
    out.println("latency: one sender, not the sequencer, one 100-byte message after the other, microseconds");
    out.println(
        "throughput: 1-KiB messages as fast as the windows let, thousands per second until the slowest member has all");
    out.printf("%-10s %2s  %-22s %-24s %-22s %s%n", "ordering", "n", "p50", "p99", "one sender", "all send");
    for (Ordering ordering : rows) {
      out.printf(
          "%-10s %2d  %-22s %-24s %-22s %s%n",
          CostTable.name(ordering),
          localGroup.size(),
          half.get(ordering).show(Numbers::micros),
          tail.get(ordering).show(Numbers::micros),
          one.get(ordering).show(Numbers::thousands),
          all.get(ordering).show(Numbers::thousands));
    }
    out.flush();
  }

  private record Point(Ordering ordering, int rate) {}

  private void offered(LocalGroup localGroup) throws InterruptedException {
    List<Point> rows = new ArrayList<>();
    for (Ordering ordering : options.orderings()) {
      options.rates().forEach(rate -> rows.add(new Point(ordering, rate)));
    }
    Map<Point, Numbers> half = table(rows);
    Map<Point, Numbers> tail = table(rows);
    for (int round = 0; round < options.rounds(); round++) {
      for (Ordering ordering : MachineLoad.inTurn(options.orderings(), round)) {
        localGroup.switchTo(ordering);
        for (int rate : options.rates()) {
          Histogram times = OpenLoop.run(groups(localGroup), Numbers.LATENCY_BYTES, rate, options.offered().toNanos());
          half.get(new Point(ordering, rate)).add(times.getValueAtPercentile(P50));
          tail.get(new Point(ordering, rate)).add(times.getValueAtPercentile(P99));
        }
      }
    }
    out.println();
    MachineLoad.print(out, "after offered load");
    out.printf(
        "latency against offered load, n = %d, all members multicast 100-byte messages in turn; microseconds from when "
            + "a message was due%n",
        localGroup.size());
    out.printf("%-10s %10s  %-26s %s%n", "ordering", "messages/s", "p50", "p99");
    for (Point row : rows) {
      out.printf(
          Locale.ROOT,
          "%-10s %,10d  %-26s %s%n",
          CostTable.name(row.ordering()),
          row.rate(),
          half.get(row).show(Numbers::micros),
          tail.get(row).show(Numbers::micros));
    }
    out.flush();
  }
}
