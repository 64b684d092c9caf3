package org.tutti.sim.diagram;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamException;

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
}
