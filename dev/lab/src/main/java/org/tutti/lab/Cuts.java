package org.tutti.lab;

import java.util.BitSet;

/// Which directions between nodes are cut.
public final class Cuts {
  /// None.
  public static final Cuts NONE = new Cuts();

  private static final int NODES_MAX = 64;

  private final BitSet cut = new BitSet();

  private Cuts() {}

  /// Cuts between all that are not in the same part.
  ///
  /// @param part by node, the number of its part
  /// @return the cuts
  public static Cuts between(int... part) {
    var cuts = new Cuts();
    for (int from = 0; from < part.length; from++) {
      for (int to = 0; to < part.length; to++) {
        if (part[from] != part[to]) {
          cuts.cut.set(from * NODES_MAX + to);
        }
      }
    }
    return cuts;
  }

  /// Whether a direction is cut.
  ///
  /// @param from the sending node
  /// @param to   the receiving node
  /// @return whether nothing comes through
  public boolean isCut(int from, int to) {
    return cut.get(from * NODES_MAX + to);
  }

  /// Cuts one more direction.
  ///
  /// @param from the sending node
  /// @param to   the receiving node
  /// @return the changed copy
  public Cuts with(int from, int to) {
    return with(from, to, true);
  }

  /// Joins one direction.
  ///
  /// @param from the sending node
  /// @param to   the receiving node
  /// @return the changed copy
  public Cuts without(int from, int to) {
    return with(from, to, false);
  }

  private Cuts with(int from, int to, boolean value) {
    var changed = new Cuts();
    changed.cut.or(cut);
    changed.cut.set(from * NODES_MAX + to, value);
    return changed;
  }

  /// How many directions are cut.
  ///
  /// @return their number
  public int count() {
    return cut.cardinality();
  }
}
