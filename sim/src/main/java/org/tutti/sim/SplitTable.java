package org.tutti.sim;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;

/// Which shapes of splits runs met, how many views followed each, and how many parts merged.
public final class SplitTable {
  /// A split of a run.
  ///
  /// @param shape what it looks like
  /// @param nanos when it struck
  record Split(SplitShape shape, long nanos) {}

  private final Map<SplitShape, Long> seeds = new EnumMap<>(SplitShape.class);
  private final Map<SplitShape, Long> times = new EnumMap<>(SplitShape.class);
  private final Map<SplitShape, Long> views = new EnumMap<>(SplitShape.class);
  private final Map<Integer, Long> merges = new TreeMap<>(); // by how many parts

  SplitTable() {}

  /// What a run met.
  static SplitTable of(List<Split> splits, History history, long untilNanos) {
    var table = new SplitTable();
    for (Split split : splits) {
      table.seeds.put(split.shape(), 1L);
      table.times.merge(split.shape(), 1L, Long::sum);
    }
    if (!splits.isEmpty()) {
      table.read(splits, history, untilNanos);
    }
    return table;
  }

  private void read(List<Split> splits, History history, long untilNanos) {
    Map<ViewId, Set<ViewId>> before = new HashMap<>(); // of each view, all that lead to it; looked up only
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Installed(_, long nanos, View view) && !before.containsKey(view.id())) {
        Set<ViewId> ancestors = new HashSet<>();
        for (ViewId predecessor : view.predecessors()) {
          ancestors.addAll(before.getOrDefault(predecessor, Set.of()));
        }
        // Who comes from a view that another part has left behind is late, not a part.
        long parts =
            view.predecessors().stream().filter(id -> before.containsKey(id) && !ancestors.contains(id)).count();
        ancestors.addAll(view.predecessors());
        before.put(view.id(), ancestors);
        if (parts > 1) {
          merges.merge((int) parts, 1L, Long::sum);
        }
        if (nanos < untilNanos) {
          countAfter(splits, nanos);
        }
      }
    }
  }

  private void countAfter(List<Split> splits, long nanos) {
    SplitShape latest = null;
    for (Split split : splits) {
      latest = split.nanos() <= nanos ? split.shape() : latest;
    }
    if (latest != null) {
      views.merge(latest, 1L, Long::sum);
    }
  }

  void add(SplitTable other) {
    other.seeds.forEach((shape, number) -> seeds.merge(shape, number, Long::sum));
    other.times.forEach((shape, number) -> times.merge(shape, number, Long::sum));
    other.views.forEach((shape, number) -> views.merge(shape, number, Long::sum));
    other.merges.forEach((parts, number) -> merges.merge(parts, number, Long::sum));
  }

  /// Everything as lines that [#read(List)] understands.
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (SplitShape shape : times.keySet()) {
      lines.add(
          "shape " + shape + " " + seedsWith(shape) + " " + times.get(shape) + " " + views.getOrDefault(shape, 0L));
    }
    merges.forEach((parts, number) -> lines.add("merges " + parts + " " + number));
    return lines;
  }

  /// Adds what a line tells.
  void read(List<String> words) {
    if (words.getFirst().equals("merges")) {
      merges.merge(Integer.parseInt(words.get(1)), Long.parseLong(words.get(2)), Long::sum);
    } else {
      SplitShape shape = SplitShape.valueOf(words.get(1));
      seeds.merge(shape, Long.parseLong(words.get(2)), Long::sum);
      times.merge(shape, Long.parseLong(words.get(3)), Long::sum);
      views.merge(shape, Long.parseLong(words.get(4)), Long::sum);
    }
  }

  /// Whether there was no split.
  ///
  /// @return whether there is nothing to tell
  public boolean isEmpty() {
    return times.isEmpty();
  }

  /// How many runs met a shape.
  ///
  /// @param shape the shape
  /// @return seeds
  public long seedsWith(SplitShape shape) {
    return seeds.getOrDefault(shape, 0L);
  }

  /// How often parts merged.
  ///
  /// @param parts how many, at least 2
  /// @return how many views came of so many
  public long merges(int parts) {
    return merges.getOrDefault(parts, 0L);
  }

  /// The whole table.
  ///
  /// @return a line for each shape, and one for each number of parts that merged
  public String table() {
    var text = new StringBuilder();
    text.append(String.format("%-30s %15s %10s %15s%n", "splits", "times", "seeds", "views per split"));
    for (SplitShape shape : SplitShape.values()) {
      long number = times.getOrDefault(shape, 0L);
      double rate = number == 0 ? 0 : (double) views.getOrDefault(shape, 0L) / number;
      text.append(String.format("  %-28s %,15d %,10d %15.2f%n", shape.words(), number, seedsWith(shape), rate));
    }
    merges.forEach((parts, number) -> text.append(String.format("merges of %-20d %,15d%n", parts, number)));
    return text.toString();
  }
}
