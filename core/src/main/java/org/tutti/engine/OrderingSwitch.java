package org.tutti.engine;

import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.pack.Batch;
import org.tutti.pack.Packer;

/// This member's wish for another ordering: asks the group until it is so, or until the member has another wish.
///
/// A switch that stands in the history's end, appended by a view change, has no effect: then it is asked for again.
final class OrderingSwitch {
  private @Nullable Ordering wanted;
  private long askedIn = -1; // the number of the batch that asks, or -1

  void want(Ordering ordering) {
    wanted = ordering;
    askedIn = -1;
  }

  /// Looks at what is so.
  ///
  /// @param now           the ordering in force
  /// @param ownPlacedNext the number behind this member's last batch that the history contains
  /// @param packer        makes the batch
  /// @return a batch to send, or null when nothing is to be asked for
  @Nullable Batch next(Ordering now, long ownPlacedNext, Packer packer) {
    if (wanted == null || now == wanted || ownPlacedNext <= askedIn) {
      return null;
    }
    Batch ask = packer.toSwitch(wanted);
    askedIn = ask.seq();
    return ask;
  }

  /// Whether the wish has come true; it is forgotten then.
  boolean isFulfilled(Ordering now) {
    boolean fulfilled = now == wanted;
    if (fulfilled) {
      wanted = null;
    }
    return fulfilled;
  }
}
