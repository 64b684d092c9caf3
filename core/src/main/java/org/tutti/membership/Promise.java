package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.ViewId;

/// The highest ballot that a member has answered: it answers no lower one any more, and gives its proposer the time to
/// succeed.
final class Promise {
  private final ViewId first;
  private ViewId ballot; // rises
  private @Nullable MemberId proposer;
  private long renewedAt;

  Promise(ViewId ballot) {
    this.first = ballot;
    this.ballot = ballot;
  }

  /// With what this life began: higher than all that earlier lives have promised.
  ViewId first() {
    return first;
  }

  ViewId ballot() {
    return ballot;
  }

  @Nullable MemberId proposer() {
    return proposer;
  }

  boolean isBelow(ViewId other) {
    return other.compareTo(ballot) > 0;
  }

  void make(ViewId to, MemberId from, long now) {
    ballot = to;
    proposer = from;
    renewedAt = now;
  }

  /// The attempt is going on.
  void renew(long now) {
    renewedAt = now;
  }

  boolean isFresh(long now, long patienceNanos) {
    return now - renewedAt < patienceNanos;
  }

  /// Somebody has promised more: ballots of this member are to be higher than that.
  void raise(ViewId other) {
    ballot = new ViewId(other.epoch(), ballot.proposer());
  }

  void check() {
    Invariant.check(ballot.compareTo(first) >= 0, "promises rise");
    MemberId to = proposer;
    Invariant.check(to == null || ballot.proposer() == to.incarnation(), "a ballot is promised to its proposer");
  }
}
