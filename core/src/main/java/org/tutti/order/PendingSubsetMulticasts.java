package org.tutti.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.pack.Batch;

/// The subset multicasts at one destination that are not delivered, and where they stand among the places of the
/// history.
///
/// The ordering tells of every place before it gives it. Of these places a member needs the keys only as long as a
/// subset multicast is not settled: what arrives later is proposed more than every place has that is given here.
final class PendingSubsetMulticasts {
  /// Whether everything of the ordering that is on its way comes behind a key.
  @FunctionalInterface
  interface Past {
    /// Asks the ordering.
    boolean isPast(long timestamp, int rank);
  }

  /// A place that may come behind a subset multicast which is not settled.
  private record Placed(long index, long timestamp, int rank) {}

  private final Log log;
  private final List<Entry> subsets = new ArrayList<>(); // few: each sender has one on its way
  private final ArrayDeque<Placed> placed = new ArrayDeque<>(); // while something is not settled
  private Past past = (_, _) -> false;
  private int unsettled;
  private long lastTimestamp; // of the ordering's last place
  private int lastRank;
  private boolean closed; // another ordering is in force behind that place

  PendingSubsetMulticasts(Log log) {
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

  /// Whether a decided subset multicast comes behind a switch, where nothing orders it.
  boolean isBehindSwitch(Entry subset) {
    return closed && !subset.isBefore(lastTimestamp, lastRank);
  }

  List<Entry> list() {
    return List.copyOf(subsets);
  }

  @Nullable Entry find(int rank, long number) {
    for (Entry subset : subsets) {
      if (subset.rank == rank && subset.number() == number) {
        return subset;
      }
    }
    return null;
  }

  void add(Entry subset) {
    subsets.add(subset);
    unsettled++;
  }

  void remove(Entry subset) {
    subsets.remove(subset);
    if (!subset.isSettled()) {
      settled();
    }
  }

  void clear() {
    subsets.clear();
    placed.clear();
    unsettled = 0;
  }

  /// Settles a decided subset multicast if nothing can come before it any more but what has its place.
  void settle(Entry subset) {
    if (past.isPast(subset.timestamp(), subset.rank)) {
      subset.settle(firstBehind(subset, log.knownNext()));
      settled();
    }
  }

  private void settled() {
    unsettled--;
    if (unsettled == 0) {
      placed.clear();
    }
  }

  private long firstBehind(Entry subset, long none) {
    for (Placed place : placed) {
      if (subset.isBefore(place.timestamp, place.rank)) {
        return place.index;
      }
    }
    return none;
  }

  /// The one that comes first, or could.
  @Nullable Entry lowest() {
    Entry lowest = null;
    for (Entry subset : subsets) {
      if (lowest == null || subset.isBefore(lowest.timestamp(), lowest.rank)) {
        lowest = subset;
      }
    }
    return lowest;
  }

  /// The index of the first place that must wait for one of these, or [Long#MAX_VALUE].
  long limit() {
    long limit = Long.MAX_VALUE;
    for (Entry subset : subsets) {
      limit = Math.min(limit, subset.isSettled() ? subset.index() : firstBehind(subset, Long.MAX_VALUE));
    }
    return limit;
  }

  void check() {
    int open = 0;
    for (Entry subset : subsets) {
      subset.check();
      open += subset.isSettled() ? 0 : 1;
    }
    Invariant.check(unsettled == open, "subset multicasts without a place are counted");
    Invariant.check(unsettled > 0 || placed.isEmpty(), "places are kept only while a subset multicast has none");
  }

  /// One subset multicast at a destination, until it is delivered.
  static final class Entry {
    private static final long OVERHEAD_BYTES = 128; // in memory, however short it is

    final int rank; // the sender's
    final SubsetMessage.SubsetMulticast subset;
    private long timestamp; // proposed here, then final
    private boolean decided;
    private long index = SubsetPlace.UNKNOWN; // once it is settled
    private boolean said; // that it is held

    Entry(int rank, SubsetMessage.SubsetMulticast subset, long proposed) {
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
}
