package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// What one slow member does to a flood: the rates before, meanwhile and afterwards, read from how much it has
/// delivered, every few milliseconds.
final class SlowMember {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SPARE_NANOS = TimeUnit.MILLISECONDS.toNanos(300); // collecting garbage takes time, too
  private static final int SAMPLES = 10; // a rate is taken over so many
  private static final double AS_BEFORE = 0.9;
  private static final double SECOND = 1e9;

  private record Sample(long nanos, long delivered) {}

  private final ProcessGroup processGroup;
  private final Task.Slow task;
  private final MeasuredProcess slow;

  SlowMember(ProcessGroup processGroup, Task.Slow task) {
    this.processGroup = processGroup;
    this.task = task;
    this.slow = processGroup.child(task.rank());
  }

  /// Runs the three phases.
  ///
  /// @return how many messages were sent
  long run(Map<Measure, Double> values) throws InterruptedException {
    processGroup.rest();
    MeasuredProcess sender = processGroup.child(0);
    long flood = Task.Slow.PHASES * task.nanos() + SPARE_NANOS;
    sender.tell("flood " + task.bytes() + " " + flood);
    double before = rate(samples());
    slow.ask("slow " + Math.max(1, (long) (Task.Slow.TIMES_SLOWER * SECOND / before)));
    double meanwhile = rate(samples());
    values.put(Measure.HEAP, (double) live());
    slow.ask("slow 0");
    long fast = System.nanoTime();
    List<Sample> afterwards = samples();
    long messages = ProcessGroup.number(sender.answer(flood), "sent");
    processGroup.drained(messages);
    values.put(Measure.RATE, before);
    values.put(Measure.SLOWED, meanwhile / before);
    values.put(Measure.RECOVERY, (double) recovery(afterwards, fast, before));
    return messages;
  }

  /// Samples of one phase; the first half second or a third of it is left out of its rate, while things change.
  private List<Sample> samples() throws InterruptedException {
    var samples = new ArrayList<Sample>();
    long end = System.nanoTime() + task.nanos();
    for (long next = System.nanoTime(); next < end; next += SAMPLE_NANOS) {
      for (long wait = next - System.nanoTime(); wait > 0; wait = next - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      long delivered = ProcessGroup.number(slow.ask("delivered"), "count");
      samples.add(new Sample(System.nanoTime(), delivered));
    }
    return samples;
  }

  private static double rate(List<Sample> samples) {
    return rate(samples.get(samples.size() / 3), samples.getLast());
  }

  private static double rate(Sample from, Sample to) {
    return (to.delivered - from.delivered) * SECOND / (to.nanos - from.nanos);
  }

  /// How long after a moment the rate was first what it had been, over some samples; the whole phase if it never was.
  private static long recovery(List<Sample> samples, long from, double before) {
    for (int i = SAMPLES; i < samples.size(); i++) {
      if (rate(samples.get(i - SAMPLES), samples.get(i)) >= AS_BEFORE * before) {
        return samples.get(i - SAMPLES).nanos - from;
      }
    }
    return samples.getLast().nanos - from;
  }

  /// The largest live heap of those who do not send.
  private long live() throws InterruptedException {
    var live = new ArrayList<Long>();
    for (int rank = 1; rank < processGroup.size(); rank++) {
      live.add(ProcessGroup.number(processGroup.child(rank).ask("memory"), "live"));
    }
    return Collections.max(live);
  }
}
