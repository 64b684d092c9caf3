package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Which node cannot send to which, by shape, over nodes in an order drawn at random.
final class NetworkCut {
  private final int nodes;
  private final int[] order;

  NetworkCut(int nodes, SplittableRandom random) {
    this.nodes = nodes;
    this.order = new int[nodes];
    for (int i = 0; i < nodes; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
  }

  /// The first nodes in this order.
  List<Integer> first(int some) {
    List<Integer> first = new ArrayList<>();
    for (int i = 0; i < some; i++) {
      first.add(order[i]);
    }
    return first;
  }

  /// Parts of consecutive places in this order, which do not reach each other.
  ///
  /// @param ends the places at which a part ends and the next begins, rising
  boolean[][] parts(int... ends) {
    int[] part = new int[nodes];
    for (int place = 0; place < nodes; place++) {
      for (int end : ends) {
        part[order[place]] += place >= end ? 1 : 0;
      }
    }
    var cut = new boolean[nodes][nodes];
    for (int a = 0; a < nodes; a++) {
      for (int b = 0; b < nodes; b++) {
        cut[a][b] = part[a] != part[b];
      }
    }
    return cut;
  }

  /// The first nodes reach the last one, and so do all others, but not each other.
  boolean[][] bridge(int some) {
    boolean[][] cut = parts(some);
    int bridge = order[nodes - 1];
    for (int node = 0; node < nodes; node++) {
      cut[bridge][node] = false;
      cut[node][bridge] = false;
    }
    return cut;
  }

  /// Nodes reach those next to them, the last one the first.
  boolean[][] ring() {
    var cut = new boolean[nodes][nodes];
    for (int a = 0; a < nodes; a++) {
      for (int b = 0; b < nodes; b++) {
        int steps = Math.abs(a - b);
        cut[order[a]][order[b]] = steps > 1 && steps < nodes - 1;
      }
    }
    return cut;
  }

  /// The first nodes hear the others, and are not heard.
  boolean[][] oneWay(int some) {
    boolean[][] cut = parts(some);
    List<Integer> mute = first(some);
    for (int from = 0; from < nodes; from++) {
      if (!mute.contains(from)) {
        cut[from] = new boolean[nodes];
      }
    }
    return cut;
  }

  /// Every node alone.
  boolean[][] all() {
    var ends = new int[nodes - 1];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = i + 1;
    }
    return parts(ends);
  }
}
