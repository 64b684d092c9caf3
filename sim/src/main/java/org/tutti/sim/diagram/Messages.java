package org.tutti.sim.diagram;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import org.tutti.sim.Recorder.Talk;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.HistoryEvent;

/// Multicasts below the lifelines, deliveries above them, and between them the messages of view agreement.
final class Messages {
  private static final double SIZE = 9;
  private static final double RADIUS = 3;
  private static final double HEAD = 5;

  private final PageLayout layout;
  private final Svg svg;
  private final Set<String> named = new HashSet<>(); // looked up only

  Messages(PageLayout layout, Svg svg) {
    this.layout = layout;
    this.svg = svg;
  }

  void draw() throws XMLStreamException {
    for (Talk talk : layout.recording.talks()) {
      if (layout.window.contains(talk.sentNanos()) && layout.window.contains(talk.arrivedNanos())) {
        draw(talk);
      }
    }
    for (HistoryEvent event : layout.recording.history().events()) {
      if (layout.window.contains(event.nanos())) {
        draw(event);
      }
    }
  }

  private void draw(HistoryEvent event) throws XMLStreamException {
    double x = layout.x(event.nanos());
    double y = layout.y(event);
    String at = " at " + PageLayout.millis(event.nanos()) + " ms";
    switch (event) {
      case HistoryEvent.Submitted submitted -> {
        double top = y + PageLayout.BAR / 2 + 2;
        String data =
            "M" + Svg.number(x) + " " + Svg.number(top) + "l" + RADIUS + " " + 2 * RADIUS + "h" + -2 * RADIUS + "z";
        svg.path(data, "multicast", "multicast " + submitted.service() + at);
      }
      case HistoryEvent.Delivered(_, _, _, long position, Content batch, boolean again) -> {
        if (!again && batch.count() > 0) {
          String words = batch.isWeak() ? "" : position(position, batch.count());
          dot(x, y, "delivery", words, "delivered " + words + " of " + sender(batch) + at);
        }
      }
      case HistoryEvent.Early(_, _, Content batch) ->
          dot(x, y, "early", "", "delivered without a place, of " + sender(batch) + at);
      case HistoryEvent.Branched(_, _, Content batch) -> {
        double above = y - PageLayout.BAR / 2 - 2 * RADIUS - 2;
        svg.rect(x - RADIUS, above, 2 * RADIUS, 2 * RADIUS, "early", "", "in a branch, of " + sender(batch) + at);
      }
      default -> {}
    }
  }

  private String sender(Content batch) {
    return layout.recording.history().name(batch.sender());
  }

  private static String position(long first, int count) {
    return count == 1 ? Long.toString(first) : first + "-" + (first + count - 1);
  }

  private void dot(double x, double y, String kind, String words, String hint) throws XMLStreamException {
    double above = y - PageLayout.BAR / 2 - RADIUS - 2;
    svg.circle(x, above, RADIUS, kind, hint);
    for (double baseline = above - 5; !words.isEmpty() && baseline > y - PageLayout.ROW / 2 + SIZE; baseline -= SIZE) {
      if (layout.labels.take(x, baseline, words, SIZE)) {
        svg.text(x, baseline, "position", words);
        return;
      }
    }
  }

  private void draw(Talk talk) throws XMLStreamException {
    double x1 = layout.x(talk.sentNanos());
    double x2 = layout.x(talk.arrivedNanos());
    boolean down = talk.to() > talk.from();
    double half = down ? PageLayout.BAR / 2 : -PageLayout.BAR / 2;
    double y1 = layout.y(talk.from()) + half;
    double y2 = layout.y(talk.to()) - half;
    String kind = "talk " + kind(talk.kind());
    String hint =
        talk.kind()
            + " n"
            + talk.from()
            + " to n"
            + talk.to()
            + ", "
            + PageLayout.millis(talk.sentNanos())
            + " to "
            + PageLayout.millis(talk.arrivedNanos())
            + " ms";
    svg.line(x1, y1, x2, y2, kind, hint);
    double length = Math.hypot(x2 - x1, y2 - y1);
    double ux = (x2 - x1) / length * HEAD;
    double uy = (y2 - y1) / length * HEAD;
    svg.path(
        "M"
            + Svg.number(x2)
            + " "
            + Svg.number(y2)
            + "L"
            + Svg.number(x2 - ux - uy / 2)
            + " "
            + Svg.number(y2 - uy + ux / 2)
            + "L"
            + Svg.number(x2 - ux + uy / 2)
            + " "
            + Svg.number(y2 - uy - ux / 2)
            + "z",
        "head " + kind(talk.kind()),
        hint);
    name(talk, (x1 + 2 * x2) / 3, (y1 + 2 * y2) / 3);
  }

  /// One name for all that a member says, or is told, of a kind at a time.
  private void name(Talk talk, double x, double y) throws XMLStreamException {
    String said = talk.kind() + " from " + talk.from() + " at " + talk.sentNanos();
    boolean fresh = !named.contains(said);
    if (fresh && layout.labels.take(x, y, talk.kind(), SIZE)) {
      named.add(said);
      svg.text(x, y, "said " + kind(talk.kind()), talk.kind());
    }
  }

  /// The steps of an attempt by name, the rest together.
  static String kind(String name) {
    return switch (name) {
      case "Propose", "Wedged", "Accept", "Accepted", "Install", "Meet" -> name.toLowerCase(Locale.ROOT);
      default -> "other";
    };
  }
}
