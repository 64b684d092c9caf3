package org.tutti.replica.protocol;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// When a replica sends some of its clients to others, and how many where (load balancing over the whiteboard: JBora,
/// ADAPT deliverable D2, 2004).
///
/// Each replica shows on the group's whiteboard how many clients it has and how many calls they make in a second. When
/// one is away from the average by a quarter and two clients, whoever has more than the average gives up all that is
/// above it, to those below it, in proportion to what they lack:
///
/// ```
///  load     r1 40  r2 30  r3 0      average 23.3, thresholds 15.5 and 31.2
///  moves    r1 -> r3 17   r2 -> r3 7
/// ```
///
/// So several replicas that decide at once, without a word to each other, do not give more than there is room for; and
/// a newcomer gets its share however many have what it lacks, each a little more than the average.
/// Three things keep clients from going to and fro. Between the average, where a move ends, and the thresholds, where
/// the next one begins, nothing happens. A replica has to be beyond one for longer than the whiteboard takes:
/// when many clients come at once, each replica sees its own first. And one that has moved clients decides nothing
/// until the others have had time to show them and what they do.
final class Balance {
  /// How often a replica looks at it.
  static final long EVERY_NANOS = 100_000_000;

  /// How often in a row one has to be beyond a threshold: 300 ms, as a change on the whiteboard takes up to 200 and the
  /// way there.
  private static final int TIMES = 4;

  /// How long it waits after it has moved clients: their calls are counted for a second.
  private static final long SETTLE_NANOS = 2_000_000_000;

  private static final long UNITS_PER_CLIENT = 100;
  private static final long SLACK = 2 * UNITS_PER_CLIENT;

  /// What a replica has to do.
  ///
  /// @param clients  how many are connected to it; -1 when it does not serve
  /// @param commands how many commands and queries they made in the last second
  record Load(long clients, long commands) {
    /// A client counts, and a hundred calls a second count as much.
    long units() {
      return clients * UNITS_PER_CLIENT + commands;
    }
  }

  private int timesUneven; // in a row
  private long settledAt;

  /// @param now steady time
  Balance(long now) {
    settledAt = now;
  }

  /// Whether others have seen by now what this replica has moved.
  boolean isSettled(long now) {
    return now - settledAt >= 0;
  }

  /// What to give to whom now, if this replica has had too much for long enough.
  ///
  /// @param self  who decides
  /// @param loads of all that serve, by name; with the own one
  /// @param now   steady time, at which it [#isSettled]
  /// @return units by name; empty when this replica keeps its clients
  SortedMap<String, Long> moves(String self, Map<String, Load> loads, long now) {
    SortedMap<String, Long> moves = moves(self, loads);
    timesUneven = moves.isEmpty() ? 0 : timesUneven + 1;
    if (timesUneven < TIMES) {
      return new TreeMap<>();
    }
    timesUneven = 0;
    settledAt = now + SETTLE_NANOS;
    return moves;
  }

  /// How much of a client's load is moved with it.
  ///
  /// @param commands how many calls it made in the last second
  static long units(long commands) {
    return UNITS_PER_CLIENT + commands;
  }

  /// What to give to whom.
  ///
  /// @param self  who decides
  /// @param loads of all that serve, by name; with the own one
  /// @return units by name; empty when this replica keeps its clients
  static SortedMap<String, Long> moves(String self, Map<String, Load> loads) {
    var moves = new TreeMap<String, Long>();
    Load own = loads.get(self);
    if (own == null || loads.size() < 2) {
      return moves;
    }
    long average = loads.values().stream().mapToLong(Load::units).sum() / loads.size();
    long allowed = average / 4 + SLACK;
    boolean isUneven = loads.values().stream().anyMatch(load -> load.units() < average - allowed);
    if (own.units() <= average || !isUneven && own.units() <= average + allowed) {
      return moves;
    }
    long excess = own.units() - average;
    long lacking = loads.values().stream().mapToLong(load -> Math.max(0, average - load.units())).sum();
    loads.forEach((name, load) -> {
      long lacks = average - load.units();
      if (lacks > 0) {
        moves.put(name, Math.min(lacks, excess * lacks / lacking));
      }
    });
    return moves;
  }
}
