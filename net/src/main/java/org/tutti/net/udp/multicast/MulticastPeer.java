package org.tutti.net.udp.multicast;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/// What a peer is to multicasts: whether it hears them, which of them had a share for it, and whether it keeps up.
public final class MulticastPeer {
  /// Begins with a peer that has not said anything.
  public MulticastPeer() {}

  /// Whether multicasts reach it.
  public enum Hearing {
    /// It has not said so yet.
    UNKNOWN,
    /// It has said so.
    YES,
    /// It has said nothing for long.
    NO
  }

  /// For so long a peer is believed to hear multicasts after it has said so.
  static final long HEARD_NANOS = TimeUnit.MILLISECONDS.toNanos(3500);

  private static final long ALONE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long ALONE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

  private Hearing hearing = Hearing.UNKNOWN;
  private long hearingNanos; // when that was said last
  private boolean isWhole; // it has heard one that the network had to break
  private long wholeNanos; // when it said that last
  private boolean isHeard; // one of its own has come

  private long last; // the last multicast with a share for it; 0 for none
  private long before; // bit i: the multicast i + 1 before the last one had one, too

  private long lastDatagram; // the number of that share
  private boolean told; // by a probe which multicasts these are

  private boolean alone; // it has kept others waiting
  private long aloneUntil;
  private long aloneNanos;
  private boolean moves; // it has read something since

  // ---- whether it hears --------------------------------------------------------------------------------------------

  /// Another life speaks.
  ///
  /// @param now the time, in nanoseconds as everywhere here
  public void begin(long now) {
    hearing = Hearing.UNKNOWN;
    hearingNanos = now;
    isHeard = false;
    isWhole = false;
    last = 0;
    before = 0;
    alone = false;
    aloneNanos = 0;
  }

  /// Whether it hears multicasts.
  ///
  /// @return as far as is known
  public Hearing hearing() {
    return hearing;
  }

  /// It heard a multicast.
  ///
  /// @param now the time
  /// @return whether that is news
  public boolean heard(long now) {
    hearingNanos = now;
    boolean news = hearing != Hearing.YES;
    hearing = Hearing.YES;
    return news;
  }

  /// It heard a multicast that the network had to break.
  ///
  /// @param now the time
  public void heardWhole(long now) {
    isWhole = true;
    wholeNanos = now;
  }

  /// Whether such multicasts reach it.
  ///
  /// @param now the time
  /// @return whether it has said so lately
  public boolean takesWhole(long now) {
    return isWhole && now - wholeNanos <= HEARD_NANOS;
  }

  /// A multicast of its own has come.
  public void spoke() {
    isHeard = true;
  }

  /// Whether multicasts of its own have come.
  ///
  /// @return false until the first one, at most a second after it knows this node
  public boolean isHeard() {
    return isHeard;
  }

  /// Whether it has said nothing for so long that it is not believed to hear multicasts any more.
  ///
  /// @param now the time
  /// @return true once
  public boolean isDeaf(long now) {
    if (hearing == Hearing.NO || now - hearingNanos <= HEARD_NANOS) {
      return false;
    }
    hearing = Hearing.NO;
    return true;
  }

  // ---- which multicasts had a share for it --------------------------------------------------------------------------

  /// Which of the 64 multicasts before one had a share for it.
  ///
  /// @param number of that one
  /// @return bit i for the multicast i + 1 before it
  public long before(long number) {
    long back = number - last;
    if (last == 0 || back > Long.SIZE) {
      return 0;
    }
    return (back == Long.SIZE ? 0 : before << back) | 1L << back - 1;
  }

  /// A multicast with a share for it has left.
  ///
  /// @param number   of the multicast
  /// @param datagram the share's number
  public void sent(long number, long datagram) {
    before = before(number);
    last = number;
    lastDatagram = datagram;
    told = false;
  }

  /// Whether a multicast is on the way to it.
  ///
  /// @param rested the highest number of a datagram that is not
  /// @return whether it is
  public boolean isOnTheWay(long rested) {
    return last != 0 && lastDatagram > rested;
  }

  /// Whether it has to be told which multicasts it should have, if something was lost: no multicast that is on the way
  /// does.
  ///
  /// @param rested as in [#isOnTheWay]
  /// @return whether it has
  public boolean isToBeTold(long rested) {
    return last != 0 && !told && lastDatagram <= rested;
  }

  /// Tells it in a probe which multicasts it should have.
  ///
  /// @param probe gets the last one and which before, and ends there; stays as it is if there are none
  /// @param at    where
  public void write(ByteBuffer probe, int at) {
    if (last != 0) {
      told = true;
      probe.limit(at + 2 * Long.BYTES).putLong(at, last).putLong(at + Long.BYTES, before);
    }
  }

  // ---- whether it keeps up -----------------------------------------------------------------------------------------

  /// Multicasts have waited for it in vain.
  ///
  /// @param now the time
  public void lag(long now) {
    boolean again = alone || now - aloneUntil < ALONE_MAX_NANOS;
    aloneNanos = again ? Math.clamp(2 * aloneNanos, ALONE_MIN_NANOS, ALONE_MAX_NANOS) : ALONE_MIN_NANOS;
    aloneUntil = now + aloneNanos;
    alone = true;
    moves = false;
  }

  /// It has read something of what was on the way to it.
  public void moved() {
    moves = true;
  }

  /// Whether frames for it leave with those for others.
  ///
  /// @return whether they do now
  public boolean isCompany() {
    return hearing == Hearing.YES && !alone;
  }

  /// Whether frames for it may wait for company.
  ///
  /// @param now  the time
  /// @param idle whether nothing waits for it: it has kept up
  /// @return whether they may; others wait then until what waits for it has left
  public boolean joins(long now, boolean idle) {
    if (alone && (idle || moves) && now - aloneUntil >= 0) {
      alone = false;
    }
    return hearing == Hearing.YES && !alone;
  }
}
