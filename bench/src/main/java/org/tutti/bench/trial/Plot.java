package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/// Plots as SVG elements that stand in a page of HTML.
final class Plot {
  private static final int WIDTH = 760;
  private static final int LEFT = 260;
  private static final int RIGHT = 40;
  private static final int ROW = 26;
  private static final int TOP = 8;
  private static final int FOOT = 28;
  private static final int CURVE_HEIGHT = 240;
  private static final int RADIUS = 4;
  private static final double HALF = 0.5;
  private static final double[] PERCENTILES = {0, 50, 90, 99, 99.9, 99.99};
  private static final List<String> COLOURS = List.of("#1b6ca8", "#c8553d", "#3a7d44", "#8e5aa8", "#b08900", "#555555");

  private Plot() {}

  /// A row for each trial: a dot for each round, hollow if it was disturbed, and a line at the median of those that
  /// count. The axis begins at zero.
  static String dots(TrialSet trialSet, Measure measure) {
    int trials = trialSet.trials().size();
    int height = TOP + trials * ROW + FOOT;
    double greatest = greatest(trialSet, measure);
    var svg = new StringBuilder(opening(height));
    axis(svg, TOP + trials * ROW, measure, greatest);
    for (int trial = 0; trial < trials; trial++) {
      double y = TOP + (trial + HALF) * ROW;
      text(svg, LEFT - 10, y + 4, "end", trialSet.trials().get(trial).name());
      for (TrialSet.Round round : trialSet.rounds()) {
        Double value = round.outcomes().get(trial).values().get(measure);
        if (value != null) {
          String colour = COLOURS.get(trial % COLOURS.size());
          String fill = round.counts() ? colour : "none";
          svg.append(
              String.format(
                  Locale.ROOT,
                  "<circle cx='%.1f' cy='%.1f' r='%d' fill='%s' stroke='%s'><title>round %d: %s</title></circle>",
                  x(value, greatest),
                  y,
                  RADIUS,
                  fill,
                  colour,
                  round.number() + 1,
                  measure.show(value)));
        }
      }
      Numbers figure = trialSet.figure(trial, measure);
      if (figure.rounds() > 0) {
        double median = x(figure.median(), greatest);
        line(svg, median, y - ROW * HALF + 2, median, y + ROW * HALF - 2, "#000");
      }
    }
    return svg.append("</svg>").toString();
  }

  private static double greatest(TrialSet trialSet, Measure measure) {
    double greatest = 0;
    for (TrialSet.Round round : trialSet.rounds()) {
      for (TrialOutcome outcome : round.outcomes()) {
        greatest = Math.max(greatest, outcome.values().getOrDefault(measure, 0.0));
      }
    }
    return greatest == 0 ? 1 : greatest;
  }

  private static double x(double value, double greatest) {
    return LEFT + (WIDTH - LEFT - RIGHT) * value / greatest;
  }

  private static void axis(StringBuilder svg, int y, Measure measure, double greatest) {
    line(svg, LEFT, y, WIDTH - RIGHT, y, "#888");
    for (double part : new double[] {0, HALF, 1}) {
      text(svg, x(part, 1), y + 16, "middle", measure.show(part * greatest));
    }
    text(svg, LEFT - 50, y + 16, "end", measure.title());
  }

  /// Times over percentiles, of all rounds that count together; both axes logarithmic. Empty if nothing was timed.
  static String curves(TrialSet trialSet) {
    List<List<Double>> curves = new ArrayList<>();
    double least = Double.MAX_VALUE;
    double greatest = 1;
    for (int trial = 0; trial < trialSet.trials().size(); trial++) {
      List<Double> curve = curve(trialSet, trial);
      curves.add(curve);
      if (!curve.isEmpty()) {
        least = Math.min(least, Math.max(1, curve.getFirst()));
        greatest = Math.max(greatest, curve.getLast());
      }
    }
    if (curves.stream().allMatch(List::isEmpty) || greatest <= least) {
      return "";
    }
    var range = new Range(least, greatest);
    var svg = new StringBuilder(opening(CURVE_HEIGHT + TOP + FOOT));
    for (int i = 0; i < PERCENTILES.length; i++) {
      text(svg, across(i), TOP + CURVE_HEIGHT + 18, "middle", "p" + trimmed(PERCENTILES[i]));
      line(svg, across(i), TOP, across(i), TOP + CURVE_HEIGHT, "#ddd");
    }
    for (double nanos = 1000; nanos < greatest; nanos *= 10) {
      if (nanos >= least) {
        double y = range.down(nanos);
        line(svg, LEFT, y, WIDTH - RIGHT, y, "#ddd");
        text(svg, LEFT - 10, y + 4, "end", Numbers.micros(nanos) + " us");
      }
    }
    for (int trial = 0; trial < curves.size(); trial++) {
      draw(svg, curves.get(trial), range, COLOURS.get(trial % COLOURS.size()), trialSet.trials().get(trial).name());
    }
    return svg.append("</svg>").toString();
  }

  private static List<Double> curve(TrialSet trialSet, int trial) {
    Histogram all = null;
    for (TrialSet.Round round : trialSet.rounds()) {
      String times = round.outcomes().get(trial).times();
      if (times != null && (round.counts() || trialSet.roundsThatCount() == 0)) {
        Histogram more = ProcessGroup.decoded(times);
        if (all == null) {
          all = more;
        } else {
          all.add(more);
        }
      }
    }
    var curve = new ArrayList<Double>();
    if (all != null) {
      for (double percentile : PERCENTILES) {
        curve.add((double) all.getValueAtPercentile(percentile));
      }
    }
    return curve;
  }

  private static void draw(StringBuilder svg, List<Double> curve, Range range, String colour, String name) {
    if (curve.isEmpty()) {
      return;
    }
    var points = new StringBuilder();
    for (int i = 0; i < curve.size(); i++) {
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", across(i), range.down(curve.get(i))));
    }
    svg.append(
        String.format(
            "<polyline points='%s' fill='none' stroke='%s' stroke-width='2'><title>%s</title></polyline>",
            points.toString().strip(), colour, HtmlReport.escaped(name)));
  }

  private static double across(int percentile) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (double) percentile / (PERCENTILES.length - 1);
  }

  /// The times that a plot shows.
  private record Range(double least, double greatest) {
    double down(double nanos) {
      return TOP + CURVE_HEIGHT * (1 - Math.log(Math.max(nanos, least) / least) / Math.log(greatest / least));
    }
  }

  private static String trimmed(double percentile) {
    return percentile == Math.rint(percentile) ? String.valueOf((int) percentile) : String.valueOf(percentile);
  }

  private static String opening(int height) {
    return "<svg viewBox='0 0 " + WIDTH + " " + height + "' width='" + WIDTH + "' role='img' font-size='12'>";
  }

  private static void line(StringBuilder svg, double x1, double y1, double x2, double y2, String colour) {
    svg.append(
        String.format(
            Locale.ROOT, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>", x1, y1, x2, y2, colour));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>", x, y, anchor, HtmlReport.escaped(text)));
  }
}
