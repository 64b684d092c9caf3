package org.tutti.bench.trial;

import java.util.List;

/// What is measured of questions to members in other processes.
///
/// @param transport by which Tutti's hosts talk, its name
/// @param askers    how many processes ask at a time, 1 to 64
/// @param peers     what is measured beside, `jgroups-STACK`
public record IpcOptions(String transport, int askers, List<String> peers) {
  private static final int ASKERS_MAX = 64; // as many questions as a member's queue takes

  /// Checks the ranges.
  public IpcOptions {
    peers = List.copyOf(peers);
    requireAskers(askers);
    for (String peer : peers) {
      if (!peer.startsWith(ReplicaPlan.JGROUPS_PEER)) {
        throw new IllegalArgumentException("peers are jgroups-STACK, not " + peer);
      }
    }
  }

  /// Whether so many can ask at a time.
  ///
  /// @param askers how many
  /// @throws IllegalArgumentException when there are none, or too many
  public static void requireAskers(int askers) {
    if (askers < 1 || askers > ASKERS_MAX) {
      throw new IllegalArgumentException("1 to " + ASKERS_MAX + " processes ask at a time, not " + askers);
    }
  }
}
