package org.tutti.net.udp;

/// How many bytes may be on the way to one peer, learned from what gets lost.
///
/// A *round* is the time in which what was on the way at its beginning has come to rest. Without more loss than the
/// medium has by itself the window grows: it doubles each round until it was too large once, then by an eighth. A round
/// with more loss takes a quarter of the window. When three such rounds in a row have not made the loss smaller, the
/// window is not what causes it: then it is taken for the medium's own, up to three tenths, and the window is what it
/// was; besides, the medium's own follows the average slowly. So random loss costs the frames that are lost, but not
/// the speed, while a queue that overflows is relieved.
///
/// The window is not a promise of the receiver, see [Flight].
final class Congestion {
  /// The window that is always left, in bytes.
  static final int WINDOW_MIN = 16 << 10;

  private static final int WINDOW_FIRST = 64 << 10;
  private static final int ROUND_DATAGRAMS_MIN = 32; // fewer say little about a share
  private static final int FRUITLESS_ROUNDS = 3;
  private static final double MEDIUM_MAX = 0.3;
  private static final double TOLERANCE = 0.02;

  private final long windowMax;
  private long window = WINDOW_FIRST;
  private boolean slowStart = true;

  // The round.
  private long roundEnd;
  private long settled;
  private long lost;
  private boolean limited;

  // What the loss of earlier rounds tells.
  private double medium;
  private double firstShare;
  private long firstWindow;
  private int lossyRounds;

  Congestion(long windowMax) {
    this.windowMax = Math.max(windowMax, WINDOW_MIN);
  }

  long window() {
    return window;
  }

  /// The share of datagrams that is lost whatever the window.
  double medium() {
    return medium;
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
  /// @param upTo  the highest number among them
  /// @param count how many
  /// @param gone  how many of them did not arrive; less than 0 for some that were taken for lost before
  /// @param last  the highest number sent so far
  void settle(long upTo, long count, long gone, long last) {
    settled += count;
    lost += gone;
    if (upTo < roundEnd || settled < ROUND_DATAGRAMS_MIN) {
      return;
    }
    judge(Math.max(0, (double) lost / settled));
    roundEnd = last;
    settled = 0;
    lost = 0;
    limited = false;
  }

  private void judge(double share) {
    double spread = 2 * Math.sqrt(Math.max(medium, TOLERANCE) / settled);
    boolean lossy = share > medium + TOLERANCE + spread;
    medium = Math.min(MEDIUM_MAX, medium + (share - medium) / 16);
    if (lossy) {
      lossy(share);
      return;
    }
    lossyRounds = 0;
    if (limited) {
      window = Math.min(windowMax, slowStart ? 2 * window : window + window / 8);
    }
  }

  private void lossy(double share) {
    slowStart = false;
    if (lossyRounds++ == 0) {
      firstShare = share;
      firstWindow = window;
    }
    if (lossyRounds > FRUITLESS_ROUNDS && share > 0.7 * firstShare) {
      medium = Math.min(MEDIUM_MAX, share);
      window = firstWindow;
      lossyRounds = 0;
      return;
    }
    window = Math.max(WINDOW_MIN, window - window / 4);
  }
}
