package org.tutti.net.udp;

import java.util.concurrent.TimeUnit;

/// What is on the way to one peer: numbered datagrams that it has not spoken of yet, how long a round trip takes, and
/// when the next datagram may leave.
///
/// The peer tells the highest number that it has read from its socket, and how many datagrams it has read. What is not
/// above that number has arrived or is lost, in either case it takes no room in the peer's socket any more. So less
/// than the peer grants is in its socket at any time, and a slow peer loses nothing.
final class Flight {
  /// What the kernel's bookkeeping takes in a receive buffer for each datagram, about, besides its bytes.
  static final int OVERHEAD_BYTES = 512;

  private static final int DATAGRAMS_MAX = 1 << 12;
  private static final int MASK = DATAGRAMS_MAX - 1;
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // a selector cannot wait for less
  private static final long LATE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(4); // whoever had to wait for the peer catches up
  private static final int ASK_EVERY = 4;
  private static final int TRAIN_DATAGRAMS_MIN = 2;
  private static final long ROUND_TRIP_MIN = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long ROUND_TRIP_FIRST = TimeUnit.MILLISECONDS.toNanos(1);

  private final Congestion congestion;
  private final long[] sentNanos = new long[DATAGRAMS_MAX];
  private final int[] charges = new int[DATAGRAMS_MAX];
  private long last; // highest number sent
  private long rested; // all up to this one arrived or are lost
  private long asked; // the highest number that the peer was asked about
  private long bytes;
  private long unasked; // bytes from the last one on that asked
  private int lastLength;
  private long granted = Congestion.WINDOW_MIN;
  private int counted; // how many the peer has read, as it said last
  private boolean uncounted = true; // it may have counted from another beginning
  private long roundTrip = ROUND_TRIP_FIRST;
  private boolean measured;
  private int doubted;
  private boolean paced;
  private boolean waits; // for its turn, when it was looked at last
  private long pacedUntil;

  /// Begins behind a number, so that a peer that remembers earlier ones does not mix them up.
  Flight(long last, Congestion congestion) {
    this.last = last;
    this.rested = last;
    this.asked = last;
    this.congestion = congestion;
  }

  /// What a datagram counts for.
  static int charge(int length) {
    return length + OVERHEAD_BYTES;
  }

  long last() {
    return last;
  }

  boolean isEmpty() {
    return rested == last;
  }

  /// Whether the next datagram asks the peer to say soon what it has: half of what may be on the way is, or more.
  /// Always so much is on the way to a busy line. Between two that ask as much leaves as in a millisecond, but no
  /// less than four, unless that is an eighth of what may be on the way. On a fast line, answers to each fourth one
  /// would take a fiftieth of the other direction, on which a member of a chain sends as much as it receives; where a
  /// TCP has half of the line, answers to each eighth one come so late that it takes most of it.
  boolean asks() {
    long most = Math.min(congestion.window(), granted);
    long rare = Math.max((long) ASK_EVERY * charge(lastLength), (long) (BURST_NANOS / nanosPerByte()));
    return 2 * bytes >= most && unasked >= Math.min(most / 8, rare);
  }

  /// All up to this number have arrived or are lost.
  long rested() {
    return rested;
  }

  long roundTripNanos() {
    return roundTrip;
  }

  /// The share of datagrams that was lost lately.
  double lossRate() {
    return congestion.lossRate();
  }

  /// Whether another datagram can be kept account of.
  boolean hasNumber() {
    return hasNumbers(1);
  }

  private boolean hasNumbers(int count) {
    return last - rested + count <= DATAGRAMS_MAX;
  }

  /// Whether a datagram may leave as far as the peer and the network can take it.
  boolean hasRoom(int length) {
    return hasRoom(1, length);
  }

  /// Whether some datagrams of a length may leave together. When nothing is on the way they may in any case, as a
  /// window that has no room for them would never have.
  boolean hasRoom(int count, int length) {
    if (!hasNumbers(count)) {
      return false;
    }
    long after = bytes + (long) count * charge(length);
    if (after > congestion.window() && bytes > 0) {
      congestion.limited();
      return false;
    }
    return after <= granted || bytes == 0;
  }

  /// How long the next datagram has to wait for its turn; 0 or less for not at all.
  long pauseNanos(long now) {
    long pause = paced ? pacedUntil - now - BURST_NANOS : 0;
    waits |= pause > 0;
    return pause;
  }

  /// How long a datagram takes at the pace, for each of its bytes.
  private double nanosPerByte() {
    return roundTrip / (congestion.gain() * congestion.window());
  }

  /// How many bytes may leave at once: as many as go in a millisecond. A queue that has no room for all of them loses
  /// all.
  int burstBytes() {
    int least = TRAIN_DATAGRAMS_MIN * charge(lastLength);
    return (int) Math.clamp(BURST_NANOS / nanosPerByte(), least, 1 << 16);
  }

  /// How many bytes may wait to leave: as many as leave in a while. What is said later waits behind all of it.
  int queueBytes(long nanos, int most) {
    return (int) Math.min(nanos / nanosPerByte(), most);
  }

  /// A datagram leaves, and asks or does not as [#asks] says.
  ///
  /// @return its number
  long sent(long now, int length) {
    return sent(now, length, asks());
  }

  /// A datagram leaves.
  ///
  /// @param asks the peer to say soon that it has come
  /// @return its number
  long sent(long now, int length, boolean asks) {
    last++;
    int at = (int) last & MASK;
    sentNanos[at] = now;
    charges[at] = charge(length);
    bytes += charges[at];
    unasked = (asks ? 0 : unasked) + charges[at];
    lastLength = length;
    // Whoever waited for its turn and got the processor late catches up with all of it.
    long late = waits ? Math.max(LATE_NANOS, roundTrip) : LATE_NANOS;
    pacedUntil = (paced ? Math.max(pacedUntil, now - late) : now) + (long) (charges[at] * nanosPerByte());
    paced = true;
    waits = waits && pacedUntil < now;
    return last;
  }

  /// The peer is asked what has arrived. Its answer says nothing of how long a round trip takes: what it is about may
  /// have been lost long ago, and only the question has arrived.
  ///
  /// @return up to which number it is asked
  long ask() {
    asked = last;
    return asked;
  }

  /// The peer says what it has read.
  ///
  /// @param highest the highest number
  /// @param count   how many datagrams
  /// @param held    how long it waited before it said so
  /// @param grant   how many bytes may be on the way
  /// @return whether there is more room than before
  boolean echoed(long now, long highest, int count, long held, long grant) {
    boolean more = grant > granted;
    granted = grant;
    doubted = 0;
    if (highest <= rested || highest > last) {
      return more;
    }
    int read = count - counted;
    boolean known = !uncounted && read >= 0; // who has forgotten us counts from the beginning
    counted = count;
    uncounted = false;
    long sample = Math.max(ROUND_TRIP_MIN, now - sentNanos[(int) highest & MASK] - held);
    if (highest > asked) {
      measure(sample);
    } else {
      sample = Math.min(sample, roundTrip);
    }
    long settled = highest - rested;
    long before = bytes;
    int longest = 0;
    while (rested < highest) {
      rested++;
      int charge = charges[(int) rested & MASK];
      bytes -= charge;
      longest = Math.max(longest, charge);
    }
    doubted = known && read < settled ? longest - OVERHEAD_BYTES : 0;
    congestion.settle(now, sample, highest, settled, known ? settled - read : 0, before - bytes, last);
    return true;
  }

  /// How long the longest datagram was of those that the last echo spoke of, if some of them were lost; else 0.
  int doubted() {
    return doubted;
  }

  /// The peer is another life, or gone: what was on the way to it does not matter any more.
  void forget() {
    rested = last;
    bytes = 0;
    uncounted = true;
  }

  private void measure(long time) {
    roundTrip = measured ? roundTrip + (time - roundTrip) / 8 : time;
    measured = true;
  }
}
