package org.tutti.net;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counters that one thread writes and any thread reads.
final class Counters {
  private final AtomicLongArray values = new AtomicLongArray(Count.values().length);

  /// Adds on the engine thread; a plain read and an opaque write are enough for a single writer.
  void add(Count count, long amount) {
    int index = count.ordinal();
    values.setOpaque(index, values.getPlain(index) + amount);
  }

  /// Adds one on the engine thread.
  void add(Count count) {
    add(count, 1);
  }

  /// Adds one on any thread; such a count has no other way to grow.
  void addShared(Count count) {
    values.getAndIncrement(count.ordinal());
  }

  /// All counters by name, as they are now.
  Map<String, Long> snapshot() {
    Map<String, Long> snapshot = new LinkedHashMap<>();
    for (Count count : Count.values()) {
      snapshot.put(count.text(), values.getOpaque(count.ordinal()));
    }
    return Collections.unmodifiableMap(snapshot);
  }
}
