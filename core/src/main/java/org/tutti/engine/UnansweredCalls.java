package org.tutti.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tutti.transport.Address;

/// Calls to addresses outside of all views, from which nothing is heard: members that were lost and may come back.
///
/// A connection that was cut off for some time waits as long again for its timer, so it is replaced: first after half a
/// time of suspicion, and then whenever the silence has become longer by an eighth. So whoever lives there and has
/// nothing to say costs less and less.
final class UnansweredCalls {
  private static final int ADDRESSES_MAX = 256; // the others wait for their timers
  private static final int SHARE = 8;

  private record Silence(long since, long calledAt, long renewedAt) {}

  private final long suspectNanos;
  private final Map<Address, Silence> silences = new LinkedHashMap<>(); // looked up for each packet

  UnansweredCalls(long suspectNanos) {
    this.suspectNanos = suspectNanos;
  }

  /// An address is called.
  ///
  /// @return whether the connection to it is to be replaced
  boolean call(long now, Address to) {
    Silence before = silences.get(to);
    if (before == null || now - before.calledAt > suspectNanos) { // nobody has called meanwhile
      silences.remove(to);
      if (silences.size() < ADDRESSES_MAX) {
        silences.put(to, new Silence(now, now, now));
      }
      return false;
    }
    long silent = now - before.since;
    boolean due = silent >= suspectNanos / 2 && now - before.renewedAt >= silent / SHARE;
    silences.put(to, new Silence(before.since, now, due ? now : before.renewedAt));
    return due;
  }

  /// Something came from an address.
  void heard(Address from) {
    if (!silences.isEmpty()) {
      silences.remove(from);
    }
  }

  /// Forgets what was not called for long.
  void expire(long now) {
    silences.values().removeIf(silence -> now - silence.calledAt > suspectNanos);
  }
}
