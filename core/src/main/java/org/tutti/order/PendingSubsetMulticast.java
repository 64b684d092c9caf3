package org.tutti.order;

import org.tutti.Invariant;
import org.tutti.pack.Batch;

/// One subset multicast at a destination, until it is delivered.
final class PendingSubsetMulticast {
  private static final long OVERHEAD_BYTES = 128; // in memory, however short it is

  final int rank; // the sender's
  final SubsetMessage.SubsetMulticast subset;
  private long timestamp; // proposed here, then final
  private boolean decided;
  private long index = SubsetPlace.UNKNOWN; // once it is settled
  private boolean said; // that it is held

  PendingSubsetMulticast(int rank, SubsetMessage.SubsetMulticast subset, long proposed) {
    this.rank = rank;
    this.subset = subset;
    this.timestamp = proposed;
  }

  Batch batch() {
    return subset.batch();
  }

  long number() {
    return subset.batch().seq();
  }

  long bytes() {
    return subset.batch().payload().remaining() + OVERHEAD_BYTES;
  }

  /// The least timestamp that it has, or could still get.
  long timestamp() {
    return timestamp;
  }

  boolean isDecided() {
    return decided;
  }

  void decide(long last) {
    timestamp = last;
    decided = true;
  }

  boolean isSettled() {
    return index != SubsetPlace.UNKNOWN;
  }

  /// The index of the first place behind it, once it is settled.
  long index() {
    return index;
  }

  void settle(long at) {
    index = at;
  }

  boolean isSaid() {
    return said;
  }

  void said() {
    said = true;
  }

  /// Whether it comes before a key, as far as can be known.
  boolean isBefore(long otherTimestamp, int otherRank) {
    return timestamp < otherTimestamp || (timestamp == otherTimestamp && rank < otherRank);
  }

  SubsetPlace place() {
    return new SubsetPlace(rank, number(), subset.destinations(), index, timestamp);
  }

  void check() {
    Invariant.check(decided || !isSettled(), "only what is decided has its place");
    Invariant.check(isSettled() || !said, "only what has its place is said to be held");
  }
}
