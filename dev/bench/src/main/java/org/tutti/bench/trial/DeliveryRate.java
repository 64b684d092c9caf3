package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// How fast a process delivers, read from how much it has delivered, every few milliseconds.
///
/// @param samples at least two
record DeliveryRate(List<Sample> samples) {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int SAMPLES = 10; // a rate is taken over so many
  private static final double SECOND = 1e9;

  record Sample(long nanos, long delivered) {}

  DeliveryRate {
    samples = List.copyOf(samples);
  }

  /// Watches a process for a time.
  static DeliveryRate of(MeasuredProcess process, long forNanos) throws InterruptedException {
    var samples = new ArrayList<Sample>();
    long end = System.nanoTime() + forNanos;
    for (long next = System.nanoTime(); next < end || samples.size() < 2; next += SAMPLE_NANOS) {
      for (long wait = next - System.nanoTime(); wait > 0; wait = next - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      long delivered = ProcessGroup.number(process.ask("delivered"), "count");
      samples.add(new Sample(System.nanoTime(), delivered));
    }
    return new DeliveryRate(samples);
  }

  /// Messages per second; the first third of the time is left out, while things change.
  double perSecond() {
    return perSecond(samples.get(samples.size() / 3), samples.getLast());
  }

  private static double perSecond(Sample from, Sample to) {
    return (to.delivered - from.delivered) * SECOND / Math.max(1, to.nanos - from.nanos);
  }

  /// How long after a moment the rate was first high enough; until the end if it never was.
  ///
  /// @param enough messages per second
  long nanosUntil(double enough, long sinceNanos) {
    for (int i = SAMPLES; i < samples.size(); i++) {
      Sample from = samples.get(i - SAMPLES);
      if (perSecond(from, samples.get(i)) >= enough) {
        return Math.max(0, from.nanos - sinceNanos);
      }
    }
    return samples.getLast().nanos - sinceNanos;
  }
}
