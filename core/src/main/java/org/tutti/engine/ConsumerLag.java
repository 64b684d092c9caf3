package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/// How far behind applications are, in time: how long ago the first thing that one has not taken was delivered here.
///
/// It is looked at now and then, and remembers how far deliveries were at some of these times, so that a lag is told
/// too short by a few looks, never too long, and one beyond the longest is told as little more than that. A member
/// whose own application is too far behind holds up every sender, whose window it fills; it is too far behind only
/// while a quorum of the others keeps up, for a group in which most are slow would gain nothing from losing them one
/// after the other.
final class ConsumerLag {
  private static final int MARKS = 32; // for the longest lag that is told
  private static final int KEEPS_UP = 2; // whose lag is below the longest one divided by this keeps up

  private record Mark(long nanos, long delivered) {}

  private final long maxNanos;
  private final ArrayDeque<Mark> marks = new ArrayDeque<>();

  /// Begins to look.
  ///
  /// @param max how far behind this member's application may be; zero for any time
  ConsumerLag(Duration max) {
    this.maxNanos = max.toNanos();
  }

  /// Looks.
  ///
  /// @param now       the time
  /// @param delivered the index behind what is delivered here
  /// @param self      this member's rank
  /// @param consumed  the index behind what each member's application has taken, by rank
  /// @param quorum    whether the members of some ranks are a quorum of the view
  /// @return how far this member's application is behind when that is too far; else zero
  Duration look(long now, long delivered, int self, long[] consumed, Predicate<IntPredicate> quorum) {
    if (maxNanos == 0) {
      return Duration.ZERO;
    }
    mark(now, delivered);
    long own = lag(now, consumed[self]);
    if (own < maxNanos || !quorum.test(rank -> rank != self && lag(now, consumed[rank]) < maxNanos / KEEPS_UP)) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(own);
  }

  /// Deliveries begin anew: nothing is known of what was delivered before.
  void restart() {
    marks.clear();
  }

  private void mark(long now, long delivered) {
    Mark last = marks.peekLast();
    if (last == null || delivered > last.delivered() && now - last.nanos() >= maxNanos / MARKS) {
      marks.add(new Mark(now, delivered));
    }
    while (marks.size() > 1 && now - second().nanos() >= maxNanos) {
      marks.remove();
    }
  }

  private Mark second() {
    Iterator<Mark> all = marks.iterator();
    all.next();
    return all.next();
  }

  private long lag(long now, long consumed) {
    for (Mark mark : marks) {
      if (mark.delivered() > consumed) {
        return now - mark.nanos();
      }
    }
    return 0;
  }
}
