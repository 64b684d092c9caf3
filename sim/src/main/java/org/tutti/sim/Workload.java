package org.tutti.sim;

import java.util.List;
import java.util.SplittableRandom;

/// Multicasts from members drawn at random, now in bursts, now one by one.
final class Workload {
  private static final int LARGE_MAX = 2;
  private static final int LARGE_BYTES = 100 << 10;

  private final Simulation.Setting setting;
  private final Cast cast;
  private final SplittableRandom random;
  private int left;
  private int largeLeft;
  private long number;

  Workload(Simulation.Setting setting, Cast cast) {
    this.setting = setting;
    this.cast = cast;
    this.random = setting.streams().open(Streams.Purpose.WORKLOAD, 0);
    this.left = setting.plan().multicasts();
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
        .agenda()
        .after(
            wait,
            () -> {
              if (setting.agenda().nowNanos() < setting.plan().safetyNanos()) {
                List<Application> members = cast.members();
                if (!members.isEmpty()) {
                  Application member = members.get(random.nextInt(members.size()));
                  for (int i = 0; i < burst && left > 0; i++) {
                    multicast(member);
                  }
                }
                next(mean);
              }
            });
  }

  private void multicast(Application member) {
    boolean large = largeLeft > 0 && random.nextInt(16) == 0;
    int size = large ? LARGE_BYTES + random.nextInt(LARGE_BYTES) : size();
    if (member.multicast(payload(size))) {
      left--;
      if (large) {
        largeLeft--;
        setting.tally().fault(FaultKind.LARGE_MESSAGE);
      }
    }
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
  private byte[] payload(int size) {
    byte[] payload = new byte[size];
    random.nextBytes(payload);
    number++;
    for (int i = 0; i < Long.BYTES && i < size; i++) {
      payload[i] = (byte) (number >>> (8 * i));
    }
    return payload;
  }

  /// One more message of each member, to see that the group is at work.
  void last() {
    cast.members().forEach(member -> member.multicast(payload(1 + random.nextInt(16))));
  }
}
