package org.tutti;

/// Names a view: the epoch in which it was proposed and who proposed it.
///
/// Concurrent parts of a partitioned group never share an id, because one proposer uses an epoch once. Along the
/// history of any member the ids rise.
///
/// @param epoch    rises with every attempt to change a view; 0 or more
/// @param proposer the proposing member's incarnation
/// @param alone    0 in the id of a view that was agreed; otherwise the view shows one member that it was left out
///                 until it came back with the agreed view of this epoch and proposer, and this is its incarnation
public record ViewId(long epoch, long proposer, long alone) implements Comparable<ViewId> {
  /// Names a view that was agreed.
  ///
  /// @param epoch    rises with every attempt to change a view; 0 or more
  /// @param proposer the proposing member's incarnation
  public ViewId(long epoch, long proposer) {
    this(epoch, proposer, 0);
  }

  /// Names the view in which a member is alone before it enters the view of this id.
  ///
  /// @param member who was left out
  /// @return an id just below this one, used for nothing else
  public ViewId before(MemberId member) {
    return new ViewId(epoch, proposer, member.incarnation());
  }

  /// The agreed view that this one belongs to.
  ///
  /// @return this id, or that of the view before which a member is alone
  public ViewId agreed() {
    return alone == 0 ? this : new ViewId(epoch, proposer);
  }

  @Override
  public int compareTo(ViewId other) {
    if (epoch != other.epoch) {
      return Long.compare(epoch, other.epoch);
    }
    if (proposer != other.proposer) {
      return Long.compare(proposer, other.proposer);
    }
    int byReturn = Boolean.compare(alone == 0, other.alone == 0); // left out comes before back again
    return byReturn != 0 ? byReturn : Long.compare(alone, other.alone);
  }

  @Override
  public String toString() {
    String agreed = epoch + "." + radix(proposer);
    return alone == 0 ? agreed : agreed + "~" + radix(alone);
  }

  private static String radix(long incarnation) {
    return Long.toString(incarnation, Character.MAX_RADIX);
  }
}
