package org.tutti.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;

/// The asides at one destination that are not delivered, and where they stand among the places of the history.
///
/// The ordering tells of every place before it gives it. Of these places a member needs the keys only as long as an
/// aside is not settled: what arrives later is proposed more than every place has that is given here.
final class PendingAsides {
  /// Whether everything of the ordering that is on its way comes behind a key.
  @FunctionalInterface
  interface Past {
    /// Asks the ordering.
    boolean isPast(long timestamp, int rank);
  }

  /// A place that may come behind an aside which is not settled.
  private record Placed(long index, long timestamp, int rank) {}

  private final Log log;
  private final List<PendingAside> asides = new ArrayList<>(); // few: each sender has one on its way
  private final ArrayDeque<Placed> placed = new ArrayDeque<>(); // while something is not settled
  private Past past = (_, _) -> false;
  private int unsettled;
  private long lastTimestamp; // of the ordering's last place
  private int lastRank;
  private boolean closed; // another ordering is in force behind that place

  PendingAsides(Log log) {
    this.log = log;
  }

  /// The ordering begins.
  void beside(Past ordering) {
    past = ordering;
  }

  /// The ordering gives the next place.
  void placing(long timestamp, int rank) {
    if (closed) {
      return;
    }
    lastTimestamp = timestamp;
    lastRank = rank;
    if (unsettled > 0) {
      placed.add(new Placed(log.knownNext(), timestamp, rank));
    }
  }

  /// The last place was a switch to another ordering.
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /// Whether a decided aside comes behind a switch, where nothing orders it.
  boolean isBehindSwitch(PendingAside aside) {
    return closed && !aside.isBefore(lastTimestamp, lastRank);
  }

  List<PendingAside> list() {
    return List.copyOf(asides);
  }

  @Nullable PendingAside find(int rank, long number) {
    for (PendingAside aside : asides) {
      if (aside.rank == rank && aside.number() == number) {
        return aside;
      }
    }
    return null;
  }

  void add(PendingAside aside) {
    asides.add(aside);
    unsettled++;
  }

  void remove(PendingAside aside) {
    asides.remove(aside);
    if (!aside.isSettled()) {
      settled();
    }
  }

  void clear() {
    asides.clear();
    placed.clear();
    unsettled = 0;
  }

  /// Settles a decided aside if nothing can come before it any more but what has its place.
  void settle(PendingAside aside) {
    if (past.isPast(aside.timestamp(), aside.rank)) {
      aside.settle(firstBehind(aside, log.knownNext()));
      settled();
    }
  }

  private void settled() {
    unsettled--;
    if (unsettled == 0) {
      placed.clear();
    }
  }

  private long firstBehind(PendingAside aside, long none) {
    for (Placed place : placed) {
      if (aside.isBefore(place.timestamp, place.rank)) {
        return place.index;
      }
    }
    return none;
  }

  /// The one that comes first, or could.
  @Nullable PendingAside lowest() {
    PendingAside lowest = null;
    for (PendingAside aside : asides) {
      if (lowest == null || aside.isBefore(lowest.timestamp(), lowest.rank)) {
        lowest = aside;
      }
    }
    return lowest;
  }

  /// The index of the first place that must wait for one of these, or [Long#MAX_VALUE].
  long limit() {
    long limit = Long.MAX_VALUE;
    for (PendingAside aside : asides) {
      limit = Math.min(limit, aside.isSettled() ? aside.index() : firstBehind(aside, Long.MAX_VALUE));
    }
    return limit;
  }

  void check() {
    int open = 0;
    for (PendingAside aside : asides) {
      aside.check();
      open += aside.isSettled() ? 0 : 1;
    }
    Invariant.check(unsettled == open, "asides without a place are counted");
    Invariant.check(unsettled > 0 || placed.isEmpty(), "places are kept only while an aside has none");
  }
}
