package org.tutti.bench;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.tutti.Ordering;
import org.tutti.bench.ClientServer.Case;
import org.tutti.bench.trial.Numbers;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;

/// Time per request of clients, when they multicast themselves (case A) and when a server does it for them (case B),
/// and how long the ordering takes at the server that orders and at the others. Both cases are there at once,
/// and rounds take turns over them.
public final class ClientServerBenchmark {
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final double SECOND = 1e9;
  private static final int SERVERS_MAX = 16;
  private static final int CLIENTS_MAX = 64;

  /// What to measure, and how long.
  ///
  /// @param transport carries everything
  /// @param ordering  of the group
  /// @param servers   how many, each 1 to 16
  /// @param clients   how many, each 1 to 64
  /// @param bytes     the length of a request, at least 12
  /// @param rounds    how often everything is measured
  /// @param time      how long one measurement lasts
  public record Options(
      TransportProvider transport,
      Ordering ordering,
      List<Integer> servers,
      List<Integer> clients,
      int bytes,
      int rounds,
      Duration time) {
    /// Checks the ranges.
    public Options {
      servers = List.copyOf(servers);
      clients = List.copyOf(clients);
      check("servers", servers, SERVERS_MAX);
      check("clients", clients, CLIENTS_MAX);
      if (bytes < ClientServer.BYTES_MIN || bytes > 1 << 16) {
        throw new IllegalArgumentException("requests have " + ClientServer.BYTES_MIN + " to 65536 bytes, not " + bytes);
      }
      if (rounds < 1 || !time.isPositive()) {
        throw new IllegalArgumentException("nothing to measure");
      }
    }

    private static void check(String who, List<Integer> counts, int most) {
      if (counts.isEmpty() || counts.stream().anyMatch(one -> one < 1 || one > most)) {
        throw new IllegalArgumentException("there are 1 to " + most + " " + who + ", not " + counts);
      }
    }
  }

  private static final class Figures {
    final Numbers half = new Numbers();
    final Numbers tail = new Numbers();
    final Numbers perSecond = new Numbers();
    final Numbers sequencer = new Numbers();
    final Numbers others = new Numbers();

    void add(ClientServer.Result result, int clients) {
      half.add(result.requests().getValueAtPercentile(P50));
      tail.add(result.requests().getValueAtPercentile(P99));
      perSecond.add(clients * SECOND / result.requests().getMean());
      addIfAny(sequencer, result.sequencer());
      addIfAny(others, result.others());
    }

    private static void addIfAny(Numbers to, Histogram times) {
      if (times.getTotalCount() > 0) {
        to.add(times.getValueAtPercentile(P50));
      }
    }
  }

  private ClientServerBenchmark() {}

  /// Measures and prints.
  ///
  /// @param options what to measure
  /// @param out     where to print
  /// @throws InterruptedException when interrupted
  /// @throws TransportException   when a transport cannot be opened
  public static void run(Options options, PrintWriter out) throws InterruptedException {
    out.printf(
        Locale.ROOT,
        "clients and servers in this one process, each with its threads and transport (%s), on loopback;%n"
            + "%d processors; Java %s; %s, uniform delivery; requests of %,d bytes, one at a time of each client;%n"
            + "microseconds, median of %d rounds in turn over the cases [lowest..highest round]; load %.1f%n%n",
        options.transport().name(),
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        CostTable.name(options.ordering()),
        options.bytes(),
        options.rounds(),
        MachineLoad.now());
    out.println("case A: the client multicasts to all servers and takes the first reply");
    out.println("case B: the client asks one server, which multicasts among the servers and replies");
    out.println("ordering: p50 from the multicast until that server has delivered it, of what it is asked to answer");
    out.printf(
        "%n%-5s %-8s %-8s %-22s %-24s %-26s %-22s %s%n",
        "case", "servers", "clients", "request p50", "p99", "requests/s", "ordering, sequencer", "ordering, others");
    for (int servers : options.servers()) {
      for (int clients : options.clients()) {
        measure(options, servers, clients).forEach((how, figures) -> print(out, how, servers, clients, figures));
        out.flush();
      }
    }
    out.printf(Locale.ROOT, "%nload at the end: %.1f%n", MachineLoad.now());
    out.flush();
  }

  private static Map<Case, Figures> measure(Options options, int servers, int clients) throws InterruptedException {
    Map<Case, Figures> figures = new EnumMap<>(Case.class);
    Map<Case, ClientServer> systems = new EnumMap<>(Case.class);
    try {
      for (Case how : Case.values()) {
        systems.put(how, new ClientServer(how, servers, clients, options.ordering(), options.transport()));
        figures.put(how, new Figures());
      }
      for (int round = -1; round < options.rounds(); round++) { // the first one warms up
        for (Case how : MachineLoad.inTurn(List.of(Case.values()), round)) {
          ClientServer.Result result = systems.get(how).run(options.bytes(), options.time().toNanos());
          if (round >= 0) {
            figures.get(how).add(result, clients);
          }
        }
      }
    } finally {
      systems.values().forEach(ClientServer::close);
    }
    return figures;
  }

  private static void print(PrintWriter out, Case how, int servers, int clients, Figures figures) {
    out.printf(
        "%-5s %-8d %-8d %-22s %-24s %-26s %-22s %s%n",
        how,
        servers,
        clients,
        figures.half.show(Numbers::micros),
        figures.tail.show(Numbers::micros),
        figures.perSecond.show(each -> String.format(Locale.ROOT, "%,.0f", each)),
        figures.sequencer.show(Numbers::micros),
        figures.others.show(Numbers::micros));
  }
}
