package org.tutti.bench;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalInt;
import org.HdrHistogram.Histogram;
import org.tutti.Ordering;
import org.tutti.bench.member.BenchTransports;
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

  // What Hirt's thesis (Atomic Broadcast on various middlewares, 1998) measured in its closed system: SPARCstations 20,
  // messages of 100 bytes, milliseconds per broadcast; and its ping of each middleware.
  private static final List<Integer> THESIS_SIZES = List.of(2, 4, 6);
  private static final Map<String, Double> THESIS_PING = Map.of("tcp", 2.7, "rmi", 7.5, "iiop", 6.7);
  private static final Map<String, Map<Ordering, List<Integer>>> THESIS_TIMES =
      Map.of(
          "tcp",
          Map.of(
              Ordering.SEQUENCER, List.of(6, 10, 14),
              Ordering.SKEEN, List.of(7, 13, 22),
              Ordering.CONSENSUS, List.of(12, 22, 36)),
          "rmi",
          Map.of(
              Ordering.SEQUENCER, List.of(16, 28, 44),
              Ordering.SKEEN, List.of(19, 44, 79),
              Ordering.CONSENSUS, List.of(31, 68, 105)),
          "iiop",
          Map.of(
              Ordering.SEQUENCER, List.of(14, 25, 36),
              Ordering.SKEEN, List.of(17, 37, 69),
              Ordering.CONSENSUS, List.of(28, 60, 98)));

  /// What to measure, and how long.
  ///
  /// @param transports kinds of transports, measured in turn
  /// @param orderings  orderings, in turn
  /// @param members    sizes of groups, each at least 2
  /// @param bytes      lengths of messages, each at least 4
  /// @param rounds     how often everything is measured
  /// @param time       how long one measurement lasts
  public record Options(
      List<TransportProvider> transports,
      List<Ordering> orderings,
      List<Integer> members,
      List<Integer> bytes,
      int rounds,
      Duration time) {
    private static final int MEMBERS_MAX = 32;
    private static final int BYTES_MIN = Integer.BYTES; // a ping has a number
    private static final int BYTES_MAX = 1 << 20;

    /// Checks the ranges.
    public Options {
      transports = List.copyOf(transports);
      orderings = List.copyOf(orderings);
      members = List.copyOf(members);
      bytes = List.copyOf(bytes);
      if (members.isEmpty() || members.stream().anyMatch(size -> size < 2 || size > MEMBERS_MAX)) {
        throw new IllegalArgumentException("groups have 2 to " + MEMBERS_MAX + " members, not " + members);
      }
      if (bytes.isEmpty() || bytes.stream().anyMatch(length -> length < BYTES_MIN || length > BYTES_MAX)) {
        throw new IllegalArgumentException("messages have " + BYTES_MIN + " to " + BYTES_MAX + " bytes, not " + bytes);
      }
      if (transports.isEmpty() || orderings.isEmpty() || rounds < 1 || !time.isPositive()) {
        throw new IllegalArgumentException("nothing to measure");
      }
    }
  }

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

  private final Options options;
  private final PrintWriter out;
  private final long nanos;

  private ClosedBenchmark(Options options, PrintWriter out) {
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
  public static void run(Options options, PrintWriter out) throws InterruptedException {
    new ClosedBenchmark(options, out).run();
  }

  /// The transports that can be measured.
  ///
  /// @return all there are, `tcp` without Unix domain sockets, `unix` with them, by name
  public static NavigableMap<String, TransportProvider> transportsByName() {
    return BenchTransports.byName();
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
        out.printf("%-10s %-22s %s%n", transport.name(), measured.show(Numbers::micros), thesisPing(transport.name())));
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

  /// What the thesis measured, in milliseconds; nothing for what it does not have.
  private static OptionalInt thesis(Row row, int size) {
    List<Integer> bySize = THESIS_TIMES.getOrDefault(row.transport().name(), Map.of()).get(row.ordering());
    int at = THESIS_SIZES.indexOf(size);
    return bySize == null || at < 0 ? OptionalInt.empty() : OptionalInt.of(bySize.get(at));
  }

  private static String thesisPing(String transport) {
    Double millis = THESIS_PING.get(transport);
    return millis == null ? "-" : millis + " ms";
  }
}
