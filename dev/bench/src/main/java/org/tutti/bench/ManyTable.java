package org.tutti.bench;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.tutti.GroupConfig;
import org.tutti.sim.CostMeasurement;
import org.tutti.sim.Traffic;

/// What grows how with the number of members: the production engine on the simulated network, nothing failing but the
/// one member that crashes. What is counted is the same in every run.
public final class ManyTable {
  private static final int BYTES = 100;
  private static final int IDLE_MILLIS_MIN = 400; // two rounds of calls, four heartbeats
  private static final int IDLE_MILLIS_MAX = 10_000;
  private static final int IDLE_MEMBER_MILLIS = 1_000_000; // of many members all do the same, and it takes long
  private static final int MANY = 500;
  private static final int SECOND = 1000; // milliseconds
  private static final long MILLI = 1_000_000;

  private ManyTable() {}

  /// Counts and prints, a line as soon as it is known.
  ///
  /// @param sizes how many members, each at least 3
  /// @param out   where to print
  public static void print(List<Integer> sizes, PrintWriter out) {
    out.println(
        """
        Counted by the simulator: heartbeat 100 ms, suspicion after 1 s, every frame travels 0.1 ms.
          founding   all members are started within 250 ms, in any order: time until all are in one view, views that a
                     member sees on the way, frames that a member sends
          join       the same of half of the members, when the others are a group
          crash      the most senior member, the coordinator: time until the last one is in the view without it, frames
                     that a member sends
          idle       frames and bytes that a member sends in a second in which nobody multicasts
          multicast  of 100 bytes: time until the last member delivers, and frames of a member, until all are at rest
        """);
    out.println(
        "          founding              | join                 | crash           | idle, a second  | multicast");
    out.println(
        "members     ms  views    frames |   ms  views   frames |     ms   frames | frames    bytes |     ms   frames");
    for (int size : sizes) {
      row(size, out);
    }
  }

  private static void row(int size, PrintWriter out) {
    CostMeasurement.Change join = join(size); // before the group is there, as each takes much memory
    var group = new CostMeasurement(size, GroupConfig.standard());
    CostMeasurement.Change founding = group.founding();
    int millis = size < MANY ? Math.min(IDLE_MEMBER_MILLIS / size, IDLE_MILLIS_MAX) : IDLE_MILLIS_MIN;
    Traffic idle = group.idle(Duration.ofMillis(millis));
    CostMeasurement.Cost cost = group.multicast(size - 1, 1, BYTES);
    CostMeasurement.Change crash = group.crash(0);
    out.printf(
        Locale.ROOT,
        "%7d %6d %6.1f %9.1f | %4d %6.1f %8.1f | %6d %8.1f | %6.0f %8.0f | %6.1f %8.1f%n",
        size,
        founding.nanos() / MILLI,
        (double) founding.views() / size,
        (double) founding.traffic().frames() / size,
        join.nanos() / MILLI,
        (double) join.views() / size,
        (double) join.traffic().frames() / size,
        crash.nanos() / MILLI,
        (double) crash.traffic().frames() / size,
        (double) idle.frames() * SECOND / size / millis,
        (double) idle.bytes() * SECOND / size / millis,
        (double) cost.nanos() / MILLI,
        (double) (cost.traffic().frames() - cost.traffic().datagrams()) / size);
    out.flush();
  }

  private static CostMeasurement.Change join(int size) {
    int newcomers = size / 2;
    return new CostMeasurement(size - newcomers, newcomers, GroupConfig.standard()).join();
  }
}
