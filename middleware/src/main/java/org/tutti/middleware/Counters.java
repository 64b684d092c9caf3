package org.tutti.middleware;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counters that any thread writes and reads.
final class Counters {
  private final AtomicLongArray values = new AtomicLongArray(Count.values().length);

  void add(Count count) {
    add(count, 1);
  }

  void add(Count count, long amount) {
    values.getAndAdd(count.ordinal(), amount);
  }

  /// All counters by name, as they are now; `connected` with the middleware's name behind it.
  Map<String, Long> snapshot(String middleware) {
    Map<String, Long> snapshot = new TreeMap<>();
    for (Count count : Count.values()) {
      String name = count.name().toLowerCase(Locale.ROOT).replace('_', '-');
      snapshot.put(count == Count.CONNECTED ? name + "-" + middleware : name, values.get(count.ordinal()));
    }
    return snapshot;
  }
}
