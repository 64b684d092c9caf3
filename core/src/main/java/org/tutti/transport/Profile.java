package org.tutti.transport;

import java.time.Duration;

/// What lies between the nodes of a group: what all who wait for each other go by.
public enum Profile {
  /// One machine without other load, as in tests: a heartbeat of 20 ms, suspicion after 200 ms of silence. A machine
  /// that stops for longer, as busy ones do, changes views.
  LOCAL(20, 200),
  /// One network of one site: a heartbeat of 100 ms, suspicion after 1 s.
  LAN(100, 1000),
  /// Distant sites: a heartbeat of 500 ms, suspicion after 5 s, and larger buffers where the transport has some.
  WAN(500, 5000);

  private final Duration heartbeat;
  private final Duration suspectAfter;

  Profile(int heartbeatMillis, int suspectMillis) {
    heartbeat = Duration.ofMillis(heartbeatMillis);
    suspectAfter = Duration.ofMillis(suspectMillis);
  }

  /// How often a node that is silent shows that it lives.
  ///
  /// @return a tenth of [#suspectAfter()]
  public Duration heartbeat() {
    return heartbeat;
  }

  /// After what silence a peer is suspected.
  ///
  /// @return 200 ms to 5 s
  public Duration suspectAfter() {
    return suspectAfter;
  }
}
