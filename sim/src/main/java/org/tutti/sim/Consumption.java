package org.tutti.sim;

import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.user.Request;

/// How an application consumes what it gets: at once, or, if it is slow, later and in parts. What it does not take its
/// member may spill, up to a bound: then that is consumed, and taken later still.
final class Consumption {
  private static final long BEFORE = -1; // of what deliveries began anew
  private static final long MOMENT_MAX = 1000;
  private static final double SLOW_SHARE = 0.7; // of the members, in a run with slow ones
  private static final int IN_MEMORY_MAX = 4; // batches, before any is spilled
  private static final int SPILLED_MAX = 100; // batches: few, so that the bound is reached

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final int ordinal;
  private final String group = SimulatedCluster.GROUP;
  private final SplittableRandom random;
  private final double sloth; // above 0: consumes late
  private final long stuckAfter; // from then on, in simulated nanoseconds, it consumes nothing
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(); // batches that are not consumed
  private final int spilledMax; // batches
  private final int inMemoryMax; // batches
  private int spilled; // batches that are consumed, and not taken
  private boolean busy;
  private boolean spilling;
  private boolean calm;
  private boolean held; // consumes nothing for some time
  private long inHistory; // batches consumed that had their places
  private long taken; // batches of branches
  private long inBranches; // of those, what is consumed
  private long longestLag;

  /// What is not consumed.
  ///
  /// @param behind the index behind a batch, or BEFORE
  /// @param since  when it was delivered
  private record Waiting(long behind, long since) {}

  Consumption(SimulatedNode node, Simulation.Setting setting, int ordinal, boolean spills, SplittableRandom random) {
    this.setting = setting;
    this.node = node;
    this.ordinal = ordinal;
    this.random = random;
    double strength = setting.plan().strength(FaultKind.SLOW_CONSUMER);
    this.sloth = random.nextDouble() < SLOW_SHARE ? strength : 0;
    boolean stuck = setting.plan().isStuck(node.number);
    long moment = setting.streams().open(Streams.Purpose.ROLE, node.self.incarnation()).nextLong(MOMENT_MAX);
    SplittableRandom spilling = setting.streams().open(Streams.Purpose.SPILL, node.self.incarnation());
    int most = spilling.nextInt(SPILLED_MAX);
    this.inMemoryMax = spilling.nextInt(IN_MEMORY_MAX);
    this.spilledMax = spills ? most : 0;
    this.stuckAfter = stuck ? setting.plan().safetyNanos() / MOMENT_MAX * moment : Long.MAX_VALUE;
  }

  /// How slow the member is; 0 when it consumes at once.
  double sloth() {
    return sloth;
  }

  /// How many batches that had their places are consumed.
  long inHistory() {
    return inHistory;
  }

  /// How many of these are taken.
  long takenInHistory() {
    return inHistory - spilled;
  }

  /// Whether nothing waits, in memory or elsewhere.
  boolean hasTakenAll() {
    return waiting.isEmpty() && spilled == 0;
  }

  /// How many batches of branches are consumed.
  long inBranches() {
    return inBranches;
  }

  boolean isPending() {
    return !hasTakenAll() && !isStuck();
  }

  /// Whether it never consumes what waits.
  boolean isPendingForEver() {
    return !waiting.isEmpty() && isStuck();
  }

  private boolean isStuck() {
    return held || setting.scheduler().nowNanos() >= stuckAfter;
  }

  /// A batch has its place.
  void take(long indexNext) {
    if (isSlow()) {
      waiting.add(new Waiting(indexNext, setting.scheduler().nowNanos()));
      consumeLater();
      spillLater();
    } else {
      consumed(indexNext);
    }
  }

  void takeInBranch() {
    taken++;
    if (isSlow()) {
      consumeLater();
    } else {
      inBranches = taken;
    }
  }

  /// Spills beyond what may wait in memory, a little later, as by another thread.
  private void spillLater() {
    if (waiting.size() > inMemoryMax && spilled < spilledMax && !spilling) {
      spilling = true;
      setting.scheduler().after(1, this::spill);
    }
  }

  private void spill() {
    spilling = false;
    boolean any = false;
    while (!waiting.isEmpty() && spilled < spilledMax) {
      spilled++;
      consumeFirst();
      any = true;
    }
    if (any) {
      setting.tally().spills++;
      inBranches = waiting.isEmpty() ? taken : inBranches;
      node.request(new Request.Consumed(group), 0);
    }
  }

  private boolean isSlow() {
    return sloth > 0 && !calm || isStuck();
  }

  /// Deliveries begin, or begin anew: what was delivered before may still wait.
  void begin() {
    List<Waiting> before = List.copyOf(waiting);
    waiting.clear();
    before.forEach(one -> waiting.add(new Waiting(BEFORE, one.since())));
  }

  /// Consumes all.
  void finish() {
    spilled = 0;
    while (!waiting.isEmpty()) {
      consumeFirst();
    }
  }

  /// How far behind it ever was: how long the first batch that waited had been there.
  long longestLag() {
    return Math.max(longestLag, lag());
  }

  private long lag() {
    return waiting.isEmpty() ? 0 : setting.scheduler().nowNanos() - waiting.getFirst().since();
  }

  private void consumeFirst() {
    longestLag = longestLag();
    consumed(waiting.remove().behind());
  }

  private void consumed(long behind) {
    inHistory++;
    if (behind != BEFORE) {
      setting.history().add(new HistoryEvent.Consumed(ordinal, setting.scheduler().nowNanos(), behind));
    }
  }

  private void consumeLater() {
    if (!busy && !isStuck()) {
      busy = true;
      setting.tally().fault(FaultKind.SLOW_CONSUMER);
      long delay = (long) (sloth * random.nextDouble() * setting.plan().suspectNanos());
      setting.scheduler().after(delay, this::consumeSome);
    }
  }

  private void consumeSome() {
    busy = false;
    if (isStuck() || hasTakenAll() && inBranches == taken) {
      return;
    }
    inBranches = taken;
    if (!hasTakenAll()) {
      int some = random.nextInt(spilled + waiting.size()) + 1;
      int before = Math.min(some, spilled);
      spilled -= before;
      for (int i = before; i < some; i++) {
        consumeFirst();
      }
    }
    node.request(new Request.Consumed(group), 0);
    if (!hasTakenAll()) {
      consumeLater();
    }
    spillLater();
  }

  /// Consumes nothing until it goes on.
  void stop() {
    held = true;
  }

  /// Consumes again, what it has left waiting at once.
  void goOn() {
    held = false;
    consumeAll();
  }

  /// Consumes at once from now on.
  void calm() {
    calm = true;
    consumeAll();
  }

  private void consumeAll() {
    if (!isStuck() && (!hasTakenAll() || inBranches < taken)) {
      inBranches = taken;
      finish();
      node.request(new Request.Consumed(group), 0);
    }
  }
}
