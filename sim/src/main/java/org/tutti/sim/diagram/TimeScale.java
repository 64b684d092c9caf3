package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/// Where a time is drawn. Not to scale: between two moments at which something happens there is room by the logarithm
/// of what lies between them, so that a view change of a millisecond can be read beside a silence of half a second.
final class TimeScale {
  private static final double UNIT_NANOS = 250_000; // from here on the logarithm is felt
  private static final double GAP_MIN = 3;
  private static final double PER_DOUBLING = 9;
  private static final double WIDTH_MIN = 1100;
  private static final double WIDTH_MAX = 1800;
  private static final double TICK_WIDTH = 70;
  private static final double LAST = 170; // room for the words in the last view

  private final long[] moments;
  private final double[] places;

  /// @param window  the part of the run
  /// @param busy    the moments at which something is drawn
  /// @param left    where it begins
  TimeScale(TimeWindow window, SortedSet<Long> busy, double left) {
    List<Long> all = new ArrayList<>();
    all.add(window.fromNanos());
    busy.stream().filter(nanos -> nanos > window.fromNanos() && nanos < window.toNanos()).forEach(all::add);
    all.add(window.toNanos());
    moments = all.stream().mapToLong(nanos -> nanos).toArray();
    places = new double[moments.length];
    for (int i = 1; i < moments.length; i++) {
      double gap = moments[i] - moments[i - 1];
      places[i] = places[i - 1] + GAP_MIN + PER_DOUBLING * Math.log(1 + gap / UNIT_NANOS) / Math.log(2);
    }
    double width = places[places.length - 1];
    double factor = Math.clamp(width, WIDTH_MIN, WIDTH_MAX) / width;
    for (int i = 0; i < places.length; i++) {
      places[i] = left + places[i] * factor;
    }
    places[places.length - 1] += LAST;
  }

  /// Where a time is; what lies outside of the window is at its border.
  double x(long nanos) {
    int i = 1;
    while (i < moments.length - 1 && moments[i] < nanos) {
      i++;
    }
    double share = (double) (nanos - moments[i - 1]) / Math.max(1, moments[i] - moments[i - 1]);
    return places[i - 1] + Math.clamp(share, 0, 1) * (places[i] - places[i - 1]);
  }

  double left() {
    return places[0];
  }

  double right() {
    return places[places.length - 1];
  }

  /// Times in equal distances on the page, rounded as far as there is room.
  List<Long> ticks() {
    List<Long> ticks = new ArrayList<>();
    double latest = Double.NEGATIVE_INFINITY;
    for (double x = left(); x <= right(); x += TICK_WIDTH / 4) {
      long nanos = rounded(x);
      double at = x(nanos);
      boolean near = Math.abs(at - x) < TICK_WIDTH / 2;
      if (near && at >= latest + TICK_WIDTH && nanos >= moments[0] && nanos <= moments[moments.length - 1]) {
        ticks.add(nanos);
        latest = at;
      }
    }
    return ticks;
  }

  private long rounded(double x) {
    int i = 1;
    while (i < places.length - 1 && places[i] < x) {
      i++;
    }
    double share = (x - places[i - 1]) / (places[i] - places[i - 1]);
    double nanos = moments[i - 1] + share * (moments[i] - moments[i - 1]);
    double perPixel = (moments[i] - moments[i - 1]) / (places[i] - places[i - 1]);
    long grain = 100_000;
    while (grain < perPixel * TICK_WIDTH / 8) {
      grain *= 10;
    }
    return Math.round(nanos / grain) * grain;
  }
}
