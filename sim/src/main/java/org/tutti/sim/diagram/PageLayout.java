package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.Recorder.Talk;
import org.tutti.sim.check.History;
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

  /// Where a time is drawn. Not to scale: between two moments at which something happens there is room by the logarithm
  /// of what lies between them, so that a view change of a millisecond can be read beside a silence of half a second.
  static final class TimeScale {
    private static final double UNIT_NANOS = 250_000; // from here on the logarithm is felt
    private static final double GAP_MIN = 3;
    private static final double PER_DOUBLING = 9;
    private static final double WIDTH_MIN = 1100;
    private static final double WIDTH_MAX = 1800;
    private static final double TICK_WIDTH = 70;
    private static final double LAST = 170; // room for the words in the last view

    private final long[] moments;
    private final double[] places;

    /// @param window  the part of the run
    /// @param busy    the moments at which something is drawn
    /// @param left    where it begins
    TimeScale(TimeWindow window, SortedSet<Long> busy, double left) {
      List<Long> all = new ArrayList<>();
      all.add(window.fromNanos());
      busy.stream().filter(nanos -> nanos > window.fromNanos() && nanos < window.toNanos()).forEach(all::add);
      all.add(window.toNanos());
      moments = all.stream().mapToLong(nanos -> nanos).toArray();
      places = new double[moments.length];
      for (int i = 1; i < moments.length; i++) {
        double gap = moments[i] - moments[i - 1];
        places[i] = places[i - 1] + GAP_MIN + PER_DOUBLING * Math.log(1 + gap / UNIT_NANOS) / Math.log(2);
      }
      double width = places[places.length - 1];
      double factor = Math.clamp(width, WIDTH_MIN, WIDTH_MAX) / width;
      for (int i = 0; i < places.length; i++) {
        places[i] = left + places[i] * factor;
      }
      places[places.length - 1] += LAST;
    }

    /// Where a time is; what lies outside of the window is at its border.
    double x(long nanos) {
      int i = 1;
      while (i < moments.length - 1 && moments[i] < nanos) {
        i++;
      }
      double share = (double) (nanos - moments[i - 1]) / Math.max(1, moments[i] - moments[i - 1]);
      return places[i - 1] + Math.clamp(share, 0, 1) * (places[i] - places[i - 1]);
    }

    double left() {
      return places[0];
    }

    double right() {
      return places[places.length - 1];
    }

    /// Times in equal distances on the page, rounded as far as there is room.
    List<Long> ticks() {
      List<Long> ticks = new ArrayList<>();
      double latest = Double.NEGATIVE_INFINITY;
      for (double x = left(); x <= right(); x += TICK_WIDTH / 4) {
        long nanos = rounded(x);
        double at = x(nanos);
        boolean near = Math.abs(at - x) < TICK_WIDTH / 2;
        if (near && at >= latest + TICK_WIDTH && nanos >= moments[0] && nanos <= moments[moments.length - 1]) {
          ticks.add(nanos);
          latest = at;
        }
      }
      return ticks;
    }

    private long rounded(double x) {
      int i = 1;
      while (i < places.length - 1 && places[i] < x) {
        i++;
      }
      double share = (x - places[i - 1]) / (places[i] - places[i - 1]);
      double nanos = moments[i - 1] + share * (moments[i] - moments[i - 1]);
      double perPixel = (moments[i] - moments[i - 1]) / (places[i] - places[i - 1]);
      long grain = 100_000;
      while (grain < perPixel * TICK_WIDTH / 8) {
        grain *= 10;
      }
      return Math.round(nanos / grain) * grain;
    }
  }

  /// Which places of the page are taken by words, so that none covers another.
  static final class Labels {
    private record Box(double left, double top, double right, double bottom) {
      boolean meets(Box other) {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
      }
    }

    private static final double PER_LETTER = 0.58; // of the size of the letters; a little more than the fonts need

    private final List<Box> taken = new ArrayList<>();

    /// How wide words are.
    static double width(String words, double size) {
      return words.length() * size * PER_LETTER;
    }

    /// Takes a place if it is free.
    ///
    /// @param x        the middle
    /// @param baseline where the letters stand
    /// @return whether it was
    boolean take(double x, double baseline, String words, double size) {
      double half = width(words, size) / 2 + 1;
      var box = new Box(x - half, baseline - size, x + half, baseline + size / 4);
      if (taken.stream().anyMatch(box::meets)) {
        return false;
      }
      taken.add(box);
      return true;
    }
  }

  /// Short names: members by node and life, views by epoch and proposer.
  static final class ShortNames {
    private final Map<Long, String> byIncarnation = new HashMap<>(); // looked up only

    ShortNames(History history) {
      for (int ordinal = 0; ordinal < history.members().size(); ordinal++) {
        byIncarnation.put(history.members().get(ordinal).incarnation(), history.name(ordinal));
      }
    }

    String of(MemberId member) {
      return byIncarnation.getOrDefault(member.incarnation(), member.name());
    }

    /// Such as `7.n0`, and `7.n0~n2` for the view in which n2 is shown that it was away.
    String of(ViewId id) {
      String agreed = id.epoch() + "." + byIncarnation.getOrDefault(id.proposer(), "?");
      return id.alone() == 0 ? agreed : agreed + "~" + byIncarnation.getOrDefault(id.alone(), "?");
    }

    String members(View view) {
      return view.members().stream().map(this::of).collect(Collectors.joining(" "));
    }

    String views(List<ViewId> ids) {
      return ids.stream().map(this::of).collect(Collectors.joining(", "));
    }

    static String kind(View view) {
      return view.primary() ? "primary" : "non-primary";
    }
  }
}
