package org.tutti.bench;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.tutti.Ordering;

/// What Hirt's thesis (*Atomic Broadcast on various middlewares*, 1998) measured in its closed system: SPARCstations
/// 20, messages of 100 bytes, milliseconds per broadcast; and its ping of each middleware.
final class ThesisFigures {
  private static final List<Integer> SIZES = List.of(2, 4, 6);
  private static final Map<String, Double> PING = Map.of("tcp", 2.7, "rmi", 7.5, "iiop", 6.7);
  private static final Map<String, Map<Ordering, List<Integer>>> TIMES =
      Map.of(
          "tcp",
          Map.of(
              Ordering.SEQUENCER, List.of(6, 10, 14),
              Ordering.SKEEN, List.of(7, 13, 22),
              Ordering.CONSENSUS, List.of(12, 22, 36)),
          "rmi",
          Map.of(
              Ordering.SEQUENCER, List.of(16, 28, 44),
              Ordering.SKEEN, List.of(19, 44, 79),
              Ordering.CONSENSUS, List.of(31, 68, 105)),
          "iiop",
          Map.of(
              Ordering.SEQUENCER, List.of(14, 25, 36),
              Ordering.SKEEN, List.of(17, 37, 69),
              Ordering.CONSENSUS, List.of(28, 60, 98)));

  private ThesisFigures() {}

  /// Milliseconds per broadcast.
  ///
  /// @return nothing for what the thesis does not have
  static OptionalInt millis(String transport, Ordering ordering, int members) {
    List<Integer> bySize = TIMES.getOrDefault(transport, Map.of()).get(ordering);
    int at = SIZES.indexOf(members);
    return bySize == null || at < 0 ? OptionalInt.empty() : OptionalInt.of(bySize.get(at));
  }

  /// The ping in words.
  static String ping(String transport) {
    Double millis = PING.get(transport);
    return millis == null ? "-" : millis + " ms";
  }
}
