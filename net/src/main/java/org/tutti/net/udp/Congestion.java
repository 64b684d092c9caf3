package org.tutti.net.udp;

import java.util.concurrent.TimeUnit;

/// How many bytes may be on the way to one peer: CUBIC (RFC 9438) with slow start (RFC 5681), and with an answer to
/// random loss, which CUBIC takes for a queue that overflows.
///
/// A *round* is the time in which what was on the way at its beginning has come to rest. The window doubles each
/// round until datagrams are lost; it does not look at round trips as HyStart++ does, because they contain how long
/// processes waited for a processor, which says nothing of queues. After that the window grows by the cubic function
/// of the time since it was made smaller last: quickly towards the window at which datagrams were lost, slowly around
/// it, quickly beyond it; but not slower than Reno's would. A round with more loss than the medium has by itself
/// makes the window 0.7 of what it was. The round after it was on the way by then, so its loss says nothing of the
/// smaller window.
///
/// Loss while the queue is full is that queue's: one datagram is enough, as it is to a TCP that shares the queue. Only
/// while it is not, as round trips tell (as in TCP Veno, Fu and Liew, 2003), loss can be the medium's own, which
/// follows its average slowly, up to three tenths. When three rounds of that kind in a row have not made the loss
/// smaller, the window is not what causes it: then it is taken for the medium's own at once, and the window is what it
/// was. So random loss costs the frames that are lost, but not the speed, while a queue that overflows is relieved.
///
/// The shortest round trip of a round tells how full the queue is: others are longer when a process waited for a
/// processor.
///
/// The window is not a promise of the receiver, see [Flight].
final class Congestion {
  /// The window that is always left, in bytes.
  static final int WINDOW_MIN = 8 << 10;

  private static final int WINDOW_FIRST = 32 << 10;
  private static final int ROUND_DATAGRAMS_MIN = 32; // fewer say little about a share
  private static final int FRUITLESS_ROUNDS = 3;
  private static final double MEDIUM_MAX = 0.3;
  private static final double AVERAGED = 16; // rounds, about
  private static final double TOLERANCE = 0.005; // of loss that may be the medium's
  private static final double CHANCE = 3; // standard deviations: beyond two is one round in forty
  private static final double BETA = 0.7;
  private static final double CUBIC = 0.4; // datagrams per cubic second
  private static final double RENO = 3 * (1 - BETA) / (1 + BETA);
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_MAX = TimeUnit.MILLISECONDS.toNanos(4); // or a round trip, between two echoes
  private static final long EXTREMES_NANOS =
      TimeUnit.SECONDS.toNanos(5); // so long round trips are remembered, or twice
  private static final long QUEUE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2); // less may be chance

  private final double windowMax;
  private final double windowMin;
  private double window = WINDOW_FIRST;
  private boolean slowStart = true;

  // The round.
  private long roundEnd;
  private long settled;
  private long lost;
  private boolean limited;
  private long roundTripLeast = Long.MAX_VALUE;

  // The shortest round trip and the longest one of those that were a round's shortest, lately, and in the time before.
  private long shortest = Long.MAX_VALUE;
  private long longest;
  private long shortestBefore = Long.MAX_VALUE;
  private long longestBefore;
  private long extremesUntil = Long.MIN_VALUE;

  // What the window is growing along.
  private double windowLossy; // the window at which datagrams were lost last
  private double windowReno;
  private long since; // of growing, in nanoseconds, without the time in which the window was not used up
  private long grownNanos;

  // What the loss of earlier rounds tells.
  private double medium;
  private double lossRate;
  private double firstShare;
  private double firstWindow;
  private int lossyRounds;
  private boolean reduced; // after the last round: what is judged next was on the way before

  Congestion(long windowMax) {
    this.windowMin = WINDOW_MIN;
    this.windowMax = Math.max(windowMax, WINDOW_MIN);
  }

  long window() {
    return (long) window;
  }

  /// The share of datagrams that is lost whatever the window.
  double medium() {
    return medium;
  }

  /// The share of datagrams that was lost in the last rounds, for whatever reason.
  double lossRate() {
    return lossRate;
  }

  /// How much faster than the window per round trip datagrams may leave, so that the window can be filled.
  double gain() {
    return slowStart ? 2 : 1.25;
  }

  /// Something had to wait because of the window: only then does it say anything that all went well.
  void limited() {
    limited = true;
  }

  /// Datagrams came to rest: they arrived or were lost.
  ///
  /// @param now       the time
  /// @param roundTrip of the last one of them, in nanoseconds
  /// @param upTo      the highest number among them
  /// @param count     how many
  /// @param gone      how many of them did not arrive; less than 0 for some that were taken for lost before
  /// @param bytes     what all of them count for
  /// @param last      the highest number sent so far
  void settle(long now, long roundTrip, long upTo, long count, long gone, long bytes, long last) {
    settled += count;
    lost += gone;
    roundTripLeast = Math.min(roundTripLeast, roundTrip);
    remember(now, roundTrip);
    if (!slowStart) {
      grow(now, roundTrip, bytes, (double) bytes / count);
    }
    if (upTo < roundEnd || settled < ROUND_DATAGRAMS_MIN) {
      return;
    }
    longest = Math.max(longest, roundTripLeast);
    judge(Math.max(0, (double) lost / settled));
    roundEnd = last;
    settled = 0;
    lost = 0;
    limited = false;
    roundTripLeast = Long.MAX_VALUE;
  }

  private void remember(long now, long roundTrip) {
    if (extremesUntil == Long.MIN_VALUE || now - extremesUntil > 0) {
      extremesUntil = now + EXTREMES_NANOS;
      shortestBefore = shortest;
      longestBefore = longest;
      shortest = Long.MAX_VALUE;
      longest = 0;
    }
    shortest = Math.min(shortest, roundTrip);
  }

  /// Whether the queue before the narrowest line was less than half full for a part of the round.
  private boolean isQueueLow() {
    long least = Math.min(shortest, shortestBefore);
    return roundTripLeast - least <= Math.max(QUEUE_MIN_NANOS, (Math.max(longest, longestBefore) - least) / 2);
  }

  /// RFC 9438, 4.2 to 4.5.
  private void grow(long now, long roundTrip, long bytes, double each) {
    long passed = Math.max(0, now - grownNanos);
    grownNanos = now;
    if (!limited) {
      return;
    }
    since += Math.min(passed, Math.max(roundTrip, PAUSE_MAX));
    double epoch = Math.cbrt(windowLossy * (1 - BETA) / each / CUBIC);
    double later = (since + roundTrip) / SECOND - epoch;
    double cubic = windowLossy + CUBIC * later * later * later * each;
    double judged = Math.min(1, window / (ROUND_DATAGRAMS_MIN * each)); // of what leaves in a round trip
    windowReno += (windowReno < windowLossy ? RENO : 1) * judged * each * bytes / window;
    double target = Math.clamp(cubic, window, 1.5 * window);
    window = Math.max(window + (target - window) * bytes / window, windowReno);
    window = Math.min(window, windowMax);
  }

  private void judge(double share) {
    boolean low = isQueueLow();
    double tolerance = low ? TOLERANCE : 0;
    double spread = CHANCE * Math.sqrt(Math.max(medium, tolerance) / settled);
    boolean lossy = share > medium + tolerance + spread;
    boolean own = share < medium || low;
    medium = own ? Math.min(MEDIUM_MAX, medium + (share - medium) / AVERAGED) : medium;
    lossRate += (share - lossRate) / AVERAGED;
    if (reduced) {
      reduced = false;
    } else if (lossy) {
      lossy(share, own);
    } else {
      lossyRounds = 0;
      window = slowStart && limited ? Math.min(windowMax, 2 * window) : window;
    }
  }

  private void turn(double lossyWindow) {
    slowStart = false;
    windowLossy = lossyWindow;
    windowReno = window;
    since = 0;
  }

  private void lossy(double share, boolean own) {
    reduced = true;
    lossyRounds = own ? lossyRounds + 1 : 0;
    if (lossyRounds == 1) {
      firstShare = share;
      firstWindow = window;
    }
    if (lossyRounds > FRUITLESS_ROUNDS && share > 0.7 * firstShare) {
      medium = Math.min(MEDIUM_MAX, share);
      window = firstWindow;
      turn(window);
      lossyRounds = 0;
      return;
    }
    double before = window;
    window = Math.max(windowMin, window * BETA);
    // Fast convergence: whoever has less than before leaves the rest to others.
    turn(before < windowLossy ? before * (1 + BETA) / 2 : before);
  }
}
