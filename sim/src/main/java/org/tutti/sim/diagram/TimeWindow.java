package org.tutti.sim.diagram;

import org.jspecify.annotations.Nullable;
import org.tutti.View;

/// The part of a run that is drawn.
///
/// @param fromNanos its beginning, simulated time
/// @param toNanos   its end
public record TimeWindow(long fromNanos, long toNanos) {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long LEAD_NANOS = 25_000_000;
  private static final long TRAIL_NANOS = 15_000_000;

  /// The first split that led to views of its own, until everybody in the first primary view that merges parts
  /// has installed that one. The whole run if there is none.
  ///
  /// @param recording the run
  /// @return where it is
  public static TimeWindow ofSplitAndMerge(Recording recording) {
    var spans = new Spans(recording.history(), recording.endNanos());
    for (Recording.Interval cut : recording.cuts()) {
      boolean led =
          spans.all().stream()
              .anyMatch(span ->
                  !span.view().primary() && span.fromNanos() > cut.fromNanos() && span.fromNanos() <= cut.toNanos());
      if (led) {
        long merged = merged(spans, cut.toNanos());
        return new TimeWindow(
            Math.max(0, cut.fromNanos() - LEAD_NANOS),
            merged < 0 ? recording.endNanos() : Math.min(recording.endNanos(), merged + TRAIL_NANOS));
      }
    }
    return new TimeWindow(0, recording.endNanos());
  }

  /// When the last one enters the first primary view that is a merge, or the first one of all if none is.
  private static long merged(Spans spans, long after) {
    View merge = null;
    long first = Long.MAX_VALUE;
    for (Spans.Span span : spans.all()) {
      View view = span.view();
      long parts = view.predecessors().stream().filter(spans::know).count();
      boolean better = merge == null || view.primary() && !merge.primary();
      boolean earlier = merge != null && view.primary() == merge.primary() && span.fromNanos() < first;
      if (span.fromNanos() >= after && parts > 1 && (better || earlier)) {
        merge = view;
        first = span.fromNanos();
      }
    }
    long last = -1;
    for (Spans.Span span : spans.all()) {
      if (span.view().equals(merge)) {
        last = Math.max(last, span.fromNanos());
      }
    }
    return last;
  }

  /// Another beginning or end.
  ///
  /// @param fromMillis the beginning in simulated milliseconds, or null for this one
  /// @param toMillis   the end, or null
  /// @return a changed copy
  public TimeWindow with(@Nullable Long fromMillis, @Nullable Long toMillis) {
    return new TimeWindow(
        fromMillis == null ? fromNanos : fromMillis * NANOS_PER_MILLI,
        toMillis == null ? toNanos : toMillis * NANOS_PER_MILLI);
  }

  boolean contains(long nanos) {
    return nanos >= fromNanos && nanos <= toNanos;
  }
}
