package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A value read of a member is one that it put in this life under this name; of two readings at one member, the later
/// one is not of an earlier put (own values).
public final class WhiteboardValues {
  private WhiteboardValues() {}

  /// Looks for values that nobody put, and for older ones after newer ones.
  ///
  /// @param exchanges what happened
  /// @return what did not hold, three at most
  public static List<Violation> check(ExchangeHistory exchanges) {
    List<Violation> found = new ArrayList<>();
    Map<Long, ExchangeHistory.Step.Put> puts = new HashMap<>(); // looked up only, as the next
    Map<List<Object>, Long> latest = new HashMap<>(); // by reader, owner and name
    for (ExchangeHistory.Step step : exchanges.steps()) {
      switch (step) {
        case ExchangeHistory.Step.Put put -> puts.put(put.value(), put);
        case ExchangeHistory.Step.Read read ->
            read.values()
                .forEach((owner, values) ->
                    values.forEach((name, value) -> {
                      ExchangeHistory.Step.Put put = puts.get(value);
                      Long before = latest.put(List.of(read.life(), owner, name), value);
                      String words = exchanges.name(read.life()) + " reads " + value + " as " + name + " of ";
                      words += exchanges.name(owner);
                      if (put == null || put.life() != owner || !put.name().equals(name)) {
                        found.add(new Violation("WhiteboardValues", words + ", which never put it"));
                      } else if (before != null && before > value) {
                        found.add(new Violation("WhiteboardValues", words + " after " + before));
                      }
                    }));
        default -> {}
      }
    }
    return found.subList(0, Math.min(3, found.size()));
  }
}
