package org.tutti;

/// Names a view: the epoch in which it was proposed and who proposed it.
///
/// Concurrent parts of a partitioned group never share an id, because one proposer uses an epoch once. Along the
/// history of any member the ids rise.
///
/// @param epoch    rises with every attempt to change a view; 0 or more
/// @param proposer the proposing member's incarnation
public record ViewId(long epoch, long proposer) implements Comparable<ViewId> {
  @Override
  public int compareTo(ViewId other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(proposer, other.proposer);
  }

  @Override
  public String toString() {
    return epoch + "." + Long.toString(proposer, Character.MAX_RADIX);
  }
}
