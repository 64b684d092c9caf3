package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Frames for several peers that end alike: one datagram carries the beginning of each and the common end once.
///
/// ```
///  0       the header of a datagram, without receiver and echo; its number is that of the multicast, from 1
/// 48  u8   how many peers
/// 49       for each: i64 its life, i64 number, i64 highest, i32 count, i32 held, i32 grant; u64, bit i: the
///          multicast i + 1 before this one had a share for it, too; u16 length, beginning
///          the common end
/// ```
final class MulticastDatagram {
  /// What a peer takes besides the beginning of its frame.
  static final int SHARE_BYTES = 46;

  private static final int SHARES_AT = DatagramHeader.BYTES + 1;
  private static final int PEERS_MAX = 255;
  static final long PATIENCE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(40); // with full queues before lines a round trip is as long
  static final int HEAD_MAX = 512; // what differs more than that is another frame with a similar end
  static final int TAIL_MIN = 32; // what a shorter one saves is less than a datagram's headers

  /// Who waits for it; each has the whole frame, in case that it has to go alone.
  final List<OutgoingDatagram> outgoings = new ArrayList<>();

  final Object key;

  long companyUntil; // until then it waits for frames of others; 0 when it did not have to

  private long waitingNanos; // since when it waits for some of them; 0 when it does not
  private long patienceUntil;

  private int tail;
  private int headBytes;

  MulticastDatagram(Object key, OutgoingDatagram first) {
    this.key = key;
    this.tail = first.frameLength();
    outgoings.add(first);
    first.multicast = this;
  }

  /// A number that frames with the same end have in common.
  static Long key(OutgoingDatagram outgoing) {
    ByteBuffer bytes = outgoing.bytes;
    int end = bytes.position();
    long key = 0;
    for (int at = end - TAIL_MIN; at < end; at += Long.BYTES) {
      key = key * 0x9e3779b97f4a7c15L + bytes.getLong(at);
    }
    return key;
  }

  /// Takes in another peer's frame if it ends like the others, and all of them fit into the pieces of a multicast on
  /// each one's path.
  boolean join(OutgoingDatagram other) {
    if (outgoings.size() == PEERS_MAX || outgoings.stream().anyMatch(one -> one.peer == other.peer)) {
      return false;
    }
    int common = Math.min(tail, commonEnd(outgoings.getFirst(), other));
    int longest = other.frameLength();
    int heads = other.frameLength() - common;
    for (OutgoingDatagram one : outgoings) {
      heads += one.frameLength() - common;
      longest = Math.max(longest, one.frameLength());
    }
    int most = MulticastPiece.wholeMax(Math.min(path(), other.peer.pathBytes()));
    boolean alike = common >= TAIL_MIN && longest - common <= HEAD_MAX;
    if (!alike || length(outgoings.size() + 1, heads, common) > most) {
      return false;
    }
    tail = common;
    headBytes = heads;
    outgoings.add(other);
    other.multicast = this;
    return true;
  }

  /// Whether it may leave: it is the next one for all who wait for it, and all of them have room.
  boolean isReady() {
    int count = count();
    int each = MulticastPiece.length(length(), count);
    for (OutgoingDatagram outgoing : outgoings) {
      if (!outgoing.peer.isNext(outgoing, count, each)) {
        return false;
      }
    }
    return true;
  }

  /// Another multicast that is before this one for some peer, and waits for this one, directly or not: two peers have
  /// the same frames in another order, as a link sends short ones while long ones wait for room. None would ever leave.
  ///
  /// @return the shorter one of the two; null if there is none
  @Nullable MulticastDatagram crossed() {
    for (OutgoingDatagram one : outgoings) {
      MulticastDatagram next = one.peer.nextMulticast();
      if (next != null && next != this && next.waitsFor(this, new HashSet<>())) {
        return next.length() < length() ? next : this;
      }
    }
    return null;
  }

  private boolean waitsFor(MulticastDatagram other, Set<MulticastDatagram> seen) {
    if (!seen.add(this)) {
      return false;
    }
    for (OutgoingDatagram one : outgoings) {
      MulticastDatagram before = one.peer.nextMulticast();
      if (before == other || before != null && before != this && before.waitsFor(other, seen)) {
        return true;
      }
    }
    return false;
  }

  /// Whom it has waited for in vain: those who have no room and have read nothing for a while. Who reads is waited for,
  /// however slow it is, as the alternative is a datagram for each.
  List<OutgoingDatagram> late(long now) {
    waitingNanos = waitingNanos == 0 ? now : waitingNanos;
    patienceUntil = now + PATIENCE_NANOS;
    var late = new ArrayList<OutgoingDatagram>(outgoings.size());
    for (OutgoingDatagram outgoing : outgoings) {
      if (outgoing.peer.isNextFull()) {
        long until = outgoing.peer.movedNanos(waitingNanos) + PATIENCE_NANOS;
        patienceUntil = Math.min(patienceUntil, until);
        if (now - until >= 0) {
          late.add(outgoing);
        }
      }
    }
    return late;
  }

  /// How long it still waits for frames of others.
  long companyNanos(long now) {
    return companyUntil == 0 ? 0 : companyUntil - now;
  }

  /// How long it still waits for those that are not ready.
  long patienceNanos(long now) {
    return waitingNanos == 0 ? 0 : patienceUntil - now;
  }

  /// How long a datagram may be on the paths of all.
  int path() {
    int path = Integer.MAX_VALUE;
    for (OutgoingDatagram one : outgoings) {
      path = Math.min(path, one.peer.pathBytes());
    }
    return path;
  }

  /// Into how many pieces it is cut.
  int count() {
    return MulticastPiece.count(length(), path());
  }

  /// Whether others than those that wait for it may get the same.
  boolean isForAll() {
    return !(key instanceof Long);
  }

  /// Whether its frames fill a datagram by themselves.
  boolean isLong() {
    return outgoings.getFirst().isLong();
  }

  /// Whether there are several.
  boolean isShared() {
    return outgoings.size() > 1;
  }

  /// How long the datagram for all of them is.
  int length() {
    return length(outgoings.size(), headBytes, tail);
  }

  private static int length(int peers, int heads, int tail) {
    return SHARES_AT + peers * SHARE_BYTES + heads + tail;
  }

  /// How many bytes two frames end alike with; 0 if they are different behind the first [#HEAD_MAX] of the shorter one.
  private static int commonEnd(OutgoingDatagram one, OutgoingDatagram other) {
    ByteBuffer a = one.bytes;
    ByteBuffer b = other.bytes;
    int most = Math.min(one.frameLength(), other.frameLength());
    int same = Math.max(0, most - HEAD_MAX);
    // Many bytes at a time, and mostly all that is not a head: frames are alike, or have nothing to do with each other.
    if (a.slice(a.position() - same, same).mismatch(b.slice(b.position() - same, same)) >= 0) {
      return 0;
    }
    while (same + Long.BYTES <= most
        && a.getLong(a.position() - same - Long.BYTES) == b.getLong(b.position() - same - Long.BYTES)) {
      same += Long.BYTES;
    }
    while (same < most && a.get(a.position() - same - 1) == b.get(b.position() - same - 1)) {
      same++;
    }
    return same;
  }

  /// Writes the datagram for all who wait for it.
  void write(ByteBuffer out, boolean soon, long life, long number) {
    out.clear();
    DatagramHeader.write(out, DatagramHeader.MULTICAST | (soon ? DatagramHeader.SOON : 0), 0, life);
    DatagramHeader.number(out, number);
    out.put(DatagramHeader.BYTES, (byte) outgoings.size()).position(SHARES_AT);
    for (OutgoingDatagram outgoing : outgoings) {
      outgoing.peer.writeShare(out, number);
      int head = outgoing.frameLength() - tail;
      out.putShort((short) head).put(out.position(), outgoing.bytes, OutgoingDatagram.frameAt(), head);
      out.position(out.position() + head);
    }
    ByteBuffer first = outgoings.getFirst().bytes;
    out.put(out.position(), first, first.position() - tail, tail).position(out.position() + tail).flip();
  }

  /// Looks for what the share for a life says, in the beginning of a multicast.
  ///
  /// @param in     behind the common header
  /// @param header gets the receiver, its number and its echo
  /// @return whether there is one as far as the beginning goes
  static boolean hasShare(ByteBuffer in, DatagramHeader header, long life) {
    return seek(in, header, life) >= 0;
  }

  /// Looks for the part that is for a life. What was read is then as if it had come in a datagram of its own.
  ///
  /// @param in     behind the common header; then at the length of the frame
  /// @param header gets the receiver, its number and its echo
  /// @return whether there is one, and it is well-formed
  static boolean pick(ByteBuffer in, DatagramHeader header, long life) {
    int left = seek(in, header, life);
    int headLength = left < 0 ? 0 : in.getShort() & 0xffff;
    int headAt = in.position();
    boolean whole = left >= 0 && skip(in, headLength);
    for (; whole && left > 0; left--) {
      whole = skipShare(in);
    }
    if (!whole) {
      return false;
    }
    int length = headLength + in.remaining();
    int start = in.position() - headLength; // before it is the part that was read, so there is room
    in.put(start, in, headAt, headLength).putShort(start - Short.BYTES, (short) length).position(start - Short.BYTES);
    return true;
  }

  /// Reads the share for a life, up to the length of its beginning.
  ///
  /// @return how many shares follow it; below 0 if there is none as far as this goes
  private static int seek(ByteBuffer in, DatagramHeader header, long life) {
    int left = in.hasRemaining() ? in.get() & 0xff : 0;
    for (boolean whole = true; whole && left > 0 && in.remaining() >= SHARE_BYTES; left--) {
      if (in.getLong(in.position()) == life) {
        header.readShare(in);
        return left - 1;
      }
      whole = skipShare(in);
    }
    return -1;
  }

  /// @return false when it is not all there
  private static boolean skipShare(ByteBuffer in) {
    return skip(in, SHARE_BYTES) && skip(in, in.getShort(in.position() - Short.BYTES) & 0xffff);
  }

  private static boolean skip(ByteBuffer in, int length) {
    boolean whole = length <= in.remaining();
    in.position(whole ? in.position() + length : in.limit());
    return whole;
  }
}
