package org.tutti.sim;

import java.util.List;
import java.util.SplittableRandom;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;

/// Multicasts to some members, in two of three runs whose group begins with Skeen's ordering: the only one that has
/// them.
final class SubsetWorkload {
  private static final int USED_OF = 3; // all but one of so many runs
  private static final int BURST_ONE_IN = 5;
  private static final int BURST_MAX = 6;
  private static final int MESSAGES_MAX = 400;

  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final SplittableRandom random;
  private final boolean used;
  private final double share; // of the members that a subset multicast is for
  private int left;
  private long number;

  SubsetWorkload(Simulation.Setting setting, SimulatedCluster cluster) {
    this.setting = setting;
    this.cluster = cluster;
    this.random = setting.streams().open(Streams.Purpose.SUBSET, 0);
    boolean ordered = setting.plan().config().ordering() == Ordering.SKEEN && !setting.plan().overlaps();
    this.used = random.nextInt(USED_OF) > 0 && ordered;
    this.share = 0.2 + 0.7 * random.nextDouble();
    this.left = used ? Math.min(random.nextInt(MESSAGES_MAX), setting.plan().multicasts()) : 0;
  }

  void begin() {
    if (left > 0) {
      next(setting.plan().safetyNanos() / (left + 1));
    }
  }

  private void next(long mean) {
    long wait = (long) (mean * -Math.log(1 - random.nextDouble()));
    setting
        .scheduler()
        .after(
            wait,
            () -> {
              if (left > 0 && setting.scheduler().nowNanos() < setting.plan().safetyNanos()) {
                send();
                next(mean);
              }
            });
  }

  private void send() {
    List<SimulatedApplication> members = cluster.members();
    if (members.isEmpty()) {
      return;
    }
    SimulatedApplication member = members.get(random.nextInt(members.size()));
    View view = member.view();
    if (view == null) {
      return;
    }
    List<MemberId> to = SubsetBook.draw(view.members(), share, random);
    int burst = random.nextInt(BURST_ONE_IN) == 0 ? random.nextInt(1, BURST_MAX) : 1;
    for (int i = 0; i < burst && left > 0; i++) {
      left--;
      member.multicast(payload(), to);
    }
  }

  private byte[] payload() {
    byte[] payload = new byte[Long.BYTES + random.nextInt(Math.min(setting.plan().messageBytesMax(), 64) + 1)];
    random.nextBytes(payload);
    number++;
    for (int i = 0; i < Long.BYTES; i++) {
      payload[i] = (byte) (number >>> (8 * i));
    }
    return payload;
  }

  /// One more from each member.
  void last() {
    if (used) {
      for (SimulatedApplication member : cluster.members()) {
        View view = member.view();
        if (view != null) {
          member.multicast(payload(), SubsetBook.draw(view.members(), share, random));
        }
      }
    }
  }
}
