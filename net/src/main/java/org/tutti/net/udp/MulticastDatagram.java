package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int TAIL_MIN = 32; // what a shorter one saves is less than a datagram's headers

  /// Who waits for it; each has the whole frame, in case that it has to go alone.
  final List<OutgoingDatagram> outgoings = new ArrayList<>();

  final long key;

  private long readyNanos; // since when it could have left if all had been ready; 0 when nobody was

  private int tail;
  private int headBytes;

  MulticastDatagram(long key, OutgoingDatagram first) {
    this.key = key;
    this.tail = first.frameLength();
    outgoings.add(first);
    first.multicast = this;
  }

  /// A number that frames with the same end have in common.
  static long key(OutgoingDatagram outgoing) {
    ByteBuffer bytes = outgoing.bytes;
    int end = bytes.position();
    long key = 0;
    for (int at = end - TAIL_MIN; at < end; at += Long.BYTES) {
      key = key * 0x9e3779b97f4a7c15L + bytes.getLong(at);
    }
    return key;
  }

  /// Takes in another peer's frame if it ends like the others, and all of them fit into a datagram that each one's path
  /// carries.
  boolean join(OutgoingDatagram other, int datagramBytes) {
    if (outgoings.size() == PEERS_MAX || outgoings.stream().anyMatch(one -> one.peer == other.peer)) {
      return false;
    }
    int common = Math.min(tail, commonEnd(outgoings.getFirst(), other));
    int heads = other.frameLength() - common;
    for (OutgoingDatagram one : outgoings) {
      heads += one.frameLength() - common;
    }
    int most = Math.min(datagramBytes, other.peer.pathBytes());
    for (OutgoingDatagram one : outgoings) {
      most = Math.min(most, one.peer.pathBytes());
    }
    if (common < TAIL_MIN || length(outgoings.size() + 1, heads, common) > most) {
      return false;
    }
    tail = common;
    headBytes = heads;
    outgoings.add(other);
    other.multicast = this;
    return true;
  }

  /// Whose turn it is: that of all who wait for it, or after some patience that of those who can have it.
  ///
  /// @return none while it is better to wait
  List<OutgoingDatagram> ready(long now) {
    var ready = new ArrayList<OutgoingDatagram>(outgoings.size());
    int length = length();
    for (OutgoingDatagram outgoing : outgoings) {
      if (outgoing.peer.isNext(outgoing, length)) {
        ready.add(outgoing);
      }
    }
    if (ready.size() == outgoings.size()) {
      return ready;
    }
    readyNanos = readyNanos == 0 ? now : readyNanos;
    return patienceNanos(now) > 0 ? List.of() : ready;
  }

  /// How long it still waits for those that are not ready.
  long patienceNanos(long now) {
    return readyNanos == 0 ? 0 : readyNanos + PATIENCE_NANOS - now;
  }

  /// How long the datagram for all of them is.
  int length() {
    return length(outgoings.size(), headBytes, tail);
  }

  private static int length(int peers, int heads, int tail) {
    return SHARES_AT + peers * SHARE_BYTES + heads + tail;
  }

  private static int commonEnd(OutgoingDatagram one, OutgoingDatagram other) {
    ByteBuffer a = one.bytes;
    ByteBuffer b = other.bytes;
    int most = Math.min(one.frameLength(), other.frameLength());
    int same = 0;
    while (same + Long.BYTES <= most
        && a.getLong(a.position() - same - Long.BYTES) == b.getLong(b.position() - same - Long.BYTES)) {
      same += Long.BYTES;
    }
    while (same < most && a.get(a.position() - same - 1) == b.get(b.position() - same - 1)) {
      same++;
    }
    return same;
  }

  /// Writes the datagram for some of the peers.
  void write(ByteBuffer out, List<OutgoingDatagram> some, boolean soon, long life, long number) {
    out.clear();
    DatagramHeader.write(out, DatagramHeader.MULTICAST | (soon ? DatagramHeader.SOON : 0), 0, life);
    DatagramHeader.number(out, number);
    out.put(DatagramHeader.BYTES, (byte) some.size()).position(SHARES_AT);
    for (OutgoingDatagram outgoing : some) {
      outgoing.peer.writeShare(out, number);
      int head = outgoing.frameLength() - tail;
      out.putShort((short) head).put(out.position(), outgoing.bytes, OutgoingDatagram.frameAt(), head);
      out.position(out.position() + head);
    }
    ByteBuffer first = some.getFirst().bytes;
    out.put(out.position(), first, first.position() - tail, tail).position(out.position() + tail).flip();
  }

  /// Looks for the part that is for a life. What was read is then as if it had come in a datagram of its own.
  ///
  /// @param in     behind the common header; then at the length of the frame
  /// @param header gets the receiver, its number and its echo
  /// @return whether there is one, and it is well-formed
  static boolean pick(ByteBuffer in, DatagramHeader header, long life) {
    int shares = in.remaining() == 0 ? 0 : in.get() & 0xff;
    int headAt = 0;
    int headLength = 0;
    for (int i = 0; i < shares; i++) {
      if (in.remaining() < SHARE_BYTES) {
        return false;
      }
      boolean mine = in.getLong(in.position()) == life;
      if (mine) {
        header.readShare(in);
      } else {
        in.position(in.position() + SHARE_BYTES - Short.BYTES);
      }
      int length = in.getShort() & 0xffff;
      if (length > in.remaining()) {
        return false;
      }
      if (mine) {
        headAt = in.position();
        headLength = length;
      }
      in.position(in.position() + length);
    }
    if (headAt == 0) {
      return false;
    }
    int length = headLength + in.remaining();
    int start = in.position() - headLength; // before it is the part that was read, so there is room
    in.put(start, in, headAt, headLength).putShort(start - Short.BYTES, (short) length).position(start - Short.BYTES);
    return true;
  }
}
