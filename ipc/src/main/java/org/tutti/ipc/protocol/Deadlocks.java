package org.tutti.ipc.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.PairMessage.Chase;
import org.tutti.ipc.protocol.PairMessage.Edge;

/// Finds cycles of processes that each wait for the next one, by probes along these edges.
///
/// A process *waits for* another when just one call of it waits, and that is a send, a request or a receive for this
/// one only. A process that has waited through two looks sends a probe to the one that it waits for. Each process that
/// gets it forwards it when it waits, too. When it comes back, all of the cycle have waited, but perhaps not at the
/// same time: a call may have run out of time, and another one have begun. So the probe goes round once more; when each
/// process has begun no other call meanwhile, all of them waited when the first round ended, and the process where it
/// began is told.
///
/// Only the largest process of a cycle is told: others drop the probes of smaller ones.
///
/// Source: K. M. Chandy, J. Misra, L. M. Haas, *Distributed Deadlock Detection*, ACM TOCS 1(2), 1983: probes along the
/// edges. That the largest one alone is told is due to D. P. Mitchell and M. J. Merritt, PODC 1984. The second round is
/// ours: their processes do not give up waiting.
final class Deadlocks {
  /// A process that waits for another.
  ///
  /// @param target whom it waits for
  /// @param edge   by which call
  /// @param count  how many calls it has begun; the same call waits as long as this number stays the same
  record Waiting(ProcessId target, Edge edge, long count) {}

  /// What is asked of the host.
  interface Graph {
    /// The processes that may wait.
    List<Integer> processes();

    /// Whom a process waits for, or null.
    @Nullable Waiting waiting(int process);

    /// Whether an edge that begins at another host is one seen from here, where it ends.
    boolean stands(MemberId from, Edge edge);

    void post(MemberId to, Chase chase);

    /// A process waits for itself.
    void found(int process);
  }

  private final MemberId self;
  private final Graph graph;
  private final Map<Integer, Long> before = new LinkedHashMap<>(); // counts of those that waited at the last look

  Deadlocks(MemberId self, Graph graph) {
    this.self = self;
    this.graph = graph;
  }

  /// Sends probes for those that have waited since the last look.
  void look() {
    Map<Integer, Long> now = new LinkedHashMap<>();
    for (int process : graph.processes()) {
      Waiting waiting = graph.waiting(process);
      if (waiting != null) {
        now.put(process, waiting.count);
        if (Long.valueOf(waiting.count).equals(before.get(process))) {
          var origin = new ProcessId(self, process);
          graph.post(waiting.target.host(), new Chase(origin, List.of(waiting.count), 0, waiting.edge));
        }
      }
    }
    before.clear();
    before.putAll(now);
  }

  /// A probe has come to the end of an edge.
  void arrived(MemberId from, Chase chase) {
    int process = chase.edge().pair().to();
    Waiting waiting = graph.stands(from, chase.edge()) ? graph.waiting(process) : null;
    if (waiting == null) {
      return;
    }
    int order = new ProcessId(self, process).compareTo(chase.origin());
    List<Long> counts = chase.counts();
    int passed = chase.passed();
    if (order == 0) {
      if (!isSame(counts, 0, waiting)) {
        return;
      }
      if (passed == 0) {
        forward(chase, counts, 1, waiting);
      } else if (passed == counts.size()) {
        graph.found(process);
      }
    } else if (order < 0 && passed == 0 && counts.size() < PairMessage.HOPS_MAX) {
      List<Long> more = new ArrayList<>(counts);
      more.add(waiting.count);
      forward(chase, more, 0, waiting);
    } else if (order < 0 && passed > 0 && isSame(counts, passed, waiting)) {
      forward(chase, counts, passed + 1, waiting);
    }
  }

  /// Whether a process waits in the same call as the first time round.
  private static boolean isSame(List<Long> counts, int index, Waiting waiting) {
    return index < counts.size() && counts.get(index) == waiting.count;
  }

  private void forward(Chase chase, List<Long> counts, int passed, Waiting waiting) {
    graph.post(waiting.target.host(), new Chase(chase.origin(), counts, passed, waiting.edge));
  }
}
