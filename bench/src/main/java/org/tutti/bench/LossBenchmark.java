package org.tutti.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.tutti.GroupConfig;
import org.tutti.bench.trial.Numbers;
import org.tutti.net.UdpConfig;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;

/// How many bytes a group of three carries over UDP when datagrams get lost, by the length of messages.
///
/// The paper's throughput fell from messages of 40 000 bytes on, because its multicast had no flow control. The
/// goal is a line that is flat to 1 MiB at each share of loss, and a receiver that is slow but loses nothing.
public final class LossBenchmark {
  private static final int MEMBERS = 3;
  private static final double FLAT = 0.7;
  private static final long SEED = 7;
  private static final long SLOW_BYTES_PER_SECOND = 4 << 20;
  private static final long NANOS = 1_000_000_000;
  private static final List<Integer> SLOW_BYTES = List.of(64 << 10, 1 << 20);
  private static final double MEGA = 1e6;
  private static final long SETTLE_NANOS = NANOS / 2;
  private static final long POLL_NANOS = 1_000_000;

  private final LossOptions options;
  private final PrintWriter out;

  private LossBenchmark(LossOptions options, PrintWriter out) {
    this.options = options;
    this.out = out;
  }

  /// Measures and prints.
  ///
  /// @param options what to measure
  /// @param out     where to print
  /// @return whether the longest messages reach seven tenths of the best throughput at each loss, nobody was taken for
  ///         dead, and the kernel dropped nothing for a slow receiver
  /// @throws InterruptedException when interrupted
  /// @throws IOException          when no socket can be opened
  public static boolean run(LossOptions options, PrintWriter out) throws InterruptedException, IOException {
    return new LossBenchmark(options, out).run();
  }

  private boolean run() throws InterruptedException, IOException {
    out.printf(
        Locale.ROOT,
        "3 nodes in this one process over UDP on loopback, datagrams of %d bytes at most, through a relay that passes%n"
            + "them on or loses them by chance; uniform total order by the sequencer, another member floods; %d%n"
            + "processors, Java %s; MB/s until the slowest member has all: median of %d rounds of %d ms%n"
            + "[lowest..highest round]; datagrams of all nodes, those lost, frames sent again: sums of all rounds.%n",
        options.datagramBytes(),
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        options.rounds(),
        options.flood().toMillis());
    MachineLoad.print(out, "at the beginning");
    out.printf("%n%6s %9s  %-24s %12s %10s %10s%n", "loss", "bytes", "MB/s", "datagrams", "lost", "repeated");
    boolean flat = true;
    for (double loss : options.losses()) {
      flat &= sweep(loss);
    }
    boolean kept = slowReceiver();
    MachineLoad.print(out, "at the end");
    out.println(flat && kept ? "HOLDS" : "MISSED");
    out.flush();
    return flat && kept;
  }

  /// What one length of messages came to.
  private static final class Row {
    final Numbers rate = new Numbers();
    long datagrams;
    long lost;
    long repeated;
  }

  private LocalGroup group(LossyNetwork network) {
    UdpConfig config = UdpConfig.lan().withDatagramBytesMax(options.datagramBytes());
    return new LocalGroup(MEMBERS, GroupConfig.standard(), () -> open(network, config));
  }

  private static Transport open(LossyNetwork network, UdpConfig config) {
    try {
      return network.open(config);
    } catch (IOException e) {
      throw new TransportException("no socket", e);
    }
  }

  private boolean sweep(double loss) throws InterruptedException, IOException {
    Map<Integer, Row> rows = new LinkedHashMap<>();
    options.bytes().forEach(length -> rows.put(length, new Row()));
    int views;
    try (var network = new LossyNetwork(SEED, loss);
        var localGroup = group(network)) {
      views = views(localGroup);
      for (int length : options.bytes()) { // what is compared is not who came first
        flood(localGroup, length, options.flood().dividedBy(2));
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (int length : MachineLoad.inTurn(options.bytes(), round)) {
          measure(localGroup, network, length, rows.get(length));
        }
      }
      views = views(localGroup) - views;
    }
    rows.forEach((length, row) -> show(percent(loss), length, row));
    double best = rows.values().stream().mapToDouble(row -> row.rate.median()).max().orElseThrow();
    int longest = Collections.max(options.bytes());
    double ratio = rows.get(longest).rate.median() / best;
    boolean good = ratio >= FLAT && views == 0;
    out.printf(
        Locale.ROOT,
        "%6s %,d bytes / best: %.2f (goal %.1f); view changes: %d%s%n",
        percent(loss),
        longest,
        ratio,
        FLAT,
        views,
        good ? "" : "  MISSED");
    out.flush();
    return good;
  }

  private static int views(LocalGroup localGroup) {
    return localGroup.members().stream().mapToInt(LocalGroup.Member::views).sum();
  }

  private static String percent(double loss) {
    return String.format(Locale.ROOT, "%.0f %%", loss * 100);
  }

  private void show(String what, int length, Row row) {
    out.printf(
        Locale.ROOT,
        "%6s %,9d  %-24s %,12d %,10d %,10d%n",
        what,
        length,
        row.rate.show(rate -> String.format(Locale.ROOT, "%.1f", rate)),
        row.datagrams,
        row.lost,
        row.repeated);
  }

  private static double flood(LocalGroup localGroup, int length, Duration time) throws InterruptedException {
    return FloodBenchmark.run(localGroup, List.of(localGroup.junior().group()), length, time.toNanos()) * length / MEGA;
  }

  private void measure(LocalGroup localGroup, LossyNetwork network, int length, Row row) throws InterruptedException {
    long datagrams = localGroup.counted("udp.datagrams.sent");
    long lost = network.lost();
    long repeated = localGroup.counted("link.packets.repeated");
    row.rate.add(flood(localGroup, length, options.flood()));
    row.datagrams += localGroup.counted("udp.datagrams.sent") - datagrams;
    row.lost += network.lost() - lost;
    row.repeated += localGroup.counted("link.packets.repeated") - repeated;
  }

  /// One member does not read its socket while its application works. Nothing but flow control keeps its receive buffer
  /// from overflowing, and here nothing else loses a datagram.
  private boolean slowReceiver() throws InterruptedException, IOException {
    boolean good = true;
    try (var network = new LossyNetwork(SEED, 0);
        var localGroup = group(network)) {
      int views = views(localGroup);
      LocalGroup.Member slow = localGroup.member(1);
      for (int length : SLOW_BYTES) {
        flood(localGroup, length, options.flood().dividedBy(2));
        long pause = length * NANOS / SLOW_BYTES_PER_SECOND;
        slow.whenDelivered(() -> standStill(pause));
        var row = new Row();
        long before = missing(localGroup, network);
        measure(localGroup, network, length, row);
        slow.whenDelivered(() -> {});
        row.lost = missing(localGroup, network) - before;
        good &= row.lost == 0;
        show("slow", length, row);
      }
      views = views(localGroup) - views;
      out.printf(
          Locale.ROOT,
          "  slow: one receiver at %.1f MB/s; lost are datagrams that its socket had no room for; view changes: %d%s%n",
          SLOW_BYTES_PER_SECOND / MEGA,
          views,
          good && views == 0 ? "" : "  MISSED");
      good &= views == 0;
    }
    return good;
  }

  /// The engine thread does nothing, not even read its socket.
  private static void standStill(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long rest = nanos; rest > 0; rest = end - System.nanoTime()) {
      LockSupport.parkNanos(rest);
    }
  }

  /// How many datagrams came to sockets of nodes and were not read, when they had some time for it.
  private static long missing(LocalGroup localGroup, LossyNetwork network) throws InterruptedException {
    long end = System.nanoTime() + SETTLE_NANOS;
    long missing = network.carried() - localGroup.counted("udp.datagrams.received");
    while (missing != 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(POLL_NANOS);
      missing = network.carried() - localGroup.counted("udp.datagrams.received");
    }
    return missing;
  }
}
