package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.sim.check.Violation;

/// What it means for a group to have come to rest: all living members in one primary view with each other and nobody
/// else, nothing under way.
final class Convergence {
  private static final long NANOS_PER_CHUNK = 400_000_000;

  private Convergence() {}

  /// Whether some are in one primary view with each other and nobody else.
  ///
  /// @param members who they are
  /// @param views   the view of each
  static boolean areTogether(List<MemberId> members, List<@Nullable View> views) {
    View first = views.isEmpty() ? null : views.getFirst();
    return first != null
        && first.primary()
        && new TreeSet<>(first.members()).equals(new TreeSet<>(members))
        && views.stream().allMatch(first::equals);
  }

  /// What keeps the group from being at rest.
  ///
  /// @return words, or null when it is at rest
  static @Nullable String obstacle(SimulatedCluster cluster) {
    List<SimulatedApplication> members = cluster.members();
    for (SimulatedApplication life : cluster.lives()) {
      if (life.node.isAlive() && life.isLeaving() && !life.isClosed()) {
        return life.node.self + " wants to leave and is still here";
      }
      if (life.isClosed() && !life.isLeaving() && life.node.isAlive() && !wasTooSlow(life)) {
        return life.node.self + " was closed and had not asked for it";
      }
    }
    if (members.isEmpty()) {
      return "nobody is left";
    }
    List<MemberId> expected = members.stream().map(member -> member.node.self).sorted().toList();
    View first = members.getFirst().view();
    for (SimulatedApplication member : members) {
      View view = member.view();
      if (view == null) {
        return member.node.self + " has no view";
      }
      if (!view.primary()) {
        return member.node.self + " is in " + view;
      }
      if (!view.equals(first)) {
        return member.node.self + " is in " + view + ", " + members.getFirst().node.self + " in " + first;
      }
      if (member == members.getFirst() && !view.members().stream().sorted().toList().equals(expected)) {
        return member.node.self + " is in " + view + ", alive are " + expected;
      }
      if (!member.isAtRest()) {
        return member.node.self + ": " + member.restlessness();
      }
    }
    return whoIsBehind(members);
  }

  /// Nobody waits for an observer: the others may be at rest before it has the last message.
  private static @Nullable String whoIsBehind(List<SimulatedApplication> members) {
    long most = members.stream().mapToLong(member -> member.summary().index()).max().orElse(0);
    for (SimulatedApplication member : members) {
      long index = member.summary().index();
      if (index > 0 && index < most) {
        return member.node.self + " has delivered what stands before " + index + ", another one before " + most;
      }
    }
    return null;
  }

  private static boolean wasTooSlow(SimulatedApplication life) {
    End end = life.end();
    return !life.votes() && end != null && end.cause() == End.Cause.DROPPED;
  }

  /// At rest, all members' applications have the same state.
  static List<Violation> differences(SimulatedCluster cluster) {
    List<Violation> violations = new ArrayList<>();
    List<SimulatedApplication> members = cluster.members();
    SimulatedApplication first = members.getFirst();
    for (SimulatedApplication member : members) {
      HistoryEvent.Summary one = first.summary();
      HistoryEvent.Summary other = member.summary();
      boolean same =
          member.knowsWholeHistory() && first.knowsWholeHistory()
              ? one.equals(other)
              : one.index() == other.index() && one.position() == other.position()
                  || one.index() == 0
                  || other.index() == 0;
      if (!same) {
        violations.add(
            new Violation("EqualState", first.node.self + " has " + one + ", " + member.node.self + " has " + other));
      }
    }
    return violations;
  }

  /// How long state transfers may take on top: they go chunk by chunk through a slow network.
  static long transferNanos(Plan plan) {
    return plan.config().stateTransfer() ? NANOS_PER_CHUNK * 8 : 0;
  }
}
