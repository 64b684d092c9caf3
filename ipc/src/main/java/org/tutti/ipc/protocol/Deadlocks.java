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
          graph.post(waiting.target.host(), new Chase(origin, List.of(mark(process, waiting)), 0, waiting.edge));
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
    long mark = mark(process, waiting);
    List<Long> marks = chase.marks();
    int passed = chase.passed();
    if (order == 0) {
      if (!isSame(marks, 0, mark)) {
        return;
      }
      if (passed == 0) {
        forward(chase, marks, 1, waiting);
      } else if (passed == marks.size()) {
        graph.found(process);
      }
    } else if (order < 0 && passed == 0 && marks.size() < PairMessage.HOPS_MAX && !marks.contains(mark)) {
      List<Long> more = new ArrayList<>(marks);
      more.add(mark);
      forward(chase, more, 0, waiting);
    } else if (order < 0 && passed > 0 && isSame(marks, passed, mark)) {
      forward(chase, marks, passed + 1, waiting);
    }
  }

  /// Whether a process waits in the same call as the first time round.
  private static boolean isSame(List<Long> marks, int index, long mark) {
    return index < marks.size() && marks.get(index) == mark;
  }

  private void forward(Chase chase, List<Long> marks, int passed, Waiting waiting) {
    graph.post(waiting.target.host(), new Chase(chase.origin(), marks, passed, waiting.edge));
  }

  /// Of a process and its call. A probe of one that waits for a cycle, and is in none, ends where it finds its mark.
  private long mark(int process, Waiting waiting) {
    long mixed = (self.incarnation() * 0x9E3779B97F4A7C15L + process) * 0xC2B2AE3D27D4EB4FL + waiting.count;
    return mixed ^ mixed >>> 29;
  }
}
