package org.tutti.sim;

import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.user.Request;

/// How an application consumes what it gets: at once, or, if it is slow, later and in parts.
final class Consumption {
  private static final long BEFORE = -1; // of what deliveries began anew
  private static final long MOMENT_MAX = 1000;
  private static final double SLOW_SHARE = 0.7; // of the members, in a run with slow ones

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final int ordinal;
  private final String group;
  private final SplittableRandom random;
  private final double sloth; // above 0: consumes late
  private final long stuckAfter; // from then on, in simulated nanoseconds, it consumes nothing
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(); // batches that are not consumed
  private boolean busy;
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

  Consumption(Simulation.Setting setting, SimulatedNode node, int ordinal, String group, SplittableRandom random) {
    this.setting = setting;
    this.node = node;
    this.ordinal = ordinal;
    this.group = group;
    this.random = random;
    double strength = setting.plan().strength(FaultKind.SLOW_CONSUMER);
    this.sloth = random.nextDouble() < SLOW_SHARE ? strength : 0;
    boolean stuck = setting.plan().isStuck(node.number);
    long moment = setting.streams().open(Streams.Purpose.ROLE, node.self.incarnation()).nextLong(MOMENT_MAX);
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

  /// How many batches of branches are consumed.
  long inBranches() {
    return inBranches;
  }

  boolean isPending() {
    return !waiting.isEmpty() && !isStuck();
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
    if (isStuck() || waiting.isEmpty() && inBranches == taken) {
      return;
    }
    inBranches = taken;
    if (!waiting.isEmpty()) {
      int some = random.nextInt(waiting.size()) + 1;
      while (some-- > 0) {
        consumeFirst();
      }
    }
    node.request(new Request.Consumed(group), 0);
    if (!waiting.isEmpty()) {
      consumeLater();
    }
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
    if (!isStuck() && (!waiting.isEmpty() || inBranches < taken)) {
      inBranches = taken;
      finish();
      node.request(new Request.Consumed(group), 0);
    }
  }
}
