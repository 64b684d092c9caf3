package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.ServiceHistory.SessionEnd;

/// Sees sessions that expire too soon. None does within half its life of when a replica has opened it. While no
/// replica serves, no client can be heard; so when one serves again, a session from before lives for one more life,
/// unless its client closes it.
///
/// What counts is when the message was multicast that says the time at which a session expires. It may be older than
/// an outage, and be delivered after it: then what expires had not been heard for a life when the outage began. The
/// replica that multicasts it has served for a life itself, by its own clock; so half a life is asked for, however
/// clocks drift. That somebody serves is what any replica believes, also one that is cut off or stands still: some
/// outages are not seen, but those that are seen are outages.
final class SessionLives {
  private static final int TICK_BYTES = 1 + Long.BYTES; // a kind and the time; a CLOSE has the session there

  /// When the time was told.
  ///
  /// @param nanos       the time, as it was
  /// @param servedNanos for how long replicas had served then without a pause
  /// @param position    where the history stood when they began
  private record Tick(long nanos, long servedNanos, long position) {}

  private final ServiceHistory history;
  private final long lifeNanos;
  private final Map<ByteBuffer, Tick> ticks = new HashMap<>(); // by the message
  private final Map<ByteBuffer, Long> posted = new HashMap<>(); // when, for the first time
  private final Map<Long, Long> opened = new HashMap<>(); // when that was multicast, by session
  private boolean serving;
  private long since;
  private long position;

  SessionLives(ServiceHistory history, long lifeMillis) {
    this.history = history;
    this.lifeNanos = lifeMillis * 1_000_000;
  }

  /// Replicas serve now, or do not.
  ///
  /// @param nanos the time
  /// @param of    the replicas that believe to serve
  void serve(long nanos, List<SimulatedReplica> of) {
    if (!serving && !of.isEmpty()) {
      since = nanos;
      position = of.stream().mapToLong(replica -> replica.protocol().positionNext()).max().orElseThrow();
    }
    serving = !of.isEmpty();
  }

  /// A replica that serves multicasts something.
  ///
  /// @param serves since when it believes to serve: it may have stood still, as if it was gone, while nobody did
  void post(long nanos, long serves, ByteBuffer message) {
    posted.putIfAbsent(message.duplicate(), nanos);
    if (message.remaining() == TICK_BYTES) {
      ticks.put(message.duplicate(), new Tick(nanos, nanos - Math.min(since, serves), position));
    }
  }

  /// Sessions have ended.
  ///
  /// @param message at which
  void end(ByteBuffer message, List<SessionEnd> ends) {
    Tick tick = ticks.get(message);
    if (tick == null) {
      return;
    }
    for (SessionEnd end : ends) {
      boolean isClosed = message.getLong(message.position() + 1) == end.session();
      if (!isClosed && tick.servedNanos < lifeNanos / 2 && end.session() <= tick.position) {
        String words = ", when replicas served again for " + tick.servedNanos + " ns; its life is " + lifeNanos;
        history.violate("SessionOutlivesOutage", end + words);
      }
      long aged = tick.nanos - opened.getOrDefault(end.session(), Long.MIN_VALUE / 2);
      if (!isClosed && aged < lifeNanos / 2) {
        history.violate("SessionLivesItsLife", end + ", " + aged + " ns after it was opened; its life is " + lifeNanos);
      }
    }
  }

  /// A replica is delivered a message.
  ///
  /// @param place its position: a session has the number of the one behind its opening
  void delivered(ByteBuffer message, long place) {
    Long at = posted.get(message);
    if (at != null) {
      opened.putIfAbsent(place + 1, at);
    }
  }
}
