package org.tutti.membership;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SortedMap;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.order.Cut;
import org.tutti.order.Run;
import org.tutti.order.SubsetPlace;
import org.tutti.order.Tail;

/// Builds the end of a primary view's history from what members have of it. Pure.
///
/// The members' known places are prefixes of one order, because one ordering decided them;
/// the longest is taken. A place whose batch nobody has is left out: nobody can have delivered it uniformly, and none
/// of its sender's later batches exists here either, as they come in order. What is here without a place follows by
/// stamp, so that causes come before effects, then by rank; the same at all because one proposer decides.
public final class CutBuilder {
  private final View view;
  private final SortedMap<MemberId, Tail> histories;
  private final long base;

  private CutBuilder(View view, SortedMap<MemberId, Tail> histories) {
    this.view = view;
    this.histories = histories;
    this.base = histories.values().stream().mapToLong(Tail::base).max().orElse(0);
  }

  /// The whole history: known places, then everything else that anyone has.
  ///
  /// @param view      the view that ends
  /// @param histories what each who takes part has of it; not empty
  /// @return the cut
  public static Cut whole(View view, SortedMap<MemberId, Tail> histories) {
    return new CutBuilder(view, histories).whole();
  }

  /// The decided part only.
  static Cut decided(View view, SortedMap<MemberId, Tail> histories) {
    return new CutBuilder(view, histories).decided();
  }

  /// Whether those who have a part of the history have, together, every batch of a cut that any of them may miss.
  static boolean isAvailable(Cut cut, SortedMap<MemberId, Tail> histories) {
    for (int rank = 0; rank < cut.sources().size(); rank++) {
      int lane = rank;
      long most = histories.values().stream().mapToLong(tail -> tail.lanes().get(lane).next()).max().orElse(0);
      if (most < cut.batchNext(rank)) {
        return false;
      }
    }
    return !histories.isEmpty();
  }

  /// By rank, who has the most of a sender's batches.
  static List<MemberId> sources(SortedMap<MemberId, Tail> histories, int ranks) {
    List<MemberId> sources = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      MemberId best = histories.firstKey();
      long most = -1;
      for (Map.Entry<MemberId, Tail> entry : histories.entrySet()) {
        long next = entry.getValue().lanes().get(rank).next();
        if (next > most) {
          most = next;
          best = entry.getKey();
        }
      }
      sources.add(best);
    }
    return sources;
  }

  /// Who knows most places. The places that it knows, and the ordering in force behind them, are those of the cut.
  static Tail longest(SortedMap<MemberId, Tail> histories) {
    return histories.values().stream().reduce((one, other) -> other.end() > one.end() ? other : one).orElseThrow();
  }

  private Cut whole() {
    Tail longest = longest(histories);
    long[] unplaced = new long[view.size()];
    long[] available = new long[view.size()];
    for (int rank = 0; rank < view.size(); rank++) {
      unplaced[rank] = firstAbove(rank);
      available[rank] = available(rank, unplaced[rank]);
    }
    List<Run> places = new ArrayList<>();
    for (Run run : Run.between(longest.places(), base - longest.base(), Long.MAX_VALUE)) { // from the base on
      int rank = run.rank();
      if (run.seq() == unplaced[rank]) { // else a batch before it is nowhere
        long end = Math.min(run.next(), available[rank]);
        Run.append(places, rank, run.seq(), end - run.seq());
        unplaced[rank] = end;
      }
    }
    append(places, unplaced, available);
    return new Cut(view.id(), base, places, true, sources(histories, view.size()), true).with(subsets());
  }

  /// Merges what has no place: a sender's batches in their order, among senders by stamp.
  private void append(List<Run> places, long[] next, long[] ends) {
    List<Tail.Lane> lanes = new ArrayList<>();
    for (MemberId source : sources(histories, view.size())) {
      lanes.add(Objects.requireNonNull(histories.get(source)).lanes().get(lanes.size()));
    }
    var lowest =
        new PriorityQueue<Integer>(
            Comparator.comparingLong((Integer rank) -> lanes.get(rank).stamp(next[rank])).thenComparing(rank -> rank));
    for (int rank = 0; rank < next.length; rank++) {
      // Who reports its lanes as it should has a stamp for each of these; the others must not cost a step each.
      long unstamped = Math.min(lanes.get(rank).stampedFrom(), ends[rank]) - next[rank];
      if (unstamped > 0) {
        Run.append(places, rank, next[rank], unstamped);
        next[rank] += unstamped;
      }
      if (next[rank] < ends[rank]) {
        lowest.add(rank);
      }
    }
    while (!lowest.isEmpty()) {
      int rank = lowest.remove();
      Run.append(places, rank, next[rank]++);
      if (next[rank] < ends[rank]) {
        lowest.add(rank);
      }
    }
  }

  /// The subset multicasts that all destinations who take part hold, in their order. Whoever delivered one had heard
  /// from all of its destinations that they hold it; so what is left out was delivered by nobody who takes part, nor by
  /// anybody who shares a destination with them.
  private List<SubsetPlace> subsets() {
    Map<List<Long>, SubsetPlace> known = new LinkedHashMap<>();
    for (Tail tail : histories.values()) {
      for (SubsetPlace subset : tail.subsets().places()) {
        known.merge(
            List.of((long) subset.rank(), subset.number()),
            subset,
            (one, other) -> one.index() == SubsetPlace.UNKNOWN ? other : one);
      }
    }
    return known.values().stream()
        .filter(this::isKept)
        .sorted(
            Comparator.comparingLong(SubsetPlace::index)
                .thenComparing(SubsetPlace::timestamp)
                .thenComparing(SubsetPlace::rank))
        .toList();
  }

  private boolean isKept(SubsetPlace subset) {
    List<Tail> present =
        subset.destinations().stream()
            .map(rank -> histories.get(view.members().get(rank)))
            .filter(Objects::nonNull)
            .toList();
    return !present.isEmpty() && present.stream().allMatch(tail -> tail.subsets().holds(subset));
  }

  private Cut decided() {
    Tail furthest =
        histories.values().stream()
            .reduce((one, other) -> other.decidedNext() > one.decidedNext() ? other : one)
            .orElseThrow();
    List<Run> places = Run.between(furthest.places(), base - furthest.base(), furthest.decidedNext() - furthest.base());
    return new Cut(view.id(), base, places, false, sources(histories, view.size()), true);
  }

  /// How far a sender's batches are here, from one on without a gap.
  private long available(int rank, long from) {
    long next = from;
    for (boolean further = true; further; ) {
      further = false;
      for (Tail tail : histories.values()) {
        Tail.Lane lane = tail.lanes().get(rank);
        if (lane.first() <= next && next < lane.next()) {
          next = lane.next();
          further = true;
        }
      }
    }
    return next;
  }

  /// The first of a sender's batches that does not stand below the base. Whoever reports the base has dropped all below
  /// it; if it has none of the sender's, none stands below.
  private long firstAbove(int rank) {
    for (Tail tail : histories.values()) {
      Tail.Lane lane = tail.lanes().get(rank);
      if (tail.base() == base && lane.next() > 0) {
        return lane.first();
      }
    }
    return histories.values().stream()
        .map(tail -> tail.lanes().get(rank))
        .filter(lane -> lane.next() > 0)
        .mapToLong(Tail.Lane::first)
        .min()
        .orElse(0);
  }
}
