package org.tutti.sim.diagram;

import javax.xml.stream.XMLStreamException;

/// What lies behind the lifelines: the times, and when which links were cut.
final class Background {
  private static final double CUT_TOP = 66;
  private static final double TIME_Y = 118;
  private static final double SIZE = 11;

  private final Sheet sheet;
  private final Svg svg;

  Background(Sheet sheet, Svg svg) {
    this.sheet = sheet;
    this.svg = svg;
  }

  void draw() throws XMLStreamException {
    for (Recording.Interval cut : sheet.recording.cuts()) {
      if (cut.toNanos() >= sheet.window.fromNanos() && cut.fromNanos() <= sheet.window.toNanos()) {
        draw(cut);
      }
    }
    for (long tick : sheet.scale.ticks()) {
      double x = sheet.x(tick);
      svg.line(x, TIME_Y + 4, x, sheet.bottom(), "tick", "");
      svg.text(x, TIME_Y, "time", Sheet.millis(tick));
    }
    svg.text(Sheet.LEFT - 24, TIME_Y, "unit", "ms");
  }

  private void draw(Recording.Interval cut) throws XMLStreamException {
    double left = sheet.x(cut.fromNanos());
    double width = sheet.x(cut.toNanos()) - left;
    String parts = "cut: " + CutWords.describe(cut.cut());
    String hint = parts + ", " + Sheet.millis(cut.fromNanos()) + " to " + Sheet.millis(cut.toNanos()) + " ms";
    svg.rect(left, CUT_TOP, width, sheet.bottom() - CUT_TOP, "cut", "url(#cut)", hint);
    double middle = Math.max(left + width / 2, Sheet.LEFT + Labels.width(parts, SIZE) / 2);
    for (double y = CUT_TOP + 13; y < TIME_Y - 14; y += 13) {
      if (sheet.labels.take(middle, y, parts, SIZE)) {
        svg.text(middle, y, "parts", parts);
        return;
      }
    }
  }
}
