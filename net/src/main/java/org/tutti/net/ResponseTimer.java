package org.tutti.net;

import java.util.concurrent.TimeUnit;

/// Something is on the way to a peer or waits to be, so the peer has to say something: when it is asked to, and for how
/// long it has said nothing.
final class ResponseTimer {
  private static final long PROBE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  private static final long MULTICAST_PROBE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(6); // its link says something after 5 ms
  private static final long PROBE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final UdpLoop loop;
  private final Flight flight;
  private final MulticastPeer multicasts;
  private boolean on;
  private long since;
  private long probeAt;
  private int probes;

  ResponseTimer(UdpLoop loop, Flight flight, MulticastPeer multicasts) {
    this.loop = loop;
    this.flight = flight;
    this.multicasts = multicasts;
  }

  boolean isOn() {
    return on;
  }

  /// From now on, unless it has begun.
  void begin() {
    if (!on) {
      on = true;
      since = loop.nowNanos;
      pause();
    }
  }

  /// The peer has said what was waited for, or does not have to.
  void end() {
    on = false;
    probes = 0;
  }

  /// The peer has said something. That puts off no probe: all that is on the way may be lost.
  void heard() {
    since = loop.nowNanos;
  }

  /// Too long nothing was heard.
  boolean isSilence() {
    return on && loop.nowNanos - since > loop.config.silenceMax().toNanos();
  }

  /// A probe is due.
  boolean isProbeDue() {
    return on && loop.nowNanos - probeAt >= 0;
  }

  /// When the next probe is due, in nanoseconds from now.
  long pauseNanos() {
    return probeAt - loop.nowNanos;
  }

  /// A probe was sent.
  void probed() {
    probes++;
    pause();
  }

  private void pause() {
    long roundTrip = flight.roundTripNanos();
    long patience =
        multicasts.isOnTheWay(flight.rested())
            ? MULTICAST_PROBE_NANOS + 2 * roundTrip
            : Math.max(PROBE_MIN_NANOS, AckState.AFTER_NANOS + 4 * roundTrip);
    probeAt = loop.nowNanos + Math.min(PROBE_MAX_NANOS, patience << Math.min(probes, 5));
  }
}
