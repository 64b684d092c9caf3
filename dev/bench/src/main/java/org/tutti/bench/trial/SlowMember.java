package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What one slow member does to a flood: the rates before, meanwhile and afterwards, read from how much it has
/// delivered, every few milliseconds.
final class SlowMember {
  private static final long SPARE_NANOS = TimeUnit.MILLISECONDS.toNanos(300); // collecting garbage takes time, too
  private static final double AS_BEFORE = 0.9;
  private static final double SECOND = 1e9;

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
    double before = DeliveryRate.of(slow, task.nanos()).perSecond();
    slow.ask("slow " + Math.max(1, (long) (Task.Slow.TIMES_SLOWER * SECOND / before)));
    double meanwhile = DeliveryRate.of(slow, task.nanos()).perSecond();
    values.put(Measure.HEAP, (double) live());
    slow.ask("slow 0");
    long fast = System.nanoTime();
    DeliveryRate afterwards = DeliveryRate.of(slow, task.nanos());
    long messages = ProcessGroup.number(sender.answer(flood), "sent");
    processGroup.drained(messages);
    values.put(Measure.RATE, before);
    values.put(Measure.SLOWED, meanwhile / before);
    values.put(Measure.RECOVERY, (double) afterwards.nanosUntil(AS_BEFORE * before, fast));
    return messages;
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
