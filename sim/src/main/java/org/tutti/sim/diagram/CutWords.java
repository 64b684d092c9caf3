package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Names a cut: its parts if it has clean ones, otherwise who is cut off from whom.
final class CutWords {
  private CutWords() {}

  static boolean cutsSomething(boolean[][] cut) {
    for (boolean[] row : cut) {
      for (boolean apart : row) {
        if (apart) {
          return true;
        }
      }
    }
    return false;
  }

  /// Such as `n0 n1 | n2`, or `n0 n1 -/-> n2` in one direction.
  static String describe(boolean[][] cut) {
    List<List<Integer>> parts = parts(cut);
    for (List<Integer> one : parts) {
      for (List<Integer> other : parts) {
        if (!clean(cut, one, other)) {
          return pairs(cut);
        }
      }
    }
    return String.join(" | ", parts.stream().map(CutWords::names).toList());
  }

  /// Nodes with the first one that they reach in both directions.
  private static List<List<Integer>> parts(boolean[][] cut) {
    List<List<Integer>> parts = new ArrayList<>();
    for (int node = 0; node < cut.length; node++) {
      int one = node;
      parts.stream()
          .filter(part -> !cut[part.getFirst()][one] && !cut[one][part.getFirst()])
          .findFirst()
          .orElseGet(() -> {
            parts.add(new ArrayList<>());
            return parts.getLast();
          })
          .add(node);
    }
    return parts;
  }

  private static boolean clean(boolean[][] cut, List<Integer> one, List<Integer> other) {
    for (int a : one) {
      for (int b : other) {
        if (a != b && cut[a][b] != (one != other)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Senders that are cut off from the same receivers stand together.
  private static String pairs(boolean[][] cut) {
    var senders = new TreeMap<String, List<Integer>>();
    var both = new TreeMap<String, List<Integer>>();
    for (int from = 0; from < cut.length; from++) {
      List<Integer> oneWay = new ArrayList<>();
      List<Integer> twoWay = new ArrayList<>();
      for (int to = 0; to < cut.length; to++) {
        if (cut[from][to] && !cut[to][from]) {
          oneWay.add(to);
        } else if (cut[from][to] && from < to) {
          twoWay.add(to);
        }
      }
      if (!oneWay.isEmpty()) {
        senders.computeIfAbsent(names(oneWay), _ -> new ArrayList<>()).add(from);
      }
      if (!twoWay.isEmpty()) {
        both.computeIfAbsent(names(twoWay), _ -> new ArrayList<>()).add(from);
      }
    }
    List<String> words = new ArrayList<>();
    both.forEach((other, ones) -> words.add(names(ones) + " | " + other));
    senders.forEach((to, from) -> words.add(names(from) + " \u219b " + to));
    return String.join(", ", words);
  }

  private static String names(List<Integer> nodes) {
    return String.join(" ", nodes.stream().map(node -> "n" + node).toList());
  }
}
