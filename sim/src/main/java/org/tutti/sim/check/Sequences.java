package org.tutti.sim.check;

import java.util.List;
import org.tutti.sim.check.HistoryEvent.Delivered;

/// Two members' deliveries in one view.
///
/// @param first  one member's
/// @param second the other's
record Sequences(List<Delivered> first, List<Delivered> second) {
  static Sequences of(ViewInterval first, ViewInterval second) {
    return new Sequences(first.onTime(), second.onTime());
  }

  /// Late ones included.
  static Sequences allOf(ViewInterval first, ViewInterval second) {
    return new Sequences(first.inView(), second.inView());
  }

  /// How many deliveries from the start are the same.
  int common() {
    int shorter = Math.min(first.size(), second.size());
    for (int i = 0; i < shorter; i++) {
      Delivered a = first.get(i);
      Delivered b = second.get(i);
      if (a.index() != b.index() || a.batch() != b.batch() || a.position() != b.position()) {
        return i;
      }
    }
    return shorter;
  }

  /// Whether the second is the beginning of the first, or all of it.
  boolean secondIsPrefix() {
    return common() == second.size();
  }

  /// Whether one is the beginning of the other.
  boolean onePrefix() {
    return common() == Math.min(first.size(), second.size());
  }

  boolean equal() {
    return first.size() == second.size() && common() == first.size();
  }

  /// The two from the first difference on.
  String difference() {
    int from = common();
    return from + " in common, then " + part(first, from) + " against " + part(second, from);
  }

  private static String part(List<Delivered> all, int from) {
    var text = new StringBuilder("[");
    for (Delivered delivered : all.subList(from, Math.min(all.size(), from + 3))) {
      text.append(delivered.index()).append(':').append(delivered.batch()).append(' ');
    }
    return text.append(all.size() > from + 3 ? "...]" : "]").toString();
  }
}
