package org.tutti.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/// The kernel: what is to happen, by simulated time and, at equal times, in the order in which it was put down.
public final class Scheduler {
  private record Entry(long nanos, long order, Runnable action) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Entry> entries = new PriorityQueue<>(1024);
  private long orderNext;
  private long nowNanos; // never falls
  private long steps;

  /// Begins at 0.
  public Scheduler() {}

  /// Simulated time since the start of the run.
  ///
  /// @return nanoseconds
  public long nowNanos() {
    return nowNanos;
  }

  /// How many entries have happened.
  ///
  /// @return entries
  public long steps() {
    return steps;
  }

  /// Puts something down for a time; a time that has passed means now.
  ///
  /// @param nanos  the time
  /// @param action what happens
  public void at(long nanos, Runnable action) {
    entries.add(new Entry(Math.max(nanos, nowNanos), orderNext++, action));
  }

  /// Puts something down for later.
  ///
  /// @param nanos  how much later
  /// @param action what happens
  public void after(long nanos, Runnable action) {
    at(nowNanos + nanos, action);
  }

  /// Repeats something at random moments, as a Poisson process does, from later on.
  ///
  /// @param meanNanos between two of them
  /// @param goesOn    asked before each; once it does not hold, that was all
  void repeat(SplittableRandom random, long meanNanos, BooleanSupplier goesOn, Runnable action) {
    after(
        (long) (meanNanos * -Math.log(1 - random.nextDouble())),
        () -> {
          if (goesOn.getAsBoolean()) {
            action.run();
            repeat(random, meanNanos, goesOn, action);
          }
        });
  }

  /// Does something so many times at random moments, as far as these come before an end.
  ///
  /// @param times    how often, at most
  /// @param endNanos simulated time
  void scatter(SplittableRandom random, int times, long endNanos, Runnable action) {
    var left = new AtomicInteger(times);
    repeat(random, endNanos / (times + 1), () -> left.getAndDecrement() > 0 && nowNanos < endNanos, action);
  }

  /// Lets the next thing happen, if it is due by a time; otherwise time moves there.
  ///
  /// @param untilNanos the time
  /// @return whether something happened
  public boolean advance(long untilNanos) {
    Entry entry = entries.peek();
    if (entry == null || entry.nanos() > untilNanos) {
      nowNanos = Math.max(nowNanos, untilNanos);
      return false;
    }
    entries.poll();
    nowNanos = entry.nanos();
    steps++;
    entry.action().run();
    return true;
  }
}
