package org.tutti.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Ordering;
import org.tutti.sim.Rehearsal;

/// What a member that multicasts one message after the other sees of a change of the ordering (N2): the longest time
/// between two deliveries, in round trips.
///
/// A round trip is the time that a multicast takes at its sender; as the two orderings differ in it, it is the mean of
/// the medians before and after. So two round trips are one in the old ordering and one in the new.
///
/// @param nanos   the longest time between two deliveries from the request until some deliveries after the change
/// @param trips   the same in round trips
/// @param control the longest time among as many deliveries before the request, in round trips of the old ordering
record SwitchGap(double nanos, double trips, double control) {
  private static final int LOOPS_MAX = 1 << 16;
  private static final int BEFORE = 60;
  private static final int AFTER = 60;
  private static final int SETTLED = 5;
  private static final int PHASES = 32;

  /// Measures one change.
  ///
  /// @param ensemble the group, in the ordering that is to be left
  /// @param to       the ordering to go to
  /// @param midway   whether the change is asked for just behind a multicast, or just before one
  static SwitchGap measure(Ensemble ensemble, Ordering to, boolean midway) throws InterruptedException {
    Group sender = ensemble.junior().group();
    Group switcher = ensemble.member(ensemble.size() - 2).group();
    byte[] payload = new byte[Numbers.LATENCY_BYTES];
    long[] times = new long[LOOPS_MAX];
    int count = 0;
    while (count <= BEFORE) {
      ClosedLoop.once(sender, payload);
      times[count++] = System.nanoTime();
    }
    int asked = count;
    // The one thread of the loop asks: another one would take a processor away from the group in this moment.
    CompletableFuture<Long> first = midway ? sender.multicast(payload) : null;
    switcher.switchTo(to);
    if (first != null) {
      first.join();
      times[count++] = System.nanoTime();
    }
    int changed = -1;
    while (changed < 0 || count <= changed + AFTER) {
      ClosedLoop.once(sender, payload);
      times[count++] = System.nanoTime();
      if (changed < 0 && sender.ordering() == to) {
        changed = count;
      }
    }
    int end = changed + SETTLED;
    double before = median(times, 0, asked - 1);
    double after = median(times, end, count - 1);
    int same = Math.max(0, asked - 1 - (end - asked));
    double trip = (before + after) / 2;
    long gap = longest(times, asked - 1, end);
    return new SwitchGap(gap, gap / trip, longest(times, same, asked - 1) / before);
  }

  /// The longest gap of the same change on the simulated network, where every frame travels equally long and nobody is
  /// busy: the worst over moments at which it is asked for, spread over two round trips.
  static double simulated(int members, Ordering from, Ordering to) {
    double worst = 0;
    for (int phase = 0; phase < PHASES; phase++) {
      var group = new Rehearsal(members, GroupConfig.standard().withOrdering(from));
      Duration after = Rehearsal.DELAY.multipliedBy(8 * phase).dividedBy(PHASES);
      worst = Math.max(worst, group.switchTo(members - 1, members - 2, to, after).trips());
    }
    return worst;
  }

  private static long longest(long[] times, int from, int to) {
    long longest = 0;
    for (int i = from; i < to; i++) {
      longest = Math.max(longest, times[i + 1] - times[i]);
    }
    return longest;
  }

  private static double median(long[] times, int from, int to) {
    long[] gaps = new long[to - from];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = times[from + i + 1] - times[from + i];
    }
    Arrays.sort(gaps);
    return gaps[gaps.length / 2];
  }
}
