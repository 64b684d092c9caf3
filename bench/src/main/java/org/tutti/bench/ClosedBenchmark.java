package org.tutti.bench;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.HdrHistogram.Histogram;
import org.tutti.Ordering;
import org.tutti.bench.trial.Numbers;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Time per broadcast in a closed system, for every transport, ordering and size, beside the thesis's figures and
/// its estimate T = s(n-1) T_transmission + T_overhead: a transmission is half of the transport's ping, measured
/// first, and the overhead is what a group of one takes.
///
/// All groups of one size and length are there at once, and rounds take turns over them, so that a change of the
/// machine's load hits all.
public final class ClosedBenchmark {
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final double SECOND = 1e9;

  /// A row of a table.
  private record Row(TransportProvider transport, Ordering ordering) {}

  private static final class Figures {
    final Numbers half = new Numbers();
    final Numbers tail = new Numbers();
    final Numbers perSecond = new Numbers();

    void add(Histogram times) {
      half.add(times.getValueAtPercentile(P50));
      tail.add(times.getValueAtPercentile(P99));
      perSecond.add(SECOND / times.getMean());
    }
  }

  private final ClosedOptions options;
  private final PrintWriter out;
  private final long nanos;

  private ClosedBenchmark(ClosedOptions options, PrintWriter out) {
    this.options = options;
    this.out = out;
    this.nanos = options.time().toNanos();
  }

  /// Measures and prints.
  ///
  /// @param options what to measure
  /// @param out     where to print
  /// @throws InterruptedException when interrupted
  /// @throws TransportException   when a transport cannot be opened
  public static void run(ClosedOptions options, PrintWriter out) throws InterruptedException {
    new ClosedBenchmark(options, out).run();
  }

  private void run() throws InterruptedException {
    out.printf(
        Locale.ROOT,
        "n nodes in this one process, each with its engine thread and transport, on loopback; %d processors; Java %s;%n"
            + "uniform delivery; one multicast at a time, of each member in turn, the next when all have delivered;%n"
            + "median of %d rounds in turn over transports and orderings [lowest..highest round]; load %.1f%n",
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        options.rounds(),
        MachineLoad.now());
    for (int bytes : options.bytes()) {
      Map<TransportProvider, Numbers> pings = pings(bytes);
      Map<Row, Figures> alone = closed(1, bytes);
      for (int size : options.members()) {
        print(size, bytes, closed(size, bytes), pings, alone);
      }
    }
    out.printf(Locale.ROOT, "%nload at the end: %.1f%n", MachineLoad.now());
    out.flush();
  }

  private Map<TransportProvider, Numbers> pings(int bytes) {
    Map<TransportProvider, Ping> pings = new LinkedHashMap<>();
    Map<TransportProvider, Numbers> times = new LinkedHashMap<>();
    try {
      for (TransportProvider transport : options.transports()) {
        var near = transport.open(TransportSettings.at(LocalGroup.ANYWHERE));
        pings.put(transport, new Ping(near, transport.open(TransportSettings.at(LocalGroup.ANYWHERE))));
        times.put(transport, new Numbers());
      }
      pings.values().forEach(ping -> ping.run(bytes, 2 * nanos)); // to warm up
      for (int round = 0; round < options.rounds(); round++) {
        for (TransportProvider transport : MachineLoad.inTurn(options.transports(), round)) {
          times.get(transport).add(pings.get(transport).run(bytes, nanos).getValueAtPercentile(P50));
        }
      }
    } finally {
      pings.values().forEach(Ping::close);
    }
    out.printf(Locale.ROOT, "%nping: one frame of %,d bytes to and fro, p50 in microseconds%n", bytes);
    out.printf("%-10s %-22s %s%n", "transport", "measured", "thesis");
    times.forEach((transport, measured) ->
        out.printf(
            "%-10s %-22s %s%n",
            transport.name(), measured.show(Numbers::micros), ThesisFigures.ping(transport.name())));
    out.flush();
    return times;
  }

  private Map<Row, Figures> closed(int size, int bytes) throws InterruptedException {
    Map<Row, Figures> figures = new LinkedHashMap<>();
    Map<TransportProvider, LocalGroup> localGroups = new LinkedHashMap<>();
    try {
      for (TransportProvider transport : options.transports()) {
        localGroups.put(transport, new LocalGroup(size, options.orderings().getFirst(), transport));
        options.orderings().forEach(ordering -> figures.put(new Row(transport, ordering), new Figures()));
      }
      for (int round = -1; round < options.rounds(); round++) { // the first one warms up
        for (TransportProvider transport : MachineLoad.inTurn(options.transports(), round)) {
          LocalGroup localGroup = localGroups.get(transport);
          for (Ordering ordering : MachineLoad.inTurn(options.orderings(), round)) {
            localGroup.switchTo(ordering);
            Histogram times = RoundRobin.run(localGroup, bytes, nanos);
            if (round >= 0) {
              figures.get(new Row(transport, ordering)).add(times);
            }
          }
        }
      }
    } finally {
      localGroups.values().forEach(LocalGroup::close);
    }
    return figures;
  }

  private void print(
      int size, int bytes, Map<Row, Figures> rows, Map<TransportProvider, Numbers> pings, Map<Row, Figures> alone) {
    out.printf(
        Locale.ROOT,
        "%nn = %d, messages of %,d bytes: microseconds until all have delivered a multicast%n",
        size,
        bytes);
    out.printf(
        "%-10s %-10s %-22s %-24s %-26s %-9s %-8s %-7s %s%n",
        "transport", "ordering", "p50", "p99", "multicasts/s", "estimate", "of first", "thesis", "of first");
    double first = rows.values().iterator().next().half.median();
    OptionalInt firstOfThesis = thesis(rows.keySet().iterator().next(), size);
    rows.forEach((row, figures) -> {
      double estimate =
          CostModel.of(row.ordering(), size, false).steps() * (size - 1) * pings.get(row.transport()).median() / 2
              + alone.get(row).half.median();
      OptionalInt theirs = thesis(row, size);
      boolean comparable = theirs.isPresent() && firstOfThesis.isPresent();
      out.printf(
          "%-10s %-10s %-22s %-24s %-26s %-9s %-8s %-7s %s%n",
          row.transport().name(),
          CostTable.name(row.ordering()),
          figures.half.show(Numbers::micros),
          figures.tail.show(Numbers::micros),
          figures.perSecond.show(each -> String.format(Locale.ROOT, "%,.0f", each)),
          Numbers.micros(estimate),
          Numbers.hundredths(figures.half.median() / first),
          theirs.isPresent() ? theirs.getAsInt() + " ms" : "-",
          comparable ? Numbers.hundredths(theirs.getAsInt() / (double) firstOfThesis.getAsInt()) : "-");
    });
    out.flush();
  }

  private static OptionalInt thesis(Row row, int size) {
    return ThesisFigures.millis(row.transport().name(), row.ordering(), size);
  }
}
