package org.tutti.bench.trial;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// How many clients each replica has, from the moment at which a new replica serves: load balancing over the whiteboard
/// (JBora, ADAPT deliverable D2, 2004). One replica is killed, the others get its clients, and another process takes
/// its place; again and again. All with the times that nodes have by default.
///
/// Each client makes a call every 20 ms at most, so that the processors have time for who joins.
final class LoadOverTime {
  private static final int CLIENTS = 1; // processes
  private static final int BYTES = 100;
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(4); // longer than replicas wait after a move
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LOOKS_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final int SHOWN_EVERY = 4; // looks, in the table
  private static final double SHARE = 0.8; // of the average, from which on it counts as having its share

  private final ProcessGroup service;
  private final int replicas;
  private final int clients;
  private final PrintWriter progress;
  private final Numbers toShare = new Numbers();
  private final List<Look> last = new ArrayList<>();
  private int rounds;
  private int joined;

  /// Clients of each replica, by rank.
  private record Look(double seconds, List<Integer> connections) {}

  LoadOverTime(ProcessGroup service, int replicas, int clients, PrintWriter progress) {
    this.service = service;
    this.replicas = replicas;
    this.clients = clients;
    this.progress = progress;
  }

  /// Which processes it needs.
  static ProcessGroupPlan group(int replicas) {
    return ReplicaPlan.service(replicas, CLIENTS);
  }

  /// Has replicas join.
  ///
  /// @param times how many
  void run(int times) throws InterruptedException {
    service.child(replicas).ask("load " + clients + " " + BYTES);
    for (int round = 1; round <= times; round++) {
      rounds = round;
      LineTrial.pause(SETTLE_NANOS);
      joined = round % replicas;
      List<Integer> before = connections(-1);
      service.kill(joined);
      LineTrial.pause(SETTLE_NANOS);
      List<Integer> without = connections(joined);
      service.replace(joined);
      double share = looks();
      service.child(replicas).ask("loaded");
      progress.printf(
          "round %d of %d: clients %s, without replica %d %s; it has its share after %s%n",
          round,
          times,
          before,
          joined,
          without,
          Double.isNaN(share) ? "more than 4 s" : Failover.millis(share) + " ms");
      progress.flush();
      if (!Double.isNaN(share)) {
        toShare.add(share);
      }
    }
  }

  /// @return after how many nanoseconds the new replica had its share; not a number when it was not in time
  private double looks() throws InterruptedException {
    last.clear();
    double share = Double.NaN;
    long begun = System.nanoTime();
    for (long next = begun; next <= begun + LOOKS_NANOS; next += LOOK_NANOS) {
      LineTrial.pause(Math.max(0, next - System.nanoTime()));
      List<Integer> now = connections(-1);
      long after = System.nanoTime() - begun;
      last.add(new Look(after / 1e9, now));
      if (Double.isNaN(share) && now.get(joined) >= SHARE * clients / replicas) {
        share = after;
      }
    }
    return share;
  }

  /// @param dead whose number is -1; -1 when all are there
  private List<Integer> connections(int dead) throws InterruptedException {
    List<Integer> all = new ArrayList<>();
    for (int rank = 0; rank < replicas; rank++) {
      all.add(rank == dead ? -1 : (int) ProcessGroup.number(service.child(rank).ask("sessions"), "connections"));
    }
    return all;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    var head = new ArrayList<>(List.of("seconds since it serves"));
    for (int rank = 0; rank < replicas; rank++) {
      head.add("clients of " + named(rank));
    }
    rows.add(head);
    for (int look = 0; look < last.size(); look += SHOWN_EVERY) {
      var row = new ArrayList<>(List.of(String.format(Locale.ROOT, "%.1f", last.get(look).seconds)));
      last.get(look).connections.forEach(count -> row.add(Integer.toString(count)));
      rows.add(row);
    }
    return rows;
  }

  private String named(int rank) {
    return "n" + rank + (rank == joined ? ", new" : "");
  }

  String title() {
    return "load over time, %d clients, the last of %d rounds; 0.8 of its share in %d of them, after ms %s"
        .formatted(clients, rounds, toShare.rounds(), toShare.show(Failover::millis));
  }

  /// The clients of each replica over seconds, in the last round.
  Map<String, List<double[]>> series() {
    Map<String, List<double[]>> series = new LinkedHashMap<>();
    for (int rank = 0; rank < replicas; rank++) {
      int of = rank;
      series.put(
          named(rank), last.stream().map(look -> new double[] {look.seconds, look.connections.get(of)}).toList());
    }
    return series;
  }

  /// For a file of results: nanoseconds to its share in each round, and the looks of the last one.
  Map<String, Object> asMap() {
    return Map.of(
        "nanos-to-share",
        toShare.all(),
        "last-round",
        last.stream().map(look -> Map.of("seconds", look.seconds, "connections", look.connections)).toList());
  }
}
