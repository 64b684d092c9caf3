package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.effect.Counters;
import org.tutti.transport.Outlet;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A reliable first-in-first-out channel to one life of one node, both ways.
///
/// Guarantee: from when a side opens it until either side closes it, every message arrives once and in order, whatever the
/// transport loses, repeats or reorders, and although connections break and are made again. After the receiver has closed
/// and both use it again, nothing that was sent meanwhile is missing, but what it took last before may come once more: a
/// node closes links only to peers with whom it shares no view, so such a repetition is of an old view, and is dropped
/// there, or belongs to an agreement, which is idempotent.
///
/// ```
///   sender                                   receiver
///     | -- DATA(stream 7, 0, chunks) -------->  |  message complete -> handed up
///     | -- DATA(stream 7, 1, chunks) --x        |
///     | -- DATA(stream 7, 2, chunks) -------->  |  kept: 1 is missing
///     | <------------ ACK(7, next 1, bit 0) --  |
///     | -- DATA(stream 7, 1, chunks) -------->  |  1 and 2 handed up
/// ```
///
/// Why it is safe. (1) A direction is a *stream* with a number that its sender never uses again; packets of one stream
/// are numbered from 0 and taken in order. (2) Every packet says how far it is from the oldest one that is not
/// acknowledged. A receiver without memory of the stream takes it only if nothing of it was ever acknowledged;
/// otherwise it answers RESET, and the sender repeats all that was not acknowledged on a new stream. (3) A closed
/// stream's number is remembered, and lower numbers are not taken again. (4) The directions are replaced one by one: a
/// new stream of the peer leaves ours alone, or both sides would go on replacing theirs for ever.
final class Link {
  private static final int WINDOW_PACKETS = 1024;
  private static final int SACK_BITS = Long.SIZE;
  private static final int RESEND_AT_ONCE = 16;
  private static final int BACKOFF_MAX = 4;
  private static final int ACK_EVERY = 16;
  private static final int CHUNK_HEADER_MAX = 5;
  private static final int MESSAGE_BYTES_MAX = 64 << 20;

  /// A piece of a message in a packet.
  private record Piece(Encoded message, int from, int size, boolean first, boolean last) {
    long header() {
      return (long) size << 2 | (first ? 1 : 0) | (last ? 2 : 0);
    }
  }

  /// A packet that is not acknowledged yet.
  private static final class Sent {
    final long seq;
    final List<Piece> pieces;
    long atNanos;
    boolean arrived;

    Sent(long seq, List<Piece> pieces) {
      this.seq = seq;
      this.pieces = pieces;
    }
  }

  /// What a link tells its node.
  interface Upcalls {
    void message(MemberId from, ByteBuffer message);

    long newStream();
  }

  private final MemberId self;
  private final MemberId peer;
  private final long cluster;
  private final Outlet outlet;
  private final Counters counters;
  private final Upcalls upcalls;
  private final long retransmitNanos;

  private final ArrayDeque<Encoded> queue = new ArrayDeque<>();
  private int queueHeadDone; // bytes of the queue's first message that are in packets already
  private final ArrayDeque<Sent> unacked = new ArrayDeque<>(); // rising, without gaps, ends at seqNext
  private long streamOut; // 0: none open
  private long seqNext;
  private long seqLimit = WINDOW_PACKETS;
  private int backoff;
  private long retransmitAt = Long.MAX_VALUE;
  private long blockedUntil = Long.MIN_VALUE;

  private long streamIn; // 0: none open
  private long streamInClosed;
  private long expected;
  private final TreeMap<Long, ByteBuffer> early = new TreeMap<>(); // keys in (expected, expected + window)
  private @Nullable ByteBuffer partial;
  private int ackOwed;
  private long ackAt = Long.MAX_VALUE;

  private boolean knowsUs;
  private long lastSent = Long.MIN_VALUE;

  Link(MemberId self, MemberId peer, long cluster, Outlet outlet, Counters counters, Upcalls upcalls) {
    this.self = self;
    this.peer = peer;
    this.cluster = cluster;
    this.outlet = outlet;
    this.counters = counters;
    this.upcalls = upcalls;
    this.retransmitNanos = outlet.traits().retransmitAfter().toNanos();
  }

  MemberId peer() {
    return peer;
  }

  void send(Encoded message) {
    if (streamOut == 0) {
      streamOut = upcalls.newStream();
    }
    queue.add(message);
  }

  /// Whether anything is on the way to the peer.
  boolean isBusy() {
    return !queue.isEmpty() || !unacked.isEmpty();
  }

  boolean isOpen() {
    return streamOut != 0 || streamIn != 0;
  }

  long lastSentNanos() {
    return lastSent;
  }

  /// Forgets both directions; what was on the way is dropped.
  void close() {
    closeOut();
    closeIn();
  }

  /// The peer has forgotten our stream: everything that it did not acknowledge goes out again, on a new one.
  private void reopen() {
    ArrayDeque<Encoded> again = new ArrayDeque<>();
    for (Sent sent : unacked) {
      for (Piece piece : sent.pieces) {
        if (again.peekLast() != piece.message) {
          again.add(piece.message);
        }
      }
    }
    if (again.peekLast() == queue.peekFirst()) {
      queue.pollFirst();
    }
    again.addAll(queue);
    closeOut();
    again.forEach(this::send);
  }

  private void closeOut() {
    queue.clear();
    unacked.clear();
    queueHeadDone = 0;
    streamOut = 0;
    seqNext = 0;
    seqLimit = WINDOW_PACKETS;
    backoff = 0;
    retransmitAt = Long.MAX_VALUE;
  }

  private void closeIn() {
    streamInClosed = Math.max(streamInClosed, streamIn);
    streamIn = 0;
    expected = 0;
    early.clear();
    partial = null;
    ackOwed = 0;
    ackAt = Long.MAX_VALUE;
  }

  /// The peer addressed us by our incarnation, so it knows who we are.
  void known() {
    knowsUs = true;
  }

  void ready() {
    blockedUntil = Long.MIN_VALUE;
  }

  // ---- receiving -------------------------------------------------------------------------------------------------

  void arrived(long now, int kind, ByteBuffer body) throws Malformed {
    var in = new WireReader(body);
    switch (kind) {
      case Packet.DATA -> data(now, in);
      case Packet.ACK -> {
        acknowledged(now, in);
        in.end();
      }
      case Packet.RESET -> {
        long stream = in.count();
        in.end();
        if (stream == streamOut && stream != 0) {
          counters.count("link.reset");
          reopen();
        }
      }
      default -> throw new Malformed("kind");
    }
  }

  private void data(long now, WireReader in) throws Malformed {
    long stream = in.count();
    long seq = in.count();
    long distance = in.count();
    if (stream == 0 || distance > seq) {
      throw new Malformed("data");
    }
    acknowledged(now, in);
    if (stream < streamIn) {
      counters.count("drop.stale stream");
      return;
    }
    if (stream <= streamInClosed || (stream > streamIn && seq != distance)) {
      counters.count("drop.closed stream");
      reset(now, stream);
      return;
    }
    if (stream > streamIn) {
      closeIn();
      streamIn = stream;
    }
    take(now, seq, in.rest());
  }

  private void take(long now, long seq, ByteBuffer chunks) throws Malformed {
    if (seq < expected || seq >= expected + WINDOW_PACKETS || early.containsKey(seq)) {
      counters.count(seq < expected || early.containsKey(seq) ? "link.duplicate" : "drop.beyond window");
      owe(now, ACK_EVERY);
      return;
    }
    if (seq > expected) {
      check(chunks.duplicate());
      early.put(seq, copy(chunks));
      owe(now, ACK_EVERY);
      return;
    }
    check(chunks.duplicate());
    expected++;
    owe(now, 1);
    long stream = streamIn;
    chunks(chunks);
    while (streamIn == stream && !early.isEmpty() && early.firstKey() == expected) {
      expected++;
      chunks(early.pollFirstEntry().getValue());
    }
  }

  private void owe(long now, int packets) {
    ackOwed += packets;
    ackAt = Math.min(ackAt, now + retransmitNanos / 4);
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
  }

  /// Looks at all chunks before any is used, so that a packet is taken wholly or not at all.
  private static void check(ByteBuffer chunks) throws Malformed {
    var in = new WireReader(chunks);
    while (in.remaining() > 0) {
      in.bytesSkipped(in.countUpTo(Integer.MAX_VALUE) >>> 2);
    }
  }

  private void chunks(ByteBuffer chunks) throws Malformed {
    var in = new WireReader(chunks);
    long stream = streamIn;
    while (in.remaining() > 0 && streamIn == stream) {
      long header = in.count();
      ByteBuffer bytes = in.raw((int) (header >>> 2));
      boolean first = (header & 1) != 0;
      boolean last = (header & 2) != 0;
      if (first && last) {
        partial = null;
        upcalls.message(peer, bytes);
      } else {
        assemble(bytes, first, last);
      }
    }
  }

  /// Grows with what has come, never by what a header promises.
  private void assemble(ByteBuffer bytes, boolean first, boolean last) {
    ByteBuffer whole = first ? null : partial;
    if (!first && whole == null) {
      counters.count("drop.fragment");
      return;
    }
    int have = whole == null ? 0 : whole.position();
    int need = have + bytes.remaining();
    if (need > MESSAGE_BYTES_MAX) {
      counters.count("drop.message too long");
      partial = null;
      return;
    }
    if (whole == null || whole.remaining() < bytes.remaining()) {
      ByteBuffer larger = ByteBuffer.allocate(last ? need : Math.max(need, 2 * have));
      whole = whole == null ? larger : larger.put(whole.flip());
    }
    whole.put(bytes);
    partial = whole;
    if (last) {
      partial = null;
      upcalls.message(peer, whole.flip());
    }
  }

  private void acknowledged(long now, WireReader in) throws Malformed {
    long stream = in.count();
    long next = in.count();
    long window = in.count();
    long beyond = in.fixed();
    if (stream != streamOut || stream == 0 || next > seqNext) {
      return;
    }
    seqLimit = Math.max(seqLimit, next + Math.min(window, WINDOW_PACKETS));
    boolean progress = false;
    while (!unacked.isEmpty() && unacked.peekFirst().seq < next) {
      unacked.pollFirst();
      progress = true;
    }
    if (progress) {
      backoff = 0;
      retransmitAt = unacked.isEmpty() ? Long.MAX_VALUE : now + retransmitNanos;
    }
    if (beyond != 0) {
      resendHoles(now, next, beyond);
    }
  }

  private void resendHoles(long now, long next, long beyond) {
    long highest = next + SACK_BITS - Long.numberOfLeadingZeros(beyond);
    for (Sent sent : unacked) {
      if (sent.seq > highest) {
        break;
      }
      if (sent.seq > next && (beyond >>> (sent.seq - next - 1) & 1) != 0) {
        sent.arrived = true;
      } else if (!sent.arrived && now - sent.atNanos > retransmitNanos / 4) {
        transmit(now, sent);
      }
    }
  }

  // ---- sending ---------------------------------------------------------------------------------------------------

  void flush(long now) {
    if (now < blockedUntil) {
      return;
    }
    if (now >= retransmitAt) {
      retransmit(now);
    }
    while (!queue.isEmpty() && seqNext < seqLimit && now >= blockedUntil) {
      transmitNext(now);
    }
    if (now >= blockedUntil && (ackOwed >= ACK_EVERY || now >= ackAt)) {
      acknowledge(now);
    }
  }

  long deadline() {
    long due = Math.min(retransmitAt, ackAt);
    if (!queue.isEmpty() && seqNext < seqLimit) {
      due = blockedUntil;
    }
    return Math.max(due, blockedUntil);
  }

  private void retransmit(long now) {
    counters.count("link.timeout");
    backoff = Math.min(backoff + 1, BACKOFF_MAX);
    retransmitAt = now + (retransmitNanos << backoff);
    int left = RESEND_AT_ONCE;
    for (Sent sent : unacked) {
      if (!sent.arrived && (left-- == 0 || !transmit(now, sent))) {
        return;
      }
    }
  }

  private void transmitNext(long now) {
    var sent = new Sent(seqNext, new ArrayList<>());
    int room = outlet.traits().frameBytesMax() - header(Packet.DATA, seqNext).length();
    int head = queueHeadDone;
    int taken = 0;
    for (Encoded message : queue) {
      int size = Math.min(message.length() - head, room - CHUNK_HEADER_MAX);
      if (size < 0 || (size == 0 && message.length() > head)) {
        break;
      }
      boolean last = head + size == message.length();
      sent.pieces.add(new Piece(message, head, size, head == 0, last));
      room -= size + CHUNK_HEADER_MAX;
      head = last ? 0 : head + size;
      if (!last) {
        break;
      }
      taken++;
    }
    seqNext++;
    unacked.add(sent);
    if (!transmit(now, sent)) {
      seqNext--;
      unacked.pollLast();
      return;
    }
    if (retransmitAt == Long.MAX_VALUE) {
      retransmitAt = now + retransmitNanos;
    }
    queueHeadDone = head;
    for (int i = 0; i < taken; i++) {
      queue.poll();
    }
  }

  private boolean transmit(long now, Sent sent) {
    WireWriter header = header(Packet.DATA, sent.seq);
    int length = header.length();
    for (Piece piece : sent.pieces) {
      length += countBytes(piece.header()) + piece.size;
    }
    ByteBuffer frame = claim(now, length);
    if (frame == null) {
      return false;
    }
    int start = frame.position();
    header.copyTo(frame);
    for (Piece piece : sent.pieces) {
      putCount(frame, piece.header());
      piece.message.copy(piece.from, piece.size, frame);
    }
    sent.atNanos = now;
    commit(now, frame, start);
    ackOwed = 0;
    ackAt = Long.MAX_VALUE;
    return true;
  }

  private static int countBytes(long value) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
  }

  private static void putCount(ByteBuffer out, long value) {
    long rest = value;
    while (rest > 0x7f) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  private WireWriter header(int kind, long seq) {
    var out = Packet.begin(kind, cluster, self, peer.incarnation(), !knowsUs, outlet.traits().checksum());
    if (kind == Packet.DATA) {
      out.count(streamOut);
      out.count(seq);
      out.count(unacked.isEmpty() ? 0 : seq - unacked.peekFirst().seq);
    }
    out.count(streamIn);
    out.count(expected);
    out.count(WINDOW_PACKETS);
    long beyond = 0;
    for (long key : early.keySet()) {
      if (key - expected - 1 >= SACK_BITS) {
        break;
      }
      beyond |= 1L << (key - expected - 1);
    }
    out.fixed(beyond);
    return out;
  }

  private void acknowledge(long now) {
    ackOwed = 0;
    ackAt = Long.MAX_VALUE;
    put(now, header(Packet.ACK, 0));
  }

  private void reset(long now, long stream) {
    var out = Packet.begin(Packet.RESET, cluster, self, peer.incarnation(), !knowsUs, outlet.traits().checksum());
    out.count(stream);
    put(now, out);
  }

  /// Sends a message beside the stream: it may be lost, repeated or overtaken.
  void datagram(long now, Encoded message) {
    var out = Packet.begin(Packet.DATAGRAM, cluster, self, peer.incarnation(), !knowsUs, outlet.traits().checksum());
    out.raw(message.joined());
    put(now, out);
  }

  private void put(long now, WireWriter packet) {
    ByteBuffer frame = claim(now, packet.length());
    if (frame != null) {
      int start = frame.position();
      packet.copyTo(frame);
      commit(now, frame, start);
    }
  }

  private @Nullable ByteBuffer claim(long now, int length) {
    ByteBuffer frame = outlet.claim(peer.address(), length);
    if (frame == null) {
      counters.count("link.refused");
      blockedUntil = now + retransmitNanos / 4;
    }
    return frame;
  }

  private void commit(long now, ByteBuffer frame, int start) {
    if (outlet.traits().checksum()) {
      Packet.seal(frame, start, frame.position());
    }
    outlet.commit();
    lastSent = now;
  }
}
