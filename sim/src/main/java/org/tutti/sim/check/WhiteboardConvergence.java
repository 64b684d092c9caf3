package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// When nobody puts any more, the members of a view read each other's last values, and none of others (convergence).
public final class WhiteboardConvergence {
  private WhiteboardConvergence() {}

  /// Compares what the members of a view read with what they put.
  ///
  /// @param exchanges what happened
  /// @param members      the lives that are together in one view and at rest
  /// @return what did not hold, three at most
  public static List<Violation> check(ExchangeHistory exchanges, List<Integer> members) {
    List<SortedMap<String, Long>> board = exchanges.board();
    List<SortedMap<Integer, SortedMap<String, Long>>> read = new ArrayList<>();
    board.forEach(_ -> read.add(new TreeMap<>()));
    for (ExchangeHistory.Step step : exchanges.steps()) {
      if (step instanceof ExchangeHistory.Step.Read(int life, var values)) {
        read.set(life, values);
      }
    }
    List<Violation> found = new ArrayList<>();
    for (int reader : members) {
      var expected = new TreeMap<Integer, SortedMap<String, Long>>();
      for (int owner : members) {
        if (owner != reader && !board.get(owner).isEmpty()) {
          expected.put(owner, board.get(owner));
        }
      }
      if (!read.get(reader).equals(expected) && found.size() < 3) {
        found.add(
            new Violation(
                "WhiteboardConvergence",
                exchanges.name(reader) + " reads " + read.get(reader) + ", put was " + expected));
      }
    }
    return found;
  }
}
