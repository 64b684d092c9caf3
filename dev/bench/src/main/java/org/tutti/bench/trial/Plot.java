package org.tutti.bench.trial;

import java.awt.Color;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/// Figures as a picture, beside the raw results: lines over a number.
///
/// ```java
/// Plot.draw(directory.resolve("load.png"), new Plot.Text("load", "seconds", "clients"), series, out);
/// ```
final class Plot {
  private static final int WIDTH = 800;
  private static final int HEIGHT = 450;
  private static final int DOT = 5;

  private Plot() {}

  /// What is written at a plot.
  ///
  /// @param title above it
  /// @param x     below it
  /// @param y     beside it
  record Text(String title, String x, String y) {}

  /// Draws lines, and prints where; or why not, for figures are worth having without a plot.
  ///
  /// @param file   as [#lines]
  /// @param text   as there
  /// @param series as there; nothing is drawn without any
  /// @param out    where to print
  static void draw(Path file, Text text, Map<String, List<double[]>> series, PrintWriter out) {
    if (series.isEmpty()) {
      return;
    }
    try {
      lines(file, text, series);
      out.printf("plot: %s%n", file);
    } catch (IOException why) {
      out.printf("no plot: %s%n", why.getMessage());
    }
  }

  /// Draws lines.
  ///
  /// @param file   the picture, of the PNG format
  /// @param text   what is written at it
  /// @param series points, x and y, by name; a line needs at least one
  /// @throws IOException when it cannot be written, or when this machine cannot draw text, as it has no fonts
  private static void lines(Path file, Text text, Map<String, List<double[]>> series) throws IOException {
    System.setProperty("java.awt.headless", "true"); // a bench has no screen
    try {
      XYChart chart =
          new XYChartBuilder()
              .width(WIDTH)
              .height(HEIGHT)
              .title(text.title)
              .xAxisTitle(text.x)
              .yAxisTitle(text.y)
              .build();
      chart.getStyler().setLegendPosition(LegendPosition.OutsideE).setMarkerSize(DOT);
      chart.getStyler().setYAxisMin(0.0).setChartBackgroundColor(Color.WHITE);
      series.forEach((name, points) ->
          chart.addSeries(
              name,
              points.stream().mapToDouble(point -> point[0]).toArray(),
              points.stream().mapToDouble(point -> point[1]).toArray()));
      ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", file.toFile());
    } catch (RuntimeException | LinkageError noFonts) {
      throw new IOException("plots need fonts and the drawing part of Java: " + noFonts.getMessage(), noFonts);
    }
  }
}
