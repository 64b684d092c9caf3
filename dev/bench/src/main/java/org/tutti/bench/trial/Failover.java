package org.tutti.bench.trial;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Kills the replica that is the manager, by SIGKILL, while clients call one time after the other, and starts another
/// one in its place; again and again. All with the times of the failure detector that nodes have by default.
final class Failover {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int CLIENTS = 1; // processes

  private final ProcessGroup service;
  private final int replicas;
  private final PrintWriter progress;
  private final Numbers anywhere = new Numbers();
  private final Numbers manager = new Numbers();

  /// @param service as [#group]
  Failover(ProcessGroup service, int replicas, PrintWriter progress) {
    this.service = service;
    this.replicas = replicas;
    this.progress = progress;
  }

  /// Which processes it needs.
  static ProcessGroupPlan group(int replicas) {
    return ReplicaPlan.service(replicas, CLIENTS);
  }

  /// Kills managers.
  ///
  /// @param kills how many
  void run(int kills) throws InterruptedException {
    MeasuredProcess clients = service.child(replicas);
    clients.ask("steady");
    settled(clients); // both have an answer
    for (int kill = 1; kill <= kills; kill++) {
      clients.ask("mark");
      int rank = (int) ProcessGroup.number(service.child(kill % replicas).ask("manager"), "rank");
      long killed = System.nanoTime();
      service.kill(rank);
      long gone = System.nanoTime();
      clients.tell("silence " + killed + " " + gone);
      Map<String, String> silence = clients.answer(PATIENCE_NANOS);
      anywhere.add(ProcessGroup.number(silence, "anywhere"));
      manager.add(ProcessGroup.number(silence, "manager"));
      progress.printf(
          "kill %d of %d, replica %d: the process is gone after %s ms; answers after %s ms, at the manager %s ms%n",
          kill,
          kills,
          rank,
          millis(gone - killed),
          millis(ProcessGroup.number(silence, "anywhere")),
          millis(ProcessGroup.number(silence, "manager")));
      progress.flush();
      service.replace(rank);
      settled(clients);
    }
  }

  /// Waits until both clients are answered again.
  private static void settled(MeasuredProcess clients) throws InterruptedException {
    long now = System.nanoTime();
    clients.tell("silence " + now + " " + now);
    clients.answer(PATIENCE_NANOS);
  }

  static String millis(double nanos) {
    return String.format(Locale.ROOT, "%,.1f", nanos / 1e6);
  }

  List<List<String>> rows() {
    return List.of(
        List.of("from the kill to the next answer", "median ms [lowest..highest]"),
        List.of("client at any replica", anywhere.show(Failover::millis)),
        List.of("client at the manager", manager.show(Failover::millis)));
  }

  /// For a file of results, in nanoseconds.
  Map<String, Object> asMap() {
    return Map.of("anywhere", anywhere.all(), "manager", manager.all());
  }
}
