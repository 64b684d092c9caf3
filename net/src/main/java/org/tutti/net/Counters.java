package org.tutti.net;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counters that one thread writes and any thread reads.
///
/// @param <C> what is counted; users see `CLOSED_BAD_LENGTH` as `closed-bad-length`
final class Counters<C extends Enum<C>> {
  private final C[] counts;
  private final AtomicLongArray values;

  Counters(Class<C> type) {
    this.counts = type.getEnumConstants();
    this.values = new AtomicLongArray(counts.length);
  }

  /// Adds on the engine thread; a plain read and an opaque write are enough for a single writer.
  void add(C count, long amount) {
    int index = count.ordinal();
    values.setOpaque(index, values.getPlain(index) + amount);
  }

  /// Adds one on the engine thread.
  void add(C count) {
    add(count, 1);
  }

  /// Adds one on any thread; such a count has no other way to grow.
  void addShared(C count) {
    values.getAndIncrement(count.ordinal());
  }

  /// All counters by name, as they are now.
  Map<String, Long> snapshot() {
    Map<String, Long> snapshot = new LinkedHashMap<>();
    for (C count : counts) {
      snapshot.put(count.name().toLowerCase(Locale.ROOT).replace('_', '-'), values.getOpaque(count.ordinal()));
    }
    return Collections.unmodifiableMap(snapshot);
  }
}
