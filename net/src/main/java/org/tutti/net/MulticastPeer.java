package org.tutti.net;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/// What a peer is to multicasts: whether it hears them, which of them had a share for it, and whether it keeps up.
final class MulticastPeer {
  /// Whether multicasts reach it.
  enum Hearing {
    UNKNOWN,
    YES,
    NO
  }

  /// For so long a peer is believed to hear multicasts after it has said so.
  static final long HEARD_NANOS = TimeUnit.MILLISECONDS.toNanos(3500);

  private static final long ALONE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long ALONE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  private Hearing hearing = Hearing.UNKNOWN;
  private long hearingNanos; // when that was said last

  private long last; // the last multicast with a share for it; 0 for none
  private long before; // bit i: the multicast i + 1 before the last one had one, too

  private long lastDatagram; // the number of that share
  private boolean told; // by a probe which multicasts these are

  private boolean alone; // it has kept others waiting
  private long aloneUntil;
  private long aloneNanos;

  // ---- whether it hears --------------------------------------------------------------------------------------------

  /// Another life speaks.
  void begin(long now) {
    hearing = Hearing.UNKNOWN;
    hearingNanos = now;
    last = 0;
    before = 0;
    alone = false;
    aloneNanos = 0;
  }

  Hearing hearing() {
    return hearing;
  }

  /// It heard a multicast.
  ///
  /// @return whether that is news
  boolean heard(long now) {
    hearingNanos = now;
    boolean news = hearing != Hearing.YES;
    hearing = Hearing.YES;
    return news;
  }

  /// @return whether it has said nothing for so long that it is not believed to hear multicasts any more
  boolean isDeaf(long now) {
    if (hearing == Hearing.NO || now - hearingNanos <= HEARD_NANOS) {
      return false;
    }
    hearing = Hearing.NO;
    return true;
  }

  // ---- which multicasts had a share for it --------------------------------------------------------------------------

  /// Which of the 64 multicasts before one had a share for it.
  long before(long number) {
    long back = number - last;
    if (last == 0 || back > Long.SIZE) {
      return 0;
    }
    return (back == Long.SIZE ? 0 : before << back) | 1L << back - 1;
  }

  /// A multicast with a share for it has left.
  ///
  /// @param datagram the share's number
  void sent(long number, long datagram) {
    before = before(number);
    last = number;
    lastDatagram = datagram;
    told = false;
  }

  /// Whether a multicast is on the way to it.
  ///
  /// @param rested the highest number that is not
  boolean isOnTheWay(long rested) {
    return last != 0 && lastDatagram > rested;
  }

  /// Whether it has to be told which multicasts it should have, if something was lost: no multicast that is on the way
  /// does.
  boolean isToBeTold(long rested) {
    return last != 0 && !told && lastDatagram <= rested;
  }

  /// Tells it in a probe which multicasts it should have.
  void write(ByteBuffer probe) {
    if (last != 0) {
      told = true;
      int end = DatagramHeader.BYTES + 2 * Long.BYTES;
      probe.limit(end).putLong(DatagramHeader.BYTES, last).putLong(end - Long.BYTES, before);
    }
  }

  // ---- whether it keeps up -----------------------------------------------------------------------------------------

  /// Multicasts have waited for it in vain.
  void lag(long now) {
    boolean again = alone || now - aloneUntil < ALONE_MAX_NANOS;
    aloneNanos = again ? Math.clamp(2 * aloneNanos, ALONE_MIN_NANOS, ALONE_MAX_NANOS) : ALONE_MIN_NANOS;
    aloneUntil = now + aloneNanos;
    alone = true;
  }

  /// Whether frames for it may wait for company.
  ///
  /// @param idle whether nothing waits for it: it has kept up
  boolean joins(long now, boolean idle) {
    if (alone && idle && now - aloneUntil >= 0) {
      alone = false;
    }
    return hearing == Hearing.YES && !alone;
  }
}
