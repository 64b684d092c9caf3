package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What sessions take of the heap of a replica that has them all, and all their connections: the only one of its
/// service. Each session has had one command.
final class SessionMemory {
  /// Clients of a process: each takes a thread and three file descriptors.
  private static final int CLIENTS_MAX = 2000;

  private static final int BYTES = 100;
  private static final double MIB = 1 << 20;
  private static final long OPENING_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final ProcessGroup service;
  private final int wanted;
  private Map<String, String> before = Map.of();
  private Map<String, String> after = Map.of();
  private Map<String, String> counts = Map.of();

  /// @param service  as [#group]
  /// @param sessions how many
  SessionMemory(ProcessGroup service, int sessions) {
    this.service = service;
    this.wanted = sessions;
  }

  /// Which processes it needs.
  static ProcessGroupPlan group(int sessions) {
    return ReplicaPlan.service(1, Math.ceilDiv(sessions, CLIENTS_MAX), "suspect=long");
  }

  void run() throws InterruptedException {
    MeasuredProcess replica = service.child(0);
    before = memory(replica);
    var clients = new ArrayList<MeasuredProcess>();
    int left = wanted;
    for (int rank = 1; rank < service.size(); rank++) {
      int these = Math.ceilDiv(left, service.size() - rank);
      clients.add(service.child(rank));
      clients.getLast().tell("sessions " + these + " " + BYTES);
      left -= these;
    }
    ProcessGroup.answers(clients, OPENING_NANOS);
    counts = replica.ask("sessions");
    after = memory(replica);
  }

  private static Map<String, String> memory(MeasuredProcess replica) throws InterruptedException {
    var memory = new HashMap<>(replica.ask("memory"));
    memory.put("objects", replica.ask("objects").get("bytes"));
    return memory;
  }

  private static String mib(double bytes) {
    return String.format(Locale.ROOT, "%,.1f", bytes / MIB);
  }

  private static List<String> row(String name, Map<String, String> memory) {
    return List.of(
        name,
        mib(ProcessGroup.number(memory, "objects")),
        mib(ProcessGroup.number(memory, "live")),
        mib(ProcessGroup.number(memory, "direct")));
  }

  List<List<String>> rows() {
    String with = counts.get("sessions") + " sessions, " + counts.get("connections") + " connections";
    return List.of(
        List.of("", "live objects MiB", Measure.HEAP.title(), Measure.DIRECT.title()),
        row("no session", before),
        row(with, after));
  }

  /// For a file of results, in bytes.
  Map<String, Object> asMap() {
    return Map.of("before", before, "after", after, "counts", counts);
  }
}
