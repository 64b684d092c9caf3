package org.tutti.sim.check;

import java.util.Arrays;

/// How many batches of each sender a member's history contains, exactly or at least.
final class Counts {
  private final long[] next;
  private final boolean[] exact;

  Counts(int members, boolean known) {
    next = new long[members];
    exact = new boolean[members];
    Arrays.fill(exact, known);
  }

  private Counts(Counts other) {
    next = other.next.clone();
    exact = other.exact.clone();
  }

  Counts copy() {
    return new Counts(this);
  }

  /// Counts are not known exactly any more.
  ///
  /// @param atLeast whether there are at least as many as before
  void forget(boolean atLeast) {
    Arrays.fill(exact, false);
    if (!atLeast) {
      Arrays.fill(next, 0);
    }
  }

  boolean allows(int sender, long seq) {
    return exact[sender] ? seq == next[sender] : seq >= next[sender];
  }

  long of(int sender) {
    return next[sender];
  }

  void set(int sender, long value) {
    next[sender] = value;
    exact[sender] = true;
  }
}
