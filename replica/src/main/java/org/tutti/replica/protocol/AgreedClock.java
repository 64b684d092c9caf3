package org.tutti.replica.protocol;

import java.util.function.LongSupplier;

/// Estimates the time that the replicas agree on, to stamp messages with. Agreed is the highest stamp of the messages
/// up to a position; so it is the same everywhere and never goes back.
///
/// Wall clocks differ and jump, so a replica stamps by how much of its own steady time has passed since it heard a
/// stamp. Its wall clock matters only as long as it has heard none: at the founding of the group, and when all replicas
/// start again.
final class AgreedClock {
  private final LongSupplier nanos;
  private final LongSupplier wallMillis;
  private boolean heard;
  private long ahead; // of the agreed time before the steady one, in milliseconds; the most that was heard

  AgreedClock(LongSupplier nanos, LongSupplier wallMillis) {
    this.nanos = nanos;
    this.wallMillis = wallMillis;
  }

  /// A message has arrived.
  ///
  /// @param agreed the agreed time with it; 0 as long as no message has had a stamp, which says nothing
  void heard(long agreed) {
    if (agreed == 0) {
      return;
    }
    long now = agreed - steadyMillis();
    ahead = heard ? Math.max(ahead, now) : now;
    heard = true;
  }

  /// What to stamp a message with.
  ///
  /// @param agreed the agreed time up to here
  /// @return milliseconds since 1970
  long stamp(long agreed) {
    return Math.max(agreed, heard ? steadyMillis() + ahead : wallMillis.getAsLong());
  }

  private long steadyMillis() {
    return Math.floorDiv(nanos.getAsLong(), 1_000_000L);
  }
}
