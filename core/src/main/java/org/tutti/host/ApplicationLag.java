package org.tutti.host;

import java.time.Duration;
import java.util.ArrayDeque;

/// How far an application is behind, in time: how long ago the first thing that it has not taken was delivered.
///
/// It is looked at now and then, and remembers how much was delivered at these times, less and less often the longer
/// the application is behind, so that a lag is told too short by a look or a thirty-second part of the longest one,
/// never too long. Of an application that was behind for a day it remembers some five hundred times.
///
/// What is spilled is not taken: other than for [org.tutti.MemberConfig#leaveWhenBehind], which spares the senders, it
/// is asked here how old what the application knows is.
///
/// One thread looks, any thread may ask.
final class ApplicationLag {
  private static final int PART = 32; // of the longest lag, between two times

  private record Mark(long nanos, long delivered) {}

  private final ArrayDeque<Mark> marks = new ArrayDeque<>();

  /// Looks.
  ///
  /// @param now       the time
  /// @param delivered how much was delivered
  /// @param taken     how much of it the application has taken
  synchronized void look(long now, long delivered, long taken) {
    forget(taken);
    Mark last = marks.peekLast();
    if (delivered > taken
        && (last == null || delivered > last.delivered && now - last.nanos >= (now - marks.getFirst().nanos) / PART)) {
      marks.add(new Mark(now, delivered));
    }
  }

  /// For how long the application has been behind.
  ///
  /// @param now   the time, of the same clock
  /// @param taken how much it has taken
  /// @return zero when it has taken what was delivered until the last look
  synchronized Duration behind(long now, long taken) {
    forget(taken);
    Mark first = marks.peekFirst();
    return first == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - first.nanos));
  }

  private void forget(long taken) {
    while (!marks.isEmpty() && marks.getFirst().delivered <= taken) {
      marks.removeFirst();
    }
  }
}
