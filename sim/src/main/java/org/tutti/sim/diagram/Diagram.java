package org.tutti.sim.diagram;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamException;
import org.tutti.View;

/// Draws a part of a run as a space-time diagram: a line for each node, time from left to right, views as bars on the
/// lines, what was multicast and delivered beside them, and between the lines the messages that made the views.
public final class Diagram {
  private static final double MARGIN = 24;
  private static final int LETTERS_MAX = 190; // of a line below the title
  private static final String STYLE =
      """
      text{font-family:'DejaVu Sans',Verdana,sans-serif;font-size:11px;fill:#222}
      .page{fill:#fff}.title{font-size:17px;font-weight:bold}.plan{fill:#555}.heading{font-weight:bold}
      .node{font-size:14px;font-weight:bold;text-anchor:end}.unit,.time{fill:#666;font-size:10px}
      .unit{text-anchor:end}.time,.parts,.position,.said,.mark{text-anchor:middle}
      .tick{stroke:#ddd;stroke-width:0.7}.life{stroke:#888;stroke-width:1.2}
      .primary{stroke:#123;stroke-width:1.8}.non-primary{stroke:#654;stroke-width:1.2;stroke-dasharray:4 2.5}
      .cut{stroke:#b33;stroke-width:1;stroke-dasharray:1 3}.parts{fill:#922;font-weight:bold}
      .delivery{fill:#123}.early{fill:none;stroke:#123;stroke-width:1.2}.multicast{fill:#06c}
      .position{font-size:9px}.said{font-size:9px}.said,.view{stroke:#fff;stroke-width:2.5;paint-order:stroke}
      .mark{font-size:11px;fill:#a00}.crash{stroke:#c00;stroke-width:3;fill:none}
      .end{stroke:#555;stroke-width:3;fill:none}
      .start{stroke:#080;stroke-width:3}.talk{stroke-width:1.1;opacity:0.85}
      .talk.propose{stroke:#1565c0}.talk.wedged{stroke:#1565c0;stroke-dasharray:5 2}
      .talk.accept{stroke:#c25700}.talk.accepted{stroke:#c25700;stroke-dasharray:5 2}
      .talk.install{stroke:#1b7a2e;stroke-width:1.8}.talk.meet{stroke:#8e24aa;stroke-dasharray:8 2 2 2}
      .talk.other{stroke:#999;stroke-dasharray:2 2}
      .propose,.wedged{fill:#1565c0}.accept,.accepted{fill:#c25700}.install{fill:#1b7a2e}.meet{fill:#8e24aa}
      .other{fill:#777}
      """;

  private Diagram() {}

  /// Draws.
  ///
  /// @param recording the run
  /// @param window    which part of it
  /// @return a whole SVG document; the same for the same run
  public static String draw(Recording recording, TimeWindow window) {
    var to = new StringWriter();
    try {
      var layout = new PageLayout(recording, window);
      draw(layout, new Svg(to));
    } catch (XMLStreamException e) {
      throw new IllegalStateException("a string cannot be written to", e);
    }
    return to.append('\n').toString();
  }

  private static void draw(PageLayout layout, Svg svg) throws XMLStreamException {
    String title =
        "Seed "
            + layout.recording.plan().seed()
            + ", "
            + PageLayout.millis(layout.window.fromNanos())
            + " to "
            + PageLayout.millis(layout.window.toNanos())
            + " ms";
    svg.begin(layout.scale.right() + MARGIN, layout.bottom() + Legend.height(layout), title, STYLE);
    svg.open("defs");
    svg.open("pattern", "id", "cut", "width", "8", "height", "8", "patternUnits", "userSpaceOnUse");
    svg.rect(0, 0, 8, 8, "", "#fdf1f0");
    svg.leaf("", "path", "d", "M0 8L8 0", "stroke", "#f3cfcb", "stroke-width", "1");
    svg.close();
    svg.close();
    svg.text(MARGIN, 24, "title", title + " (times are not to scale)");
    double y = 40;
    for (String line : lines(layout.recording.plan().describe())) {
      svg.text(MARGIN, y, "plan", line);
      y += 14;
    }
    new Background(layout, svg).draw();
    var lifelines = new Lifelines(layout, svg);
    lifelines.draw();
    new Messages(layout, svg).draw();
    lifelines.write();
    new Legend(layout, svg).draw();
    svg.end();
  }

  /// At most two lines, the rest of the words is left out.
  private static List<String> lines(String words) {
    List<String> lines = new ArrayList<>(List.of(""));
    for (String word : words.split(" ")) {
      if (lines.getLast().length() + word.length() > LETTERS_MAX) {
        lines.add("");
      }
      lines.add(lines.removeLast() + word + " ");
    }
    return lines.size() > 2 ? List.of(lines.getFirst(), lines.get(1) + "...") : lines;
  }

  /// What lies behind the lifelines: the times, and when which links were cut.
  private static final class Background {
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
      String hint =
          parts + ", " + PageLayout.millis(cut.fromNanos()) + " to " + PageLayout.millis(cut.toNanos()) + " ms";
      svg.rect(left, CUT_TOP, width, layout.bottom() - CUT_TOP, "cut", "url(#cut)", hint);
      double middle = Math.max(left + width / 2, PageLayout.LEFT + PageLayout.Labels.width(parts, SIZE) / 2);
      for (double y = CUT_TOP + 13; y < TIME_Y - 14; y += 13) {
        if (layout.labels.take(middle, y, parts, SIZE)) {
          svg.text(middle, y, "parts", parts);
          return;
        }
      }
    }
  }

  /// What the signs mean, and a table of the views.
  private static final class Legend {
    private static final double LINE = 17;
    private static final double SIGNS = 330; // how wide the signs are, with their words
    private static final String[] STEPS = {"Propose", "Wedged", "Accept", "Accepted", "Install", "Meet", "Other"};
    private static final String[] MEANINGS = {
      "stop, and tell what you know",
      "I have stopped, and know this",
      "this is to be the next view",
      "I have all of it",
      "it is agreed",
      "coordinators of two views find each other",
      "everything else about views; named where there is room"
    };

    private final PageLayout layout;
    private final Svg svg;
    private double y;

    Legend(PageLayout layout, Svg svg) {
      this.layout = layout;
      this.svg = svg;
    }

    /// How high it will be.
    static double height(PageLayout layout) {
      return LINE * (4 + Math.max(STEPS.length + 8, layout.views().size() + 1));
    }

    void draw() throws XMLStreamException {
      y = layout.bottom() + 2 * LINE;
      double x = PageLayout.LEFT;
      svg.text(x, y, "heading", "Signs");
      sign(x, "a member is in a primary view: full line");
      svg.rect(x, y - 11, 30, 13, "primary", "hsl(210,65%,80%)");
      sign(x, "in a view that is not primary: dashed line");
      svg.rect(x, y - 11, 30, 13, "non-primary", "hsl(210,35%,90%)");
      sign(x, "links are cut between the parts named on top");
      svg.rect(x, y - 11, 30, 13, "cut", "url(#cut)");
      sign(x, "delivery, with its position");
      svg.circle(x + 15, y - 4, 3, "delivery", "");
      sign(x, "delivery of a weak service, without a position");
      svg.circle(x + 15, y - 4, 3, "early", "");
      sign(x, "delivery in a branch, in a view that is not primary");
      svg.rect(x + 12, y - 7, 6, 6, "early", "");
      sign(x, "multicast");
      svg.path("M" + Svg.number(x + 15) + " " + Svg.number(y - 8) + "l3 6h-6z", "multicast", "");
      sign(x, "a node crashes; its next life has the same line");
      svg.path("M" + Svg.number(x + 10) + " " + Svg.number(y - 9) + "l10 10m0 -10l-10 10", "crash", "");
      for (int i = 0; i < STEPS.length; i++) {
        sign(x, STEPS[i] + ": " + MEANINGS[i]);
        svg.line(x, y - 4, x + 30, y - 4, "talk " + Messages.kind(STEPS[i]), "");
      }
      views(x + SIGNS + 60);
    }

    private void sign(double x, String words) throws XMLStreamException {
      y += LINE;
      svg.text(x + 38, y, "words", words);
    }

    private void views(double x) throws XMLStreamException {
      double line = layout.bottom() + 2 * LINE;
      svg.text(x, line, "heading", "Views: epoch.proposer, id, members by seniority, the views they come from");
      for (View view : layout.views()) {
        line += LINE;
        svg.rect(x, line - 11, 16, 13, PageLayout.ShortNames.kind(view), layout.colour(view));
        svg.text(x + 24, line, "words", layout.names.of(view.id()));
        svg.text(x + 100, line, "words", view.id().toString());
        svg.text(x + 220, line, "words", PageLayout.ShortNames.kind(view));
        String from = view.predecessors().isEmpty() ? "" : " from " + layout.names.views(view.predecessors());
        svg.text(x + 300, line, "words", layout.names.members(view) + from);
      }
    }
  }
}
