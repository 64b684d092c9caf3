package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;

/// What the processes of a group have used the processor for while one of them flooded.
///
/// @param messages  how many messages that was
/// @param batches   how many batches these were in
/// @param byCpuTime whether stacks were taken by CPU time, or else by the clock
/// @param processes by rank
record CpuProfile(long messages, long batches, boolean byCpuTime, List<Spending> processes) {
  CpuProfile {
    processes = List.copyOf(processes);
  }

  CpuProfile plus(CpuProfile other) {
    var sums = new ArrayList<Spending>();
    for (int rank = 0; rank < processes.size(); rank++) {
      sums.add(processes.get(rank).plus(other.processes.get(rank)));
    }
    return new CpuProfile(messages + other.messages, batches + other.batches, byCpuTime && other.byCpuTime, sums);
  }

  /// The process that floods, which is the sequencer.
  Spending sender() {
    return processes.getFirst();
  }

  /// All others together.
  Spending receivers() {
    return processes.stream().skip(1).reduce(Spending::plus).orElseThrow();
  }
}
