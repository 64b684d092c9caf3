package org.tutti.net.udp;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/// What is decided about long multicasts: whether one waits for frames that end like it, as links send the same to all,
/// but not at the same moment; and whether one goes as one datagram, which the network breaks.
final class LongMulticasts {
  static final long WHOLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long COMPANY_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  static final long LONE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  static final long LONE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  private static final int SOME_MAX = 64; // more than queues hold

  private final int[] some = new int[SOME_MAX]; // the last contents that have left for some peers, by their hashes
  private int someAt;
  private long loneNanos; // after a wait in vain nobody waits for so long
  private long loneUntil;
  private long lostNanos;

  /// Begins without loss.
  ///
  /// @param now the time, in nanoseconds as everywhere here
  LongMulticasts(long now) {
    loneUntil = now;
    lostNanos = now - WHOLE_AFTER_NANOS;
  }

  // ---- company -----------------------------------------------------------------------------------------------------

  /// Whether a long multicast that others may get as well had better wait for their frames. It waits the less often the
  /// more often that was in vain.
  ///
  /// @param company how many peers may be expected to get the same
  boolean awaitsCompany(long now, MulticastDatagram multicast, int company) {
    if (multicast.outgoings.size() >= company) {
      loneNanos = 0;
      return false;
    }
    if (now - loneUntil < 0 || hasLeft(multicast)) {
      leavesSome(multicast);
      return false;
    }
    if (multicast.companyUntil == 0) {
      multicast.companyUntil = now + COMPANY_NANOS;
    }
    if (multicast.companyNanos(now) > 0) {
      return true;
    }
    loneNanos = Math.clamp(2 * loneNanos, LONE_MIN_NANOS, LONE_MAX_NANOS);
    loneUntil = now + loneNanos;
    leavesSome(multicast);
    return false;
  }

  /// It leaves without some of those that may get the same: what ends like it does not wait for the others again.
  private void leavesSome(MulticastDatagram multicast) {
    some[someAt++ % some.length] = multicast.key.hashCode();
  }

  /// Whether frames that end like it have left for some peers before.
  private boolean hasLeft(MulticastDatagram multicast) {
    int hash = multicast.key.hashCode();
    return Arrays.stream(some).anyMatch(one -> one == hash);
  }

  // ---- whole -------------------------------------------------------------------------------------------------------

  /// Multicasts were lost: until that is over a lost packet had better not cost those that belong with it.
  void lost(long now) {
    lostNanos = now;
  }

  /// Whether one goes as one datagram, as it takes least of line and processor.
  boolean goesWhole(long now, MulticastDatagram multicast) {
    if (now - lostNanos < WHOLE_AFTER_NANOS) {
      return false;
    }
    for (OutgoingDatagram outgoing : multicast.outgoings) {
      if (!outgoing.peer.takesWhole()) {
        return false;
      }
    }
    return true;
  }
}
