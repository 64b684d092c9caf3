package org.tutti.engine;

/// After a restart: hands the application again, as fast as it consumes, what lies between its own durable state and
/// the place from which the members of the last primary view may hold different things. Until it is over this member
/// has not got the state.
final class Replay {
  private final Restart from;
  private final Deliveries deliveries;
  private final long bytesMax; // handed over before all of it is consumed
  private final long end;
  private long next;

  Replay(Restart from, Deliveries deliveries, long bytesMax) {
    this.from = from;
    this.deliveries = deliveries;
    this.bytesMax = bytesMax;
    this.end = from.stable().index();
    this.next = from.from() == null ? end : Math.min(end, from.from().index());
  }

  /// Goes on.
  ///
  /// @return whether it is over
  boolean step() {
    if (next < end && deliveries.isConsumed()) {
      for (long bytes = 0; next < end && bytes < bytesMax; next++) {
        bytes += deliveries.replay(next, from.at(next));
      }
    }
    return next == end;
  }
}
