package org.tutti.net.udp;

import java.util.concurrent.TimeUnit;

/// How long a datagram to one peer may be so that the whole path takes it in one piece: path-MTU discovery in the
/// manner of RFC 8899, without a socket and a clock of its own.
///
/// ```
///             begin                 arrives                       ten minutes
///   (unknown) -----> asks for full --------> holds the size found <-----------> asks for full
///                        | does not fit          | loss, refused
///                        v                       v
///             asks for the base, then between what fits and what does not; below the base if even that does not fit
/// ```
///
/// A size is asked for by a probe of this length. Loss alone says nothing: with each probe but the first goes a short
/// one, and only when this was answered and the long one was not, that counts. So a peer that stands still, or a path
/// that is cut, is not taken for a narrow one; and as ten such tries are needed where RFC 8899 has three, a path that
/// loses a fifth of all datagrams each way is misjudged once in more than 500 000 times. A size that the kernel refuses
/// to send, as it knows the path or the interface, needs no further probe.
///
/// As long as the path has said nothing the base is taken for granted, as every network of today carries it.
final class PathMtu {
  /// Bytes of UDP that every network of today carries in one piece.
  static final int BASE = 1200;

  /// Bytes of UDP over IPv4 that every host has to take (RFC 1122).
  static final int LEAST = 548;

  private static final int TRIES = 10;
  private static final int CLOSE = 16; // nobody searches for less
  private static final int SHORT_FIRST = DatagramHeader.CONTROL_BYTES + 1; // shorter probes ask for something else
  private static final int SHORTS = 64;
  private static final long TRY_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SURE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long RAISE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final int full;
  private final int base;
  private final int least;
  private final int usual;

  private int size; // what may be used
  private boolean proven; // something of this size has arrived
  private int above; // the least that is known not to fit
  private boolean fresh; // the first answer is still hoped for
  private long beganAt;
  private long provenAt;
  private long restedAt; // when there was no more to ask

  // The question: does `asked` fit?
  private int asked; // 0: there is none
  private int tries;
  private int failures;
  private int silent; // tries since something was answered
  private int shorts; // short probes of all questions
  private int shortsBefore; // those of earlier ones
  private long tryAt;

  /// Sizes are those of datagrams before they are sealed.
  ///
  /// @param full         the longest datagram
  /// @param headersBytes what IP, UDP and the seal add
  PathMtu(int full, int headersBytes, int sealBytes) {
    this.full = full;
    this.least = Math.min(full, LEAST - sealBytes);
    this.base = Math.min(full, BASE - sealBytes);
    this.usual = 1500 - headersBytes - sealBytes;
    this.size = base;
    this.above = full + 1;
  }

  /// A peer is there: nothing is known of the path to it.
  void begin(long now) {
    size = base;
    proven = false;
    fresh = true;
    beganAt = now;
    provenAt = now;
    askFromFull(now);
  }

  /// The peer is gone.
  void end() {
    asked = 0;
    fresh = false;
  }

  /// How long a datagram may be.
  int size() {
    return size;
  }

  /// A datagram that is longer than [#size] had better wait a moment: it may well fit.
  boolean isHopeful(long now) {
    return fresh && now - beganAt < PATIENCE_NANOS;
  }

  /// When hope ends, in nanoseconds from now.
  long hopeNanos(long now) {
    return beganAt + PATIENCE_NANOS - now;
  }

  /// Whether there is a question.
  boolean isAsking() {
    return asked != 0;
  }

  /// When the next try is due, in nanoseconds from now.
  long pauseNanos(long now) {
    return tryAt - now;
  }

  // ---- tries ---------------------------------------------------------------------------------------------------

  /// How long a probe is to be sent now.
  ///
  /// @return 0 for none
  int probe(long now) {
    if (asked == 0 && size < full && now - restedAt > RAISE_NANOS) {
      askFromFull(now);
    }
    if (asked == 0 || now - tryAt < 0) {
      return 0;
    }
    tries++;
    silent++;
    tryAt = now + (TRY_NANOS << Math.clamp(silent - TRIES, 0, 5)); // up to a second
    return asked;
  }

  /// How long the short probe is that goes with it.
  ///
  /// @return 0 for none
  int shortProbe() {
    return tries < 2 ? 0 : SHORT_FIRST + shorts++ % SHORTS;
  }

  /// The peer says that a probe has arrived.
  void answered(int length, long now) {
    if (asked == 0) {
      return;
    }
    if (length == asked) {
      size = asked;
      proven = true;
      provenAt = now;
      fresh = false;
      next(now);
    } else if (isShortOfThis(length)) {
      silent = 0;
      if (++failures >= TRIES) {
        refused(asked, now);
      }
    }
  }

  /// Answers to short probes of earlier questions may still be under way.
  private boolean isShortOfThis(int length) {
    int since = Math.floorMod(length - SHORT_FIRST - shortsBefore, SHORTS);
    return length >= SHORT_FIRST && length < SHORT_FIRST + SHORTS && since < shorts - shortsBefore;
  }

  /// A datagram did not fit, as the kernel says or as many tries show.
  void refused(int length, long now) {
    fresh = false;
    above = Math.min(above, length);
    if (length <= size) {
      size = length > base ? base : least;
      proven = false;
    }
    next(now);
  }

  /// Of some datagrams, the longest of which had some length, some were lost: does the size still fit?
  void lost(int longest, long now) {
    if (longest > (size > base ? base : least) && now - provenAt > SURE_NANOS) {
      proven = false;
      if (asked == 0) {
        ask(size, now);
      }
    }
  }

  // ---- questions -----------------------------------------------------------------------------------------------

  private void askFromFull(long now) {
    above = full + 1;
    ask(full, now);
  }

  private void next(long now) {
    if (!proven && size > least) {
      ask(size, now);
    } else if (above - size <= CLOSE || size == full) {
      asked = 0;
      restedAt = now;
    } else {
      ask(size < usual && usual < above ? usual : size + (above - size) / 2, now);
    }
  }

  private void ask(int wanted, long now) {
    asked = wanted;
    tries = 0;
    failures = 0;
    silent = 0;
    shortsBefore = shorts;
    tryAt = now;
  }
}
