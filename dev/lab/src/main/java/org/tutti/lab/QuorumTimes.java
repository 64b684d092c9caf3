package org.tutti.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// When a quorum was connected: a majority of the last primary view that is alive, does not stand still, and hears each
/// other, one of whom hears the clients and is heard by them. Looked at again and again, from outside.
final class QuorumTimes {
  private record Interval(long fromNanos, long toNanos) {}

  private final List<Interval> past = new ArrayList<>();
  private long fromNanos = -1; // of the present interval, or -1
  private boolean[][] hears = {};
  private int needed = -1;
  private boolean connected;

  /// Takes a look at some members.
  ///
  /// @param now    the time
  /// @param hearing by two members, whether they hear each other; by one twice, whether clients reach it
  /// @param count  how many of them it takes
  void look(long now, boolean[][] hearing, int count) {
    if (needed != count || !Arrays.deepEquals(hears, hearing)) {
      needed = count;
      hears = hearing;
      connected = isClique(0, 0, 0, false);
    }
    if (connected && fromNanos < 0) {
      fromNanos = now;
    } else if (!connected) {
      end(now);
    }
  }

  /// Nobody asks from now on, until the next look.
  void end(long now) {
    if (fromNanos >= 0) {
      past.add(new Interval(fromNanos, now));
      fromNanos = -1;
    }
  }

  /// Whether some, and more from a number on, are enough.
  private boolean isClique(int chosen, int size, int from, boolean reached) {
    if (size >= needed && reached) {
      return true;
    }
    for (int next = from; next < hears.length; next++) {
      boolean fits = true;
      for (int other = 0; other < next; other++) {
        fits &= (chosen >> other & 1) == 0 || hears[next][other];
      }
      if (fits && isClique(chosen | 1 << next, size + 1, next + 1, reached || hears[next][next])) {
        return true;
      }
    }
    return false;
  }

  /// The longest time without an answer in which a quorum was connected throughout.
  long longestNanos(Stops answers, long now) {
    long longest = fromNanos < 0 ? 0 : answers.longestNanos(fromNanos, now);
    for (Interval interval : past) {
      longest = Math.max(longest, answers.longestNanos(interval.fromNanos, interval.toNanos));
    }
    return longest;
  }
}
