package org.tutti.sim.check;

import java.util.Arrays;

/// How many batches of each sender a member's history contains. Unknown counts are -1.
final class Counts {
  private long[] next;

  Counts(int members, boolean known) {
    next = new long[members];
    if (!known) {
      Arrays.fill(next, -1);
    }
  }

  private Counts(long[] next) {
    this.next = next;
  }

  Counts copy() {
    return new Counts(next.clone());
  }

  void forget() {
    Arrays.fill(next, -1);
  }

  long of(int sender) {
    return next[sender];
  }

  void set(int sender, long value) {
    next[sender] = value;
  }
}
