package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.sim.check.Violation;

/// The end of a group that has observers, in half of the runs that come to rest: all who vote leave, in any order. The
/// last of them gets away, and the observers are told that the group has ended. Not with an electorate: without the
/// majority of its names no view is primary, and who leaves such a view is as good as crashed.
final class VotersLeave {
  private static final int USED_OF = 2;
  private static final int UNITS_MAX = 12; // times of suspicion; whoever has left waits for its last words up to 5
  private static final int VIEWS_MORE = 2; // each member may see more than one for each member that leaves

  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final boolean used;
  private long viewsBefore;
  private int voters;
  private int size;

  VotersLeave(Simulation.Setting setting, SimulatedCluster cluster) {
    this.setting = setting;
    this.cluster = cluster;
    boolean drawn = setting.streams().open(Streams.Purpose.ROLE, Long.MAX_VALUE).nextInt(USED_OF) == 0;
    this.used = drawn && setting.plan().config().electorate().isEmpty();
  }

  /// Begins it, if there are observers: whether there are.
  boolean begin() {
    List<SimulatedApplication> members = cluster.members();
    size = members.size();
    voters = (int) members.stream().filter(SimulatedApplication::votes).count();
    if (!used || voters == size) {
      return false;
    }
    viewsBefore = setting.tally().views;
    var random = setting.streams().open(Streams.Purpose.ROLE, Long.MIN_VALUE);
    boolean atOnce = random.nextBoolean();
    for (SimulatedApplication member : members) {
      if (member.votes()) {
        long later = atOnce ? 0 : random.nextLong(2 * setting.plan().suspectNanos());
        setting.scheduler().after(later, member::leave);
      }
    }
    return true;
  }

  /// How long it may take.
  long nanosMax() {
    return UNITS_MAX * setting.plan().suspectNanos();
  }

  /// Whether everybody is out.
  boolean isOver() {
    return cluster.lives().stream().allMatch(life -> life.isClosed() || !life.node.isAlive());
  }

  /// What went wrong.
  List<Violation> violations() {
    List<Violation> found = new ArrayList<>();
    long views = setting.tally().views - viewsBefore;
    if (views > (long) (voters + VIEWS_MORE) * size) {
      found.add(new Violation("Storm", views + " views at " + size + " members while " + voters + " leave"));
    }
    for (SimulatedApplication life : cluster.lives()) {
      if (!life.isClosed() && life.node.isAlive()) {
        found.add(new Violation("Farewell", life.node.self + " is still in " + life.view()));
      } else if (!life.votes() && life.node.isAlive() && !wasTold(life.end())) {
        found.add(new Violation("Farewell", life.node.self + " was told: " + life.end()));
      }
    }
    return found;
  }

  private static boolean wasTold(@Nullable End end) {
    return end != null && (end.cause() == End.Cause.LAST_VOTER_LEFT || end.cause() == End.Cause.DROPPED);
  }
}
