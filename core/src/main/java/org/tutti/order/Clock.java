package org.tutti.order;

/// A logical clock (Lamport, "Time, clocks, and the ordering of events in a distributed system", 1978): whatever a
/// member stamps is higher than every stamp that it has seen.
public final class Clock {
  private long last;

  /// Makes a clock that has seen nothing.
  public Clock() {}

  /// Stamps an event of this member.
  ///
  /// @return higher than all that was stamped or seen here; at least 1
  public long tick() {
    return ++last;
  }

  /// Takes notice of another member's stamp.
  ///
  /// @param stamp what it says, at least 0
  public void witness(long stamp) {
    last = Math.max(last, stamp);
  }

  /// The highest stamp given or seen.
  ///
  /// @return 0 at first
  public long now() {
    return last;
  }
}
