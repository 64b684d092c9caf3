package org.tutti.net;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/// Which multicasts of one life are missing here, and when to ask for them.
///
/// Each share says which of the 64 multicasts before it had one for the same peer, so only what concerns this node
/// counts as missing, at once when the next share comes. Bounded: what is further back than the window, or more than
/// the most that may be missing, is left to the links.
final class Gaps {
  /// So far back it is known what has come.
  static final int WINDOW = 1024;

  /// So many are asked for at a time.
  static final int MISSING_MAX = 256;

  /// How often a multicast is asked for.
  static final int ASKS_MAX = 4;

  private static final long NEVER = Long.MAX_VALUE;

  private static final class Missing {
    long askAt;
    int asks;
  }

  private final long[] got = new long[WINDOW / Long.SIZE];
  private final TreeMap<Long, Missing> missing = new TreeMap<>();
  private final long first; // what came before is the links' concern
  private long highest;
  private long askAt = NEVER; // or earlier than needed

  /// @param first the first multicast that came
  Gaps(long first) {
    this.first = first;
    this.highest = first;
    mark(first);
  }

  private static int word(long number) {
    return (int) (number / Long.SIZE) & WINDOW / Long.SIZE - 1;
  }

  private void mark(long number) {
    got[word(number)] |= 1L << number;
  }

  private boolean isKnown(long number) {
    return number >= first && number > highest - WINDOW;
  }

  private boolean has(long number) {
    return number <= highest && (got[word(number)] & 1L << number) != 0;
  }

  /// Whether a multicast has not come, as far as that is known.
  boolean lacks(long number) {
    return isKnown(number) && !has(number);
  }

  /// A multicast has come, by itself or as a repair.
  ///
  /// @return false when it has come before
  boolean came(long number) {
    if (!isKnown(number)) {
      return true; // from before the beginning or very late: the links know
    }
    if (number > highest) {
      if (number - highest >= WINDOW) {
        Arrays.fill(got, 0);
      } else {
        for (long next = highest + 1; next <= number; next++) {
          got[word(next)] &= ~(1L << next);
        }
      }
      highest = number;
      missing.headMap(highest - WINDOW, true).clear();
    }
    boolean fresh = !has(number);
    mark(number);
    missing.remove(number);
    return fresh;
  }

  /// A share tells which multicasts before it were for this node.
  ///
  /// @param number of the multicast with this share
  /// @param before bit i for the multicast i + 1 before it
  /// @param at     when to ask for what is missing
  /// @return how many more are missing than before
  int named(long number, long before, long at) {
    int more = 0;
    for (long rest = before; rest != 0; rest &= rest - 1) {
      long one = number - 1 - Long.numberOfTrailingZeros(rest);
      boolean near = one - highest < WINDOW; // a number that is far ahead is a lie
      if (near && lacks(one) && !missing.containsKey(one) && missing.size() < MISSING_MAX) {
        var entry = new Missing();
        entry.askAt = at;
        missing.put(one, entry);
        more++;
      }
    }
    if (more > 0) {
      askAt = Math.min(askAt, at);
    }
    return more;
  }

  /// When something is to be asked for, or earlier.
  long askAt() {
    return askAt;
  }

  /// What to ask for now. All that is not asked for yet goes along, as far as it fits.
  ///
  /// @return first missing number; 0 when nothing is to be asked for
  long first(long now) {
    if (now < askAt) {
      return 0;
    }
    long next = NEVER;
    for (Map.Entry<Long, Missing> entry : missing.entrySet()) {
      if (entry.getValue().askAt <= now) {
        return entry.getKey();
      }
      next = Math.min(next, entry.getValue().askAt);
    }
    askAt = next;
    return 0;
  }

  /// Which of the 64 after the first one go along with it.
  long bits(long now, long from) {
    long bits = 0;
    for (Map.Entry<Long, Missing> entry : missing.subMap(from, false, from + Long.SIZE, true).entrySet()) {
      Missing one = entry.getValue();
      if (one.askAt <= now || one.asks == 0) {
        bits |= 1L << entry.getKey() - from - 1;
      }
    }
    return bits;
  }

  /// Somebody has asked: this node, or another one, which is just as well.
  ///
  /// @param pauseNanos until it is worth while to ask again, the first time; it doubles
  /// @return how many of these multicasts are missing here and would soon have been asked for
  int asked(long now, long from, long bits, long pauseNanos) {
    int concerned = 0;
    for (Map.Entry<Long, Missing> entry : missing.subMap(from, true, from + Long.SIZE, true).entrySet()) {
      long at = entry.getKey() - from - 1;
      Missing one = entry.getValue();
      boolean soon = one.askAt != NEVER && one.askAt - now < pauseNanos / 2; // else it was asked for a moment ago
      if (soon && (at < 0 || (bits >>> at & 1) != 0)) {
        one.askAt = now + (pauseNanos << Math.min(one.asks, ASKS_MAX));
        one.asks++;
        concerned++;
      }
    }
    return concerned;
  }

  /// Leaves to the links what was asked for often enough.
  ///
  /// @return how many multicasts that are
  int giveUp(long now) {
    if (now < askAt) {
      return 0;
    }
    int given = 0;
    Iterator<Missing> all = missing.values().iterator();
    while (all.hasNext()) {
      Missing one = all.next();
      if (one.asks >= ASKS_MAX && one.askAt <= now) {
        one.askAt = NEVER; // it stays, or the next share would begin anew with it
        given++;
      }
    }
    return given;
  }

  int missing() {
    return missing.size();
  }
}
