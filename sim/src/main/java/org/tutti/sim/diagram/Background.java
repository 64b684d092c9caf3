package org.tutti.sim.diagram;

import javax.xml.stream.XMLStreamException;

/// What lies behind the lifelines: the times, and when which links were cut.
final class Background {
  private static final double CUT_TOP = 66;
  private static final double TIME_Y = 118;
  private static final double SIZE = 11;

  private final PageLayout layout;
  private final Svg svg;

  Background(PageLayout layout, Svg svg) {
    this.layout = layout;
    this.svg = svg;
  }

  void draw() throws XMLStreamException {
    for (Recording.Interval cut : layout.recording.cuts()) {
      if (cut.toNanos() >= layout.window.fromNanos() && cut.fromNanos() <= layout.window.toNanos()) {
        draw(cut);
      }
    }
    for (long tick : layout.scale.ticks()) {
      double x = layout.x(tick);
      svg.line(x, TIME_Y + 4, x, layout.bottom(), "tick", "");
      svg.text(x, TIME_Y, "time", PageLayout.millis(tick));
    }
    svg.text(PageLayout.LEFT - 24, TIME_Y, "unit", "ms");
  }

  private void draw(Recording.Interval cut) throws XMLStreamException {
    double left = layout.x(cut.fromNanos());
    double width = layout.x(cut.toNanos()) - left;
    String parts = "cut: " + CutWords.describe(cut.cut());
    String hint = parts + ", " + PageLayout.millis(cut.fromNanos()) + " to " + PageLayout.millis(cut.toNanos()) + " ms";
    svg.rect(left, CUT_TOP, width, layout.bottom() - CUT_TOP, "cut", "url(#cut)", hint);
    double middle = Math.max(left + width / 2, PageLayout.LEFT + Labels.width(parts, SIZE) / 2);
    for (double y = CUT_TOP + 13; y < TIME_Y - 14; y += 13) {
      if (layout.labels.take(middle, y, parts, SIZE)) {
        svg.text(middle, y, "parts", parts);
        return;
      }
    }
  }
}
