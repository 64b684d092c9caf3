package org.tutti.sim;

import java.util.SplittableRandom;

/// The shapes of partitions: which node cannot send to which.
enum Shape {
  /// Two sides of any size.
  SIDES,
  /// One node alone.
  ISOLATED,
  /// Each node reaches only its neighbours in a ring.
  RING,
  /// Two sides that both reach one node between them.
  BRIDGE,
  /// Every node alone.
  DUST;

  /// Draws a matrix: whether frames from a node to a node are cut off.
  static boolean[][] draw(int nodes, SplittableRandom random) {
    Shape shape = values()[random.nextInt(values().length)];
    int chosen = random.nextInt(nodes);
    int sides = random.nextInt(1, (1 << nodes) - (nodes > 1 ? 1 : 0));
    boolean[][] cut = new boolean[nodes][nodes];
    for (int a = 0; a < nodes; a++) {
      for (int b = 0; b < nodes; b++) {
        boolean apart = (sides >> a & 1) != (sides >> b & 1);
        cut[a][b] =
            a != b
                && switch (shape) {
                  case SIDES -> apart;
                  case ISOLATED -> a == chosen || b == chosen;
                  case RING -> (a + 1) % nodes != b && (b + 1) % nodes != a;
                  case BRIDGE -> apart && a != chosen && b != chosen;
                  case DUST -> true;
                };
      }
    }
    return cut;
  }

  /// One node alone.
  static boolean[][] isolated(int nodes, int node) {
    boolean[][] cut = new boolean[nodes][nodes];
    for (int a = 0; a < nodes; a++) {
      cut[a][node] = a != node;
      cut[node][a] = a != node;
    }
    return cut;
  }

  /// One node hears nobody.
  static boolean[][] deaf(int nodes, int node) {
    boolean[][] cut = new boolean[nodes][nodes];
    for (int from = 0; from < nodes; from++) {
      cut[from][node] = from != node;
    }
    return cut;
  }

  /// Nobody hears one node.
  static boolean[][] mute(int nodes, int node) {
    boolean[][] cut = new boolean[nodes][nodes];
    for (int to = 0; to < nodes; to++) {
      cut[node][to] = to != node;
    }
    return cut;
  }

  /// Draws one-way cuts: from some nodes to some others.
  static boolean[][] drawOneWay(int nodes, SplittableRandom random) {
    boolean[][] cut = new boolean[nodes][nodes];
    int from = random.nextInt(1, 1 << nodes);
    int to = random.nextInt(1, 1 << nodes);
    for (int a = 0; a < nodes; a++) {
      for (int b = 0; b < nodes; b++) {
        cut[a][b] = a != b && (from >> a & 1) != 0 && (to >> b & 1) != 0;
      }
    }
    return cut;
  }
}
