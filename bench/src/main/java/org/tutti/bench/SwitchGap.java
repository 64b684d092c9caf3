package org.tutti.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.bench.member.ClosedLoop;
import org.tutti.bench.trial.Numbers;
import org.tutti.sim.CostMeasurement;

/// What a member that multicasts one message after the other sees of a change of the ordering: the longest time
/// between two deliveries, in round trips.
///
/// A round trip is the time that a multicast takes at its sender; as the two orderings differ in it, it is the mean of
/// the medians before and after. So two round trips are one in the old ordering and one in the new.
///
/// @param nanos   the longest time between two deliveries from the request until some deliveries after the change
/// @param trips   the same in round trips
/// @param control the same around a multicast of the member that asks for the change, in trips of the old ordering
record SwitchGap(double nanos, double trips, double control) {
  private static final int MULTICASTS = 30; // multicasts of which a median is taken
  private static final int SETTLED = 5;
  private static final int PHASES = 32;

  /// Measures one change.
  ///
  /// @param localGroup the group, in the ordering that is to be left
  /// @param to       the ordering to go to
  /// @param midway   whether the change is asked for just behind a multicast, or just before one
  static SwitchGap measure(LocalGroup localGroup, Ordering to, boolean midway) throws InterruptedException {
    Group sender = localGroup.junior().group();
    Group switcher = localGroup.member(localGroup.size() - 2).group();
    var loop = new Loop(sender);
    loop.run(MULTICASTS);
    int plain = loop.disturb(midway, () -> switcher.multicast(loop.payload), () -> true);
    loop.run(MULTICASTS);
    double before = median(loop.times.subList(plain, loop.times.size()));
    double control = longest(loop.times.subList(plain - 1, plain + SETTLED + 2)) / before;
    int asked = loop.times.size();
    int changed = loop.disturb(midway, () -> switcher.switchTo(to), () -> sender.ordering() == to);
    loop.run(SETTLED);
    double gap = longest(loop.times.subList(asked - 1, loop.times.size()));
    loop.run(MULTICASTS);
    double after = median(loop.times.subList(changed + SETTLED, loop.times.size()));
    return new SwitchGap(gap, gap / ((before + after) / 2), control);
  }

  /// A closed loop that notes when it has delivered.
  private static final class Loop {
    private final Group sender;
    private final byte[] payload = new byte[Numbers.LATENCY_BYTES];
    private final List<Long> times = new ArrayList<>();

    Loop(Group sender) {
      this.sender = sender;
    }

    void run(int multicasts) throws InterruptedException {
      for (int i = 0; i < multicasts; i++) {
        ClosedLoop.once(sender, payload);
        times.add(System.nanoTime());
      }
    }

    /// Has another member do something, and goes on until that shows.
    ///
    /// The one thread of the loop asks for it: another one would take a processor away from the group in this moment.
    ///
    /// @return how many deliveries there were then
    int disturb(boolean midway, Request request, BooleanSupplier shows) throws InterruptedException {
      CompletableFuture<Outcome> first = midway ? sender.multicast(payload) : null;
      request.ask();
      if (first != null) {
        first.join();
        times.add(System.nanoTime());
      }
      do {
        run(1);
      } while (!shows.getAsBoolean());
      return times.size();
    }
  }

  private interface Request {
    void ask() throws InterruptedException;
  }

  /// The longest gap of the same change on the simulated network, where every frame travels equally long and nobody is
  /// busy: the worst over moments at which it is asked for, spread over two round trips.
  static double simulated(int members, Ordering from, Ordering to) {
    double worst = 0;
    for (int phase = 0; phase < PHASES; phase++) {
      var group = new CostMeasurement(members, GroupConfig.builder().ordering(from).build());
      Duration after = CostMeasurement.DELAY.multipliedBy(8 * phase).dividedBy(PHASES);
      worst = Math.max(worst, group.switchTo(members - 1, members - 2, to, after).trips());
    }
    return worst;
  }

  private static long longest(List<Long> times) {
    return gaps(times).max().orElseThrow();
  }

  private static long median(List<Long> times) {
    long[] sorted = gaps(times).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static LongStream gaps(List<Long> times) {
    return IntStream.range(1, times.size()).mapToLong(i -> times.get(i) - times.get(i - 1));
  }
}
