package org.tutti.sim.diagram;

import java.util.List;
import java.util.TreeSet;
import org.tutti.View;
import org.tutti.sim.Recorder.Talk;
import org.tutti.sim.check.HistoryEvent;

/// Where things are on the page: times from left to right, nodes from top to bottom.
final class PageLayout {
  static final double LEFT = 60;
  static final double TOP = 128; // below title, cuts and times
  static final double ROW = 104;
  static final double BAR = 22; // how high a view is

  private static final int HUE = 210;
  private static final int HUE_STEP = 137; // no two of the first dozen are near each other

  final Recording recording;
  final TimeWindow window;
  final Spans spans;
  final ShortNames names;
  final TimeScale scale;
  final Labels labels = new Labels();
  private final List<View> views;

  PageLayout(Recording recording, TimeWindow window) {
    this.recording = recording;
    this.window = window;
    this.spans = new Spans(recording.history(), recording.endNanos());
    this.names = new ShortNames(recording.history());
    this.views = spans.views(window);
    this.scale = new TimeScale(window, moments(), LEFT);
  }

  private TreeSet<Long> moments() {
    var moments = new TreeSet<Long>();
    for (Talk talk : recording.talks()) {
      moments.add(talk.sentNanos());
      moments.add(talk.arrivedNanos());
    }
    for (Recording.Interval cut : recording.cuts()) {
      moments.add(cut.fromNanos());
      moments.add(cut.toNanos());
    }
    for (HistoryEvent event : recording.history().events()) {
      switch (event) {
        case HistoryEvent.Entered _,
            HistoryEvent.Installed _,
            HistoryEvent.Delivered _,
            HistoryEvent.Early _,
            HistoryEvent.Branched _,
            HistoryEvent.Submitted _,
            HistoryEvent.Crashed _,
            HistoryEvent.Closed _ ->
            moments.add(event.nanos());
        default -> {}
      }
    }
    return moments;
  }

  List<View> views() {
    return views;
  }

  int nodes() {
    return recording.plan().nodes();
  }

  /// The middle of a node's lifeline.
  double y(int place) {
    return TOP + ROW * place + ROW / 2;
  }

  double y(HistoryEvent event) {
    return y(place(event.member()));
  }

  /// The node whose life a member is: lives of one name share a line.
  int place(int member) {
    return Integer.parseInt(recording.history().members().get(member).name().substring(1));
  }

  double x(long nanos) {
    return scale.x(nanos);
  }

  double bottom() {
    return TOP + ROW * nodes();
  }

  /// A view's colour; neighbours in time differ most.
  String colour(View view) {
    return "hsl(" + (HUE + views.indexOf(view) * HUE_STEP) % 360 + "," + (view.primary() ? "65%,80%)" : "35%,90%)");
  }

  static String millis(long nanos) {
    String text = String.format(java.util.Locale.ROOT, "%.3f", nanos / 1e6);
    return text.replaceAll("\\.?0+$", "");
  }
}
