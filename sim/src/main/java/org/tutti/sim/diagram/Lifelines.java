package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamException;
import org.tutti.End;
import org.tutti.View;
import org.tutti.sim.check.Happening;

/// The nodes' lines with their views, and where a life begins and ends.
final class Lifelines {
  private record Word(double x, double y, String text) {}

  private static final double SIZE = 11;
  private static final double MARK = 7;

  private final Sheet sheet;
  private final Svg svg;
  private final List<Word> words = new ArrayList<>();

  Lifelines(Sheet sheet, Svg svg) {
    this.sheet = sheet;
    this.svg = svg;
  }

  void draw() throws XMLStreamException {
    for (int place = 0; place < sheet.nodes(); place++) {
      double y = sheet.y(place);
      svg.text(Sheet.LEFT - 10, y + 5, "node", "n" + place);
      svg.line(Sheet.LEFT, y, sheet.scale.right(), y, "life", "");
    }
    for (Spans.Span span : sheet.spans.in(sheet.window)) {
      draw(span);
    }
    for (Happening happening : sheet.recording.history().happenings()) {
      if (sheet.window.contains(happening.nanos())) {
        mark(happening);
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
    double left = sheet.x(span.fromNanos());
    double right = sheet.x(span.toNanos());
    double y = sheet.y(sheet.place(span.member()));
    String id = sheet.names.of(view.id());
    String hint =
        view.id()
            + " "
            + Names.kind(view)
            + ": "
            + sheet.names.members(view)
            + ", since "
            + Sheet.millis(span.fromNanos())
            + " ms";
    svg.rect(left, y - Sheet.BAR / 2, right - left, Sheet.BAR, Names.kind(view), sheet.colour(view), hint);
    String full = id + " " + Names.kind(view) + ": " + sheet.names.members(view);
    for (String text :
        new String[] {full, id + ": " + sheet.names.members(view), id, Long.toString(view.id().epoch())}) {
      boolean fits = Labels.width(text, SIZE) < right - left - 4;
      double x = left + 3 + Labels.width(text, SIZE) / 2;
      if (fits && sheet.labels.take(x, y + 4, text, SIZE)) {
        words.add(new Word(left + 4, y + 4, text));
        return;
      }
    }
  }

  private void mark(Happening happening) throws XMLStreamException {
    double x = sheet.x(happening.nanos());
    double y = sheet.y(happening);
    String name = sheet.recording.history().name(happening.member());
    String at = " at " + Sheet.millis(happening.nanos()) + " ms";
    switch (happening) {
      case Happening.Crashed _ -> {
        svg.path(cross(x, y), "crash", name + " crashes" + at);
        words(x, y + Sheet.BAR, name + " crashes");
      }
      case Happening.Closed(_, _, End end) -> {
        svg.path(cross(x, y), "end", name + " ends: " + end + at);
        words(x, y + Sheet.BAR, name + " ends");
      }
      case Happening.Entered _ -> {
        svg.line(x, y - Sheet.BAR, x, y + Sheet.BAR, "start", name + " starts" + at);
        words(x, y + Sheet.BAR + SIZE, name + " starts");
      }
      default -> {}
    }
  }

  private void words(double x, double y, String words) throws XMLStreamException {
    if (sheet.labels.take(x, y + SIZE, words, SIZE)) {
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
