package org.tutti.bench.trial;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.tutti.bench.trial.PolicyOptions.Failure;
import org.tutti.bench.trial.PolicyOptions.Way;
import org.tutti.lab.network.Conditions;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;

/// Three servers in one place and their clients in another, on a network of the lab: how long calls take, without and
/// with a failure of the request manager. Morgan and Ezhilchelvan, *Policies for using Replica Groups and their
/// effectiveness over the Internet*, section 5.
///
/// Each measurement has processes of its own. A round goes through all of them, every other one in the opposite order.
public final class PolicyRun {
  private static final String CLIENTS = "clients";
  private static final Duration EARLY = Duration.ofMillis(1); // before requests come
  private static final Duration ARRIVAL = Duration.ofMillis(20); // in which all requests have come
  private static final Duration RESETS = Duration.ofMillis(200); // connections that are used meanwhile
  private static final Duration LOOK = Duration.ofMillis(2);
  private static final double MILLION = 1e6;
  private static final int TIMES_SILENT = 4; // for clients in groups

  private final PolicyOptions options;
  private final PrintWriter out;
  private final LabNetwork network;
  private final Path directory;
  private final Map<Case, Numbers> figures = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();

  private record Case(Failure failure, int clients, Way way) {
    String title() {
      return failure.word() + "-" + clients + "-" + way.word();
    }
  }

  private PolicyRun(PolicyOptions options, LabNetwork network, PrintWriter out) {
    this.options = options;
    this.network = network;
    this.out = out;
    this.directory = Instrument.directory(options.out(), "policies");
    for (Failure failure : options.failures()) {
      for (int clients : options.clients()) {
        for (Way way : options.ways()) {
          if (failure == Failure.NONE || way.servers() > 1) {
            figures.put(new Case(failure, clients, way), new Numbers());
          }
        }
      }
    }
  }

  /// Measures, and prints tables.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether all was measured
  /// @throws InterruptedException when interrupted
  /// @throws Unavailable          when such a network cannot be had here, such as without root
  public static boolean measure(PolicyOptions options, PrintWriter out) throws InterruptedException, Unavailable {
    List<String> nodes = new ArrayList<>();
    for (int server = 0; server < PolicyOptions.SERVERS; server++) {
      nodes.add("n" + server);
    }
    nodes.add(CLIENTS);
    LabNetwork network = LabNetwork.open(nodes, 1);
    var hook = new Thread(network::close, "remove network"); // at an interrupt from the keyboard, too
    Runtime.getRuntime().addShutdownHook(hook);
    try (network) {
      var run = new PolicyRun(options, network, out);
      Files.createDirectories(run.directory);
      run.rounds();
      return run.report();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }

  private int clientsNode() {
    return network.numberOf(CLIENTS);
  }

  private void rounds() throws InterruptedException {
    Duration way = options.roundTrip().dividedBy(2);
    for (int server = 0; server < PolicyOptions.SERVERS; server++) {
      Conditions far = Conditions.PERFECT.withDelay(way, Duration.ZERO);
      network.set(clientsNode(), server, far);
      network.set(server, clientsNode(), far);
    }
    for (int round = 0; round < options.rounds(); round++) {
      List<Case> cases = List.copyOf(figures.keySet());
      for (Case each : round % 2 == 0 ? cases : cases.reversed()) {
        once(each, round);
      }
    }
  }

  private void once(Case each, int round) throws InterruptedException {
    try {
      double millis = measured(each, round);
      Objects.requireNonNull(figures.get(each)).add(millis);
      say("round %d, %s: %s ms", round + 1, each.title(), tenths(millis));
    } catch (BenchException failure) {
      failures.add(each.title() + ", round " + (round + 1) + ": " + failure.getMessage());
      say("round %d, %s: nothing: %s", round + 1, each.title(), failure.getMessage());
    } finally {
      heal();
    }
  }

  private void say(String format, Object... values) {
    out.printf(format + "%n", values);
    out.flush();
  }

  /// @return the mean time of calls, in milliseconds
  private double measured(Case each, int round) throws InterruptedException {
    int servers = each.way.servers();
    List<ProcessGroupPlan.Place> places = new ArrayList<>();
    for (int node = 0; node < servers; node++) {
      places.add(new ProcessGroupPlan.Place(network.at(node), network.addressOf(node)));
    }
    places.add(new ProcessGroupPlan.Place(network.at(clientsNode()), network.addressOf(clientsNode())));
    List<String> settings = new ArrayList<>(each.way.settings());
    settings.add("suspect=" + options.suspect().toMillis());
    settings.add("silence=" + options.silence().toMillis() * (each.way.isInGroups() ? TIMES_SILENT : 1));
    String name = each.title() + "-round-" + (round + 1);
    var plan = new ProcessGroupPlan(name, "policies", servers + 1, settings, List.of(), places);
    InstrumentOptions common =
        InstrumentOptions.withOwnLengths(
            servers + 1, 1, Duration.ofSeconds(1), false, options.flags(), false, options.out(), 0, 0, false);
    try (var group = new ProcessGroup(plan, common, directory)) {
      MeasuredProcess clients = group.child(servers);
      clients.ask("callers " + each.clients);
      Map<String, String> times = each.failure == Failure.NONE ? series(clients) : failing(each.failure, group);
      boolean wrongly = !each.failure.isTrue() && ProcessGroup.number(times, "reduced") > 0;
      if (wrongly) {
        throw new BenchException("a server that did not fail has left a view: the machine is too busy");
      }
      return ProcessGroup.number(times, "mean") / MILLION;
    }
  }

  private Map<String, String> series(MeasuredProcess clients) throws InterruptedException {
    clients.tell("series " + options.requests());
    return clients.answer(options.roundTrip().multipliedBy(10L * options.requests()).toNanos());
  }

  private Map<String, String> failing(Failure failure, ProcessGroup group) throws InterruptedException {
    int manager = (int) ProcessGroup.number(group.child(0).ask("manager"), "rank");
    MeasuredProcess clients = group.child(PolicyOptions.SERVERS);
    switch (failure) {
      case NONE -> throw new IllegalArgumentException("nothing fails");
      case TRUE_PRE_SEND -> {
        group.kill(manager);
        clients.ask("call");
      }
      case TRUE_POST_SEND -> {
        untilRequestsCome(clients);
        for (int other : others(manager)) {
          network.cut(manager, other, true);
        }
        LineTrial.pause(EARLY.plus(ARRIVAL).toNanos());
        group.kill(manager);
      }
      case VIRTUAL_PRE_SEND -> {
        network.reset(manager, clientsNode(), RESETS);
        network.reset(clientsNode(), manager, RESETS);
        clients.ask("call");
      }
      case VIRTUAL_POST_SEND -> {
        long before = denials(group, manager);
        untilRequestsCome(clients);
        network.cut(manager, clientsNode(), true);
        while (denials(group, manager) == before && ProcessGroup.number(clients.ask("refuted"), "open") > 0) {
          LineTrial.pause(LOOK.toNanos());
        }
        network.cut(manager, clientsNode(), false);
      }
    }
    return clients.ask("outcome");
  }

  private void untilRequestsCome(MeasuredProcess clients) throws InterruptedException {
    long begun = System.nanoTime();
    clients.ask("call");
    Duration way = options.roundTrip().dividedBy(2);
    LineTrial.pause(way.minus(EARLY).toNanos() - (System.nanoTime() - begun));
  }

  /// How often a suspicion by a client was refuted, or a client was refused.
  private static long denials(ProcessGroup group, int manager) throws InterruptedException {
    long count = ProcessGroup.number(group.child(PolicyOptions.SERVERS).ask("refuted"), "count");
    for (int server = 0; server < PolicyOptions.SERVERS; server++) {
      count += server == manager ? 0 : ProcessGroup.number(group.child(server).ask("refused"), "count");
    }
    return count;
  }

  private List<Integer> others(int server) {
    List<Integer> others = new ArrayList<>();
    for (int node = 0; node < network.names().size(); node++) {
      if (node != server) {
        others.add(node);
      }
    }
    return others;
  }

  private void heal() {
    for (int server = 0; server < PolicyOptions.SERVERS; server++) {
      for (int other : others(server)) {
        network.cut(server, other, false);
      }
    }
  }

  private static String tenths(double millis) {
    return String.format(Locale.ROOT, "%.1f", millis);
  }

  private boolean report() throws IOException {
    Map<String, Object> machine = Machine.description();
    var text = new TextReport(out);
    text.machine(machine, List.of());
    List<Map<String, Object>> raw = new ArrayList<>();
    for (Failure failure : options.failures()) {
      text.table(title(failure), rows(failure));
      Plot.draw(
          directory.resolve(failure.word() + ".png"),
          new Plot.Text(failure.word(), "clients", "ms until the reply"),
          series(failure),
          out);
    }
    figures.forEach((each, numbers) ->
        raw.add(
            Map.of(
                "failure", each.failure.word(),
                "clients", each.clients,
                "way", each.way.word(),
                "milliseconds", numbers.all())));
    Path file = directory.resolve("results.json");
    var results = new ResultFile("policies", machine, List.of());
    results.add("round-trip-nanos", options.roundTrip().toNanos());
    results.add("figures", raw);
    results.write(file, List.of());
    failures.forEach(failure -> say("FAILED %s", failure));
    say("%nraw results: %s", file);
    return failures.isEmpty();
  }

  private String title(Failure failure) {
    return String.format(
        Locale.ROOT,
        "%s: %s, round trip %d ms, suspicion after %d ms, silence of connections %d ms; mean ms, %d rounds",
        failure.word(),
        failure == Failure.NONE ? options.requests() + " requests of each client" : "one request of each client",
        options.roundTrip().toMillis(),
        options.suspect().toMillis(),
        options.silence().toMillis(),
        options.rounds());
  }

  /// The median over the clients, for each way.
  private Map<String, List<double[]>> series(Failure failure) {
    Map<String, List<double[]>> series = new LinkedHashMap<>();
    for (Way way : options.ways()) {
      List<double[]> points = new ArrayList<>();
      for (int clients : options.clients()) {
        Numbers numbers = figures.get(new Case(failure, clients, way));
        if (numbers != null && numbers.rounds() > 0) {
          points.add(new double[] {clients, numbers.median()});
        }
      }
      if (!points.isEmpty()) {
        series.put(way.word(), points);
      }
    }
    return series;
  }

  private List<List<String>> rows(Failure failure) {
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("clients"));
    options.clients().forEach(clients -> head.add(Integer.toString(clients)));
    rows.add(head);
    for (Way way : options.ways()) {
      List<String> row = new ArrayList<>(List.of(way.word()));
      for (int clients : options.clients()) {
        Numbers numbers = figures.get(new Case(failure, clients, way));
        row.add(numbers == null ? "" : numbers.show(PolicyRun::tenths));
      }
      rows.add(row);
    }
    return rows;
  }
}
