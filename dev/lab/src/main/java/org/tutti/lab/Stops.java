package org.tutti.lab;

import java.util.BitSet;

/// When one member, or anybody, delivered something, in steps of ten milliseconds; the files of several members are
/// read in any order.
final class Stops {
  private static final long STEP_NANOS = 10_000_000;

  private final long startNanos = System.nanoTime();
  private final BitSet busy = new BitSet();
  private long deliveries;

  void delivered(long nanos) {
    deliveries++;
    busy.set(step(nanos));
  }

  private int step(long nanos) {
    return (int) (Math.max(0, nanos - startNanos) / STEP_NANOS);
  }

  long deliveries() {
    return deliveries;
  }

  /// The longest time without a delivery between two moments.
  long longestNanos(long fromNanos, long toNanos) {
    int end = step(toNanos);
    int longest = 0;
    for (int at = step(fromNanos); at < end; ) {
      int quiet = busy.nextClearBit(at);
      int next = busy.nextSetBit(quiet);
      int until = next < 0 ? end : Math.min(next, end);
      longest = Math.max(longest, until - quiet);
      at = Math.max(until, quiet + 1);
    }
    return longest * STEP_NANOS;
  }
}
