package org.tutti.examples.accounts;

import java.util.List;

/// What happens to the replicas while clients write.
public sealed interface Scenario {
  /// How many replicas there are at the beginning.
  ///
  /// @return 1 or more
  int replicas();

  /// How many replicas there will have been, restarted ones counted once.
  ///
  /// @return [#replicas] or more
  default int replicasEver() {
    return replicas();
  }

  /// Whether the clients go on until it is over, however long that takes. Else they go through their file once, as fast
  /// as they can, and it is played meanwhile.
  ///
  /// @return whether their rate matters
  default boolean endless() {
    return true;
  }

  /// Some replicas are killed at one third of the file and started again at two thirds.
  ///
  /// @param replicas       how many replicas; 1 to [#REPLICAS_MAX]
  /// @param kill           how many of them are killed at once, the sequencer first; fewer than half
  /// @param duringTransfer whether the first of them is killed again while it receives state
  record Kill(int replicas, int kill, boolean duringTransfer) implements Scenario {
    /// Checks the ranges.
    public Kill {
      within("replicas", replicas, 1, REPLICAS_MAX);
      within("kill", kill, 0, (replicas - 1) / 2);
      if (duringTransfer && kill == 0) {
        throw new IllegalArgumentException("kill during transfer needs a replica that was killed before");
      }
    }

    @Override
    public boolean endless() {
      return false;
    }
  }

  /// The network between the replicas is cut into a minority and a majority, and mended.
  ///
  /// @param replicas  how many replicas; 3 to [#REPLICAS_MAX]; as many as are fewer than half make the minority
  /// @param sequencer whether the sequencer is in the minority; else it consists of those that came last
  /// @param reject    whether connections between the sides break, instead of standing still
  record Split(int replicas, boolean sequencer, boolean reject) implements Scenario {
    /// Checks the ranges.
    public Split {
      within("replicas of a split", replicas, 3, REPLICAS_MAX);
    }
  }

  /// Every replica is restarted, one after another.
  ///
  /// @param replicas how many replicas; 2 to [#REPLICAS_MAX], 3 if they are killed
  /// @param kill     whether they are killed, instead of leaving
  record Rolling(int replicas, boolean kill) implements Scenario {
    /// Checks the ranges.
    public Rolling {
      within("replicas of a rolling restart", replicas, kill ? 3 : 2, REPLICAS_MAX);
    }
  }

  /// The group grows and shrinks, the oldest replicas leaving; at last one replica is replaced by a new one.
  ///
  /// @param sizes the numbers of replicas, one after the other; each 1 to [#REPLICAS_MAX]
  record Resize(List<Integer> sizes) implements Scenario {
    /// Checks the ranges.
    public Resize {
      sizes = List.copyOf(sizes);
      if (sizes.isEmpty() || sizes.size() > SIZES_MAX) {
        throw new IllegalArgumentException("1 to " + SIZES_MAX + " sizes, not " + sizes.size());
      }
      sizes.forEach(size -> within("a size", size, 1, REPLICAS_MAX));
    }

    @Override
    public int replicas() {
      return sizes.getFirst();
    }

    @Override
    public int replicasEver() {
      int ever = replicas() + 1; // one replaces another at the end
      for (int i = 1; i < sizes.size(); i++) {
        ever += Math.max(sizes.get(i) - sizes.get(i - 1), 0);
      }
      return ever;
    }
  }

  /// All replicas are killed at once and started again; then one that knows less is started alone.
  ///
  /// @param replicas how many replicas; 3 to [#REPLICAS_MAX]
  record TotalFailure(int replicas) implements Scenario {
    /// Checks the ranges.
    public TotalFailure {
      within("replicas of a total failure", replicas, 3, REPLICAS_MAX);
    }
  }

  /// How many replicas there may be at a time.
  int REPLICAS_MAX = 9;

  /// How many sizes a [Resize] may go through.
  int SIZES_MAX = 10;

  private static void within(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + ": " + min + " to " + max + ", not " + value);
    }
  }
}
