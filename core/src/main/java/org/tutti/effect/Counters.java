package org.tutti.effect;

import java.util.Map;
import java.util.TreeMap;

/// What a node counts, by name. Drops of malformed or unexpected input are counted here with their reason.
public final class Counters {
  private final Map<String, long[]> values = new TreeMap<>();

  /// Makes an empty set of counters.
  public Counters() {}

  /// Adds one.
  ///
  /// @param name what happened, from a fixed set: peers must not be able to invent names
  public void count(String name) {
    add(name, 1);
  }

  /// Adds an amount.
  ///
  /// @param name   what happened
  /// @param amount how much of it
  public void add(String name, long amount) {
    values.computeIfAbsent(name, key -> new long[1])[0] += amount;
  }

  /// Everything counted so far.
  ///
  /// @return a copy, sorted by name
  public Map<String, Long> copy() {
    Map<String, Long> copy = new TreeMap<>();
    values.forEach((name, value) -> copy.put(name, value[0]));
    return copy;
  }
}
