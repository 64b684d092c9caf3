package org.tutti.host;

import java.time.Duration;
import java.util.Arrays;
import org.tutti.LatencyHistogram;

/// Counts how long something took. Whoever uses it sees to it that one thread at a time does.
final class LatencyRecorder {
  private static final long[] BOUNDS = LatencyHistogram.bounds().stream().mapToLong(Duration::toNanos).toArray();

  private final long[] counts = new long[BOUNDS.length + 1];
  private long totalNanos;

  /// It took so long once.
  void add(long nanos) {
    int bound = 0;
    while (bound < BOUNDS.length && nanos > BOUNDS[bound]) {
      bound++;
    }
    counts[bound]++;
    totalNanos += nanos;
  }

  LatencyHistogram histogram() {
    return new LatencyHistogram(Arrays.stream(counts).boxed().toList(), Duration.ofNanos(totalNanos));
  }
}
