package org.tutti.bench.trial;

import java.util.List;
import java.util.Set;

/// What is measured of a replicated service.
///
/// @param parts    which measurements
/// @param clients  how many call at once
/// @param open     how many calls each has open in a second comparison; 1 for none
/// @param peers    what is measured beside, `TOOLKIT-STACK`
/// @param kills    how often a manager is killed
/// @param sessions how many sessions a replica has when its heap is measured
public record ReplicaOptions(Set<Part> parts, int clients, int open, List<String> peers, int kills, int sessions) {
  private static final int CLIENTS_MAX = 1000;
  private static final int OPEN_MAX = 10_000; // of all clients together
  private static final int KILLS_MAX = 100;
  private static final int SESSIONS_MAX = 10_000; // a service's own bound

  /// One of the measurements.
  public enum Part {
    /// Calls of many clients per second.
    CALLS,

    /// How long one client's call takes.
    LATENCY,

    /// How long clients wait when the manager is killed.
    FAILOVER,

    /// How soon a new replica has its share of the clients.
    BALANCE,

    /// What sessions take of a replica's heap.
    SESSIONS
  }

  /// Checks the ranges.
  public ReplicaOptions {
    parts = Set.copyOf(parts);
    peers = List.copyOf(peers);
    require(!parts.isEmpty(), "nothing to measure");
    require(clients >= 1 && clients <= CLIENTS_MAX, "1 to " + CLIENTS_MAX + " clients call, not " + clients);
    String calls = "1 to " + OPEN_MAX + " calls are open, not " + clients + " times " + open;
    require(open >= 1 && (long) clients * open <= OPEN_MAX, calls);
    require(kills >= 1 && kills <= KILLS_MAX, "1 to " + KILLS_MAX + " managers are killed, not " + kills);
    require(sessions >= 1 && sessions <= SESSIONS_MAX, "1 to " + SESSIONS_MAX + " sessions, not " + sessions);
    for (String peer : peers) {
      boolean known = peer.startsWith(ReplicaPlan.JGROUPS_PEER) || peer.startsWith(ReplicaPlan.AERON_PEER);
      require(known, "peers are jgroups-STACK and aeron-STACK, not " + peer);
    }
  }

  /// Whether so many replicas are enough.
  ///
  /// @param members how many
  /// @throws IllegalArgumentException when no quorum is left without the manager
  public void check(int members) {
    boolean kill = parts.contains(Part.FAILOVER) || parts.contains(Part.BALANCE);
    require(!kill || members > 2, "of " + members + " replicas none serves without the manager");
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
