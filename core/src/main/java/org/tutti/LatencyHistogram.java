package org.tutti;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How long something took, as a histogram: how often it took at most 10 µs, 20 µs, 50 µs, and so on to 10 s. It does
/// not change any more.
///
/// {@snippet class="ApiExamplesTest" region="latency"}
///
/// @param counts for each of [#bounds] how often it took so long at most, and longer than the bound before; one more,
///               the last, for how often it took longer than all of them
/// @param total  the sum of all times
public record LatencyHistogram(List<Long> counts, Duration total) {
  private static final long SHORTEST_NANOS = 10_000;
  private static final int DECADES = 6; // from 10 µs to 10 s
  private static final List<Duration> BOUNDS = rising();

  private static List<Duration> rising() {
    List<Duration> bounds = new ArrayList<>();
    long nanos = SHORTEST_NANOS;
    for (int decade = 0; decade < DECADES; decade++) {
      bounds.add(Duration.ofNanos(nanos));
      bounds.add(Duration.ofNanos(2 * nanos));
      bounds.add(Duration.ofNanos(5 * nanos));
      nanos *= 10;
    }
    bounds.add(Duration.ofNanos(nanos));
    return List.copyOf(bounds);
  }

  /// Copies the counts.
  ///
  /// @throws IllegalArgumentException when there is not one for each bound and one more
  public LatencyHistogram {
    counts = List.copyOf(counts);
    if (counts.size() != BOUNDS.size() + 1) {
      throw new IllegalArgumentException("a histogram has " + (BOUNDS.size() + 1) + " counts, not " + counts.size());
    }
  }

  /// The times that are told apart, rising: 1, 2 and 5 times each power of ten.
  ///
  /// @return the same for all histograms; unmodifiable
  public static List<Duration> bounds() {
    return BOUNDS;
  }

  /// How many times were measured.
  ///
  /// @return the sum of all counts
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }

  /// How long a part of them took at most.
  ///
  /// @param percent which part, such as 99, more than 0 and at most 100
  /// @return the least bound that so many did not exceed; null when nothing was measured, or when not so many took at
  ///         most 10 s
  /// @throws IllegalArgumentException when the part is out of range
  public @Nullable Duration percentile(double percent) {
    if (!(percent > 0 && percent <= 100)) {
      throw new IllegalArgumentException("a percentage is more than 0 and at most 100, not " + percent);
    }
    double wanted = count() * percent / 100;
    long seen = 0;
    for (int i = 0; i < BOUNDS.size(); i++) {
      seen += counts.get(i);
      if (seen > 0 && seen >= wanted) {
        return BOUNDS.get(i);
      }
    }
    return null;
  }
}
