package org.tutti.sim;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Counts what happened in a run.
final class RunCounts {
  private final long[] faults = new long[FaultKind.values().length];
  private final List<SplitTable.Split> splits = new ArrayList<>();
  long frames;
  long multicasts;
  long deliveries;
  long early;
  long inBranches;
  long undecided;
  long subsets;
  long subsetDeliveries;
  long spills;
  long views;
  long transfers;
  boolean firstCrashed;
  boolean senderCrashed;

  void fault(FaultKind kind) {
    faults[kind.ordinal()]++;
  }

  void split(SplitShape shape, long nanos) {
    splits.add(new SplitTable.Split(shape, nanos));
  }

  /// The splits of all shapes, in order.
  List<SplitTable.Split> splits() {
    return splits;
  }

  /// How often each kind of fault happened; kinds that did not are absent.
  Map<FaultKind, Long> faults() {
    Map<FaultKind, Long> counts = new EnumMap<>(FaultKind.class);
    for (FaultKind kind : FaultKind.values()) {
      if (faults[kind.ordinal()] > 0) {
        counts.put(kind, faults[kind.ordinal()]);
      }
    }
    return counts;
  }
}
