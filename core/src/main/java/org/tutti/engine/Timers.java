package org.tutti.engine;

import java.util.Map;
import java.util.TreeMap;
import org.tutti.Invariant;
import org.tutti.effect.Timer;

/// A node's pending expiries. Equal times expire in the order in which they were asked for.
final class Timers {
  private record Key(int owner, Timer timer) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byOwner = Integer.compare(owner, other.owner);
      return byOwner != 0 ? byOwner : timer.name().compareTo(other.timer.name());
    }
  }

  private record Due(long at, long sequence) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  private record Pending(Key key, Runnable action) {}

  private final TreeMap<Due, Pending> pending = new TreeMap<>();
  private final Map<Key, Due> dues = new TreeMap<>();
  private long sequence;

  void schedule(int owner, Timer timer, long at, Runnable action) {
    cancel(owner, timer);
    var key = new Key(owner, timer);
    var due = new Due(at, sequence++);
    pending.put(due, new Pending(key, action));
    dues.put(key, due);
  }

  void cancel(int owner, Timer timer) {
    Due due = dues.remove(new Key(owner, timer));
    if (due != null) {
      pending.remove(due);
    }
  }

  void cancelAll(int owner) {
    pending.values().removeIf(entry -> entry.key.owner == owner);
    dues.keySet().removeIf(key -> key.owner == owner);
  }

  /// Runs what is due, including what becomes due meanwhile.
  void expire(long now) {
    while (!pending.isEmpty() && pending.firstKey().at <= now) {
      Pending next = pending.pollFirstEntry().getValue();
      dues.remove(next.key);
      next.action.run();
    }
  }

  long deadline() {
    return pending.isEmpty() ? Long.MAX_VALUE : pending.firstKey().at;
  }

  void check() {
    Invariant.check(pending.size() == dues.size(), "a timer runs out once");
  }
}
