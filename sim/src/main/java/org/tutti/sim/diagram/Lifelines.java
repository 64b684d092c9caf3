package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamException;
import org.tutti.End;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent;

/// The nodes' lines with their views, and where a life begins and ends.
final class Lifelines {
  private record Word(double x, double y, String text) {}

  private static final double SIZE = 11;
  private static final double MARK = 7;

  private final PageLayout layout;
  private final Svg svg;
  private final List<Word> words = new ArrayList<>();

  Lifelines(PageLayout layout, Svg svg) {
    this.layout = layout;
    this.svg = svg;
  }

  void draw() throws XMLStreamException {
    for (int place = 0; place < layout.nodes(); place++) {
      double y = layout.y(place);
      svg.text(PageLayout.LEFT - 10, y + 5, "node", "n" + place);
      svg.line(PageLayout.LEFT, y, layout.scale.right(), y, "life", "");
    }
    for (Spans.Span span : layout.spans.in(layout.window)) {
      draw(span);
    }
    for (HistoryEvent event : layout.recording.history().events()) {
      if (layout.window.contains(event.nanos())) {
        mark(event);
      }
    }
  }

  /// The views' words, which stand above everything that is drawn in between.
  void write() throws XMLStreamException {
    for (Word word : words) {
      svg.text(word.x(), word.y(), "view", word.text());
    }
  }

  private void draw(Spans.Span span) throws XMLStreamException {
    View view = span.view();
    double left = layout.x(span.fromNanos());
    double right = layout.x(span.toNanos());
    double y = layout.y(layout.place(span.member()));
    String id = layout.names.of(view.id());
    String hint =
        view.id()
            + " "
            + PageLayout.ShortNames.kind(view)
            + ": "
            + layout.names.members(view)
            + ", since "
            + PageLayout.millis(span.fromNanos())
            + " ms";
    svg.rect(
        left,
        y - PageLayout.BAR / 2,
        right - left,
        PageLayout.BAR,
        PageLayout.ShortNames.kind(view),
        layout.colour(view),
        hint);
    String full = id + " " + PageLayout.ShortNames.kind(view) + ": " + layout.names.members(view);
    for (String text :
        new String[] {full, id + ": " + layout.names.members(view), id, Long.toString(view.id().epoch())}) {
      boolean fits = PageLayout.Labels.width(text, SIZE) < right - left - 4;
      double x = left + 3 + PageLayout.Labels.width(text, SIZE) / 2;
      if (fits && layout.labels.take(x, y + 4, text, SIZE)) {
        words.add(new Word(left + 4, y + 4, text));
        return;
      }
    }
  }

  private void mark(HistoryEvent event) throws XMLStreamException {
    double x = layout.x(event.nanos());
    double y = layout.y(event);
    String name = layout.recording.history().name(event.member());
    String at = " at " + PageLayout.millis(event.nanos()) + " ms";
    switch (event) {
      case HistoryEvent.Crashed _ -> {
        svg.path(cross(x, y), "crash", name + " crashes" + at);
        words(x, y + PageLayout.BAR, name + " crashes");
      }
      case HistoryEvent.Closed(_, _, End end) -> {
        svg.path(cross(x, y), "end", name + " ends: " + end + at);
        words(x, y + PageLayout.BAR, name + " ends");
      }
      case HistoryEvent.Entered _ -> {
        svg.line(x, y - PageLayout.BAR, x, y + PageLayout.BAR, "start", name + " starts" + at);
        words(x, y + PageLayout.BAR + SIZE, name + " starts");
      }
      default -> {}
    }
  }

  private void words(double x, double y, String words) throws XMLStreamException {
    if (layout.labels.take(x, y + SIZE, words, SIZE)) {
      svg.text(x, y + SIZE, "mark", words);
    }
  }

  private static String cross(double x, double y) {
    String left = Svg.number(x - MARK);
    String right = Svg.number(x + MARK);
    String top = Svg.number(y - MARK);
    String bottom = Svg.number(y + MARK);
    return "M" + left + " " + top + "L" + right + " " + bottom + "M" + left + " " + bottom + "L" + right + " " + top;
  }
}
