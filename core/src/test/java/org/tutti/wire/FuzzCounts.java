package org.tutti.wire;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.Metric;

/// What became of the frames that were thrown, by aim and kind; and the reasons that the nodes counted.
final class FuzzCounts {
  /// The fates of frames of one kind.
  private static final class Fates {
    long thrown;
    long dropped;
    long counted;
    long taken;
    long bytesMax;

    void add(Fates other) {
      thrown += other.thrown;
      dropped += other.dropped;
      counted += other.counted;
      taken += other.taken;
      bytesMax = Math.max(bytesMax, other.bytesMax);
    }
  }

  private final Map<FrameFuzz.Aim, Map<String, Fates>> fates = new EnumMap<>(FrameFuzz.Aim.class);
  private final Map<String, Long> reasons = new TreeMap<>();
  private long thrown;

  long thrown() {
    return thrown;
  }

  /// A frame was thrown.
  ///
  /// @param dropped whether something was dropped ([#isDrop])
  /// @param counted whether any counter rose
  /// @param bytes   what the node allocated for it
  void add(FrameFuzz.Aim aim, String kind, boolean dropped, boolean counted, long bytes) {
    Fates of = fates.computeIfAbsent(aim, key -> new TreeMap<>()).computeIfAbsent(kind, key -> new Fates());
    thrown++;
    of.thrown++;
    of.dropped += dropped ? 1 : 0;
    of.counted += counted && !dropped ? 1 : 0;
    of.taken += counted ? 0 : 1;
    of.bytesMax = Math.max(of.bytesMax, bytes);
  }

  /// The counters of a node, before and after.
  void add(List<Metric> before, List<Metric> after) {
    Map<String, Long> then = Metric.byKey(before);
    for (Metric metric : after) {
      long rise = metric.value() - then.getOrDefault(metric.key(), 0L);
      if (rise > 0 && isDrop(metric)) {
        reasons.merge(metric.key(), rise, Long::sum);
      }
    }
  }

  /// Whether this counts what was dropped.
  static boolean isDrop(Metric metric) {
    return metric.name().matches(".*\\.(dropped|damaged|malformed)");
  }

  @Override
  public String toString() {
    var text = new StringBuilder(String.format("%,d frames%n", thrown));
    row(text, "aim", "what", "frames", "dropped", "counted", "taken", "bytes max");
    fates.forEach((aim, kinds) -> {
      var all = new Fates();
      kinds.values().forEach(all::add);
      if (kinds.size() <= 20) {
        kinds.forEach((kind, of) -> row(text, aim, kind, of));
      }
      row(text, aim, "all", all);
    });
    reasons.forEach((name, count) -> text.append(String.format(Locale.ROOT, "%,12d  %s%n", count, name)));
    return text.toString();
  }

  private static void row(StringBuilder text, FrameFuzz.Aim aim, String kind, Fates of) {
    row(text, aim, kind, of.thrown, of.dropped, of.counted, of.taken, of.bytesMax);
  }

  private static void row(StringBuilder text, Object... cells) {
    text.append(String.format(Locale.ROOT, "%-9s %-18s %10s %10s %10s %10s %11s%n", cells));
  }
}
