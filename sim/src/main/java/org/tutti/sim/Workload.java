package org.tutti.sim;

import java.util.List;
import java.util.SplittableRandom;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.View;

/// Multicasts from members drawn at random, now in bursts, now one by one. In most runs the messages are of several
/// services, and members answer each other, so that causes and effects travel at the same time.
final class Workload {
  private static final int LARGE_MAX = 2;
  static final int LARGE_BYTES = 100 << 10;
  private static final int TOTAL_ONLY_ONE_IN = 4;
  private static final int USED_OF = 3; // all but one of so many runs use a service
  private static final int ANSWER_BYTES = 32;

  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final SplittableRandom random;
  private final SplittableRandom services;
  private final double[] shares = new double[Service.values().length]; // cumulative; of the weak ones, then all
  private final double answering; // how many answers a multicast gets on average
  private int answersLeft;
  private int left;
  private int largeLeft;
  private long number;

  Workload(Simulation.Setting setting, SimulatedCluster cluster) {
    this.setting = setting;
    this.cluster = cluster;
    this.random = setting.streams().open(Streams.Purpose.WORKLOAD, 0);
    this.services = setting.streams().open(Streams.Purpose.SERVICE, 0);
    boolean mixed = services.nextInt(TOTAL_ONLY_ONE_IN) > 0;
    double sum = 0;
    for (int i = 0; i < shares.length; i++) {
      boolean used = i == Service.TOTAL.ordinal() || mixed && services.nextInt(USED_OF) > 0;
      sum += used ? services.nextDouble() : 0;
      shares[i] = sum;
    }
    this.answering = 2 * services.nextDouble();
    if (mixed) {
      cluster.atDelivery(this::answer);
    }
    this.left = setting.plan().multicasts();
    this.answersLeft = left;
    this.largeLeft = setting.plan().has(FaultKind.LARGE_MESSAGE) ? LARGE_MAX : 0;
  }

  void begin() {
    if (left > 0) {
      next(setting.plan().safetyNanos() / (left + 1));
    }
  }

  private void next(long mean) {
    int burst = random.nextInt(6) == 0 ? random.nextInt(1, 20) : 1;
    long wait = (long) (mean * burst * -Math.log(1 - random.nextDouble()));
    setting
        .scheduler()
        .after(
            wait,
            () -> {
              if (setting.scheduler().nowNanos() < setting.plan().safetyNanos()) {
                List<SimulatedApplication> members = cluster.members();
                if (!members.isEmpty()) {
                  SimulatedApplication member = members.get(random.nextInt(members.size()));
                  for (int i = 0; i < burst && left > 0; i++) {
                    multicast(member);
                  }
                }
                next(mean);
              }
            });
  }

  private void multicast(SimulatedApplication member) {
    boolean large = largeLeft > 0 && random.nextInt(16) == 0;
    int size = large ? LARGE_BYTES + random.nextInt(LARGE_BYTES) : size();
    if (member.multicast(payload(random, size), service())) {
      left--;
      if (large) {
        largeLeft--;
        setting.tally().fault(FaultKind.LARGE_MESSAGE);
      }
    }
  }

  /// Of those who deliver a message some answer it at once.
  private void answer(SimulatedApplication member) {
    if (answersLeft > 0 && services.nextDouble() < answering / setting.plan().nodes()) {
      answersLeft--;
      byte[] payload = payload(services, services.nextInt(ANSWER_BYTES));
      setting.scheduler().after(0, () -> answer(member, payload));
    }
  }

  private void answer(SimulatedApplication member, byte[] payload) {
    boolean over = setting.scheduler().nowNanos() >= setting.plan().safetyNanos();
    if (!over) {
      member.multicast(payload, service());
    }
  }

  private Service service() {
    double at = services.nextDouble() * shares[shares.length - 1];
    int service = 0;
    while (service < Service.TOTAL.ordinal() && at >= shares[service]) {
      service++;
    }
    return Service.values()[service];
  }

  private int size() {
    int max = setting.plan().messageBytesMax();
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(max + 1);
      default -> random.nextInt(Math.min(max, 64) + 1);
    };
  }

  /// Bytes that no other message has, as far as their number allows.
  private byte[] payload(SplittableRandom from, int size) {
    byte[] payload = new byte[size];
    from.nextBytes(payload);
    number++;
    for (int i = 0; i < Long.BYTES && i < size; i++) {
      payload[i] = (byte) (number >>> (8 * i));
    }
    return payload;
  }

  /// One more message of each member, to see that the group is at work.
  void last() {
    cluster.members().forEach(member -> member.multicast(payload(random, 1 + random.nextInt(16)), service()));
  }

  /// Multicasts to some members, in two of three runs whose group begins with Skeen's ordering: the only one that has
  /// them.
  static final class Subsets {
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

    Subsets(Simulation.Setting setting, SimulatedCluster cluster) {
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
        long end = setting.plan().safetyNanos();
        Scheduler scheduler = setting.scheduler();
        scheduler.repeat(random, end / (left + 1), () -> left > 0 && scheduler.nowNanos() < end, this::send);
      }
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
}
