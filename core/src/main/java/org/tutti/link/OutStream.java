package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.effect.Count;
import org.tutti.wire.Encoded;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The sending direction of a link: packs messages into packets, keeps these until they are acknowledged, sends them
/// again when they are not.
///
/// Bulk messages wait in a queue of their own, which others overtake; and they are held back while more is on the way
/// than twice what the line has carried in its round trip and [#HOLD_NANOS]. So places, acknowledgements and view
/// changes wait for little of the data before them, however slow the line is and however much of it a transport would
/// take. Because of the factor what is known of the line keeps up with what is sent, as with BBR's gain while it
/// starts ([DeliveryRate]). The round trip is the fastest one of those packets that were sent when little was on the
/// way, as in Brakmo and Peterson, "TCP Vegas", IEEE JSAC 13(8), 1995.
///
/// A line that has got slower shows by a delay, Vegas' criterion: while a packet is not acknowledged after that round
/// trip and [#PATIENCE_NANOS], bulk is held back as well. That is longer than [#HOLD_NANOS], as an acknowledgement
/// waits for a line too, the other direction of this one, which is full when its peer sends: with one time for both,
/// bulk was held back in front of an idle line.
final class OutStream {
  private static final int RESEND_AT_ONCE = 16;
  private static final int RESENT_PER_ARRIVED = 2;
  private static final int BACKOFF_MAX = 4;
  private static final int FEW = 1; // there is room for: a large group has a link to each member, mostly idle
  private static final long HOLD_NANOS = 20_000_000;
  private static final long PATIENCE_NANOS = 4 * HOLD_NANOS;
  private static final int HOLD_BYTES_MIN = 16 << 10; // less is never held back
  private static final int HOLD_BYTES_MAX = 128 << 10; // nor what is less, where lines carry it in that time
  private static final int BURST_BYTES = 64 << 10; // at once, as long as nothing is known
  private static final int GAIN = 2; // of what the line carried that may be on the way: it may carry more
  private static final int UNLOADED_BYTES_MAX = 64 << 10;
  private static final int LOAD_PACKETS = 8;
  private static final int LOAD_PACKET_BYTES_MAX = 4 << 10; // where packets are long, fewer are a load

  /// A packet that is not acknowledged yet.
  private static final class Sent {
    final long seq;
    final List<Chunk> chunks = new ArrayList<>();
    int bytes; // of the chunks
    long atNanos;
    boolean arrived; // beyond a gap
    boolean repeated; // then an acknowledgement does not tell which one it is for
    boolean unloaded; // little was on the way when it was sent
    boolean followed; // more waited then
    long acknowledgedBefore; // bytes, when it was sent
    long acknowledgedAt; // when the last of these were, or the path was idle

    Sent(long seq) {
      this.seq = seq;
    }
  }

  private final Path path;
  private final InStream acknowledgements;
  private final LongSupplier numbers;
  private final RoundTrip roundTrip;
  private final DeliveryRate rate = new DeliveryRate();
  private final ArrayDeque<Encoded> queue = new ArrayDeque<>(FEW);
  private final FairQueue bulk = new FairQueue();
  private @Nullable Encoded unfinished; // a message of which a part is in packets already
  private int unfinishedDone; // bytes of it
  private final ArrayDeque<Sent> unacked = new ArrayDeque<>(FEW); // rising, without gaps, ends at seqNext
  private long stream; // 0: none open
  private long seqNext;
  private long seqLimit = InStream.WINDOW_PACKETS;
  private int backoff;
  private long retransmitAt = Long.MAX_VALUE;
  private boolean reconnected; // then that is no timeout
  private long timedOutAt = Long.MIN_VALUE; // what was sent before is lost, as far as is known
  private long[] beyond = new long[1]; // of the acknowledgement that is read; mostly nothing is
  private long highestArrived = -1; // beyond a gap
  private long holesAt = Long.MAX_VALUE;
  private long arrivedSentAt = Long.MIN_VALUE; // when the one was sent that was sent last, of those that have arrived
  private long flushedAt;
  private long outstanding; // bytes of messages that are queued or not acknowledged
  private long onTheWay; // those of them that are in packets
  private long acknowledgedBytes; // of messages, ever
  private long acknowledgedAt; // when the last of these were, or the first packet was sent after all were
  private long repeated; // packets, ever

  OutStream(Path path, InStream acknowledgements, LongSupplier numbers) {
    this.path = path;
    this.acknowledgements = acknowledgements;
    this.numbers = numbers;
    this.roundTrip = new RoundTrip(path.retransmitNanos());
  }

  boolean isOpen() {
    return stream != 0;
  }

  boolean isBusy() {
    return isWaiting() || !unacked.isEmpty();
  }

  private boolean isWaiting() {
    return unfinished != null || !queue.isEmpty() || !bulk.isEmpty();
  }

  /// Whether a packet may be made: if only bulk waits, not while what is on the way waits for the line.
  private boolean isDue(long now) {
    return seqNext < seqLimit && (unfinished != null || next(now) != null);
  }

  private boolean isHeld(long now) {
    Sent oldest = unacked.peekFirst();
    if (oldest == null || onTheWay < holdBytes()) {
      return false;
    }
    long best = roundTrip.bestNanos();
    long carried = rate.bytesIn(best + HOLD_NANOS);
    long most = carried == 0 ? BURST_BYTES : GAIN * carried;
    return onTheWay >= most || now - oldest.atNanos >= best + PATIENCE_NANOS;
  }

  /// What the line carries in [#HOLD_NANOS], within limits: little where lines are thin, and not so little where they
  /// are fast that threads which get the processor late hold it up.
  private int holdBytes() {
    return Math.clamp(rate.bytesIn(HOLD_NANOS), HOLD_BYTES_MIN, HOLD_BYTES_MAX);
  }

  void send(Encoded message) {
    if (stream == 0) {
      stream = numbers.getAsLong();
    }
    if (message.isBulk()) {
      bulk.add(message);
    } else {
      queue.add(message);
    }
    outstanding += message.length();
  }

  /// Whether so much is queued or not acknowledged as fills several packets.
  private boolean isLoaded() {
    return outstanding >= (long) LOAD_PACKETS * Math.min(path.frameBytesMax(), LOAD_PACKET_BYTES_MAX);
  }

  long acknowledgedBytes() {
    return acknowledgedBytes;
  }

  long repeated() {
    return repeated;
  }

  long roundTripNanos() {
    return roundTrip.meanNanos();
  }

  /// How much is queued or not acknowledged.
  long outstandingBytes() {
    return outstanding;
  }

  /// How much of a sender's bulk is in no packet yet.
  long waitingBytes(MemberId sender) {
    return bulk.bytes(sender);
  }

  /// How long packets wait for the line: as the transport says, or how much longer they take than the fastest ones did
  /// lately, if there are so many that they would fill it.
  long queueingNanos(long now) {
    long known = path.waitNanos();
    if (known >= 0 || !isLoaded()) {
      return Math.max(0, known);
    }
    Sent oldest = unacked.peekFirst();
    return roundTrip.queueingNanos(oldest == null || oldest.repeated ? 0 : now - oldest.atNanos);
  }

  void close() {
    outstanding = 0;
    onTheWay = 0;
    queue.clear();
    bulk.clear();
    unacked.clear();
    unfinished = null;
    unfinishedDone = 0;
    stream = 0;
    seqNext = 0;
    seqLimit = InStream.WINDOW_PACKETS;
    backoff = 0;
    retransmitAt = Long.MAX_VALUE;
    reconnected = false;
    timedOutAt = Long.MIN_VALUE;
    highestArrived = -1;
    holesAt = Long.MAX_VALUE;
    arrivedSentAt = Long.MIN_VALUE;
  }

  /// The peer has closed a stream, or forgotten it: if it is this one, all that it has not taken goes out again, on a
  /// new one.
  ///
  /// @param of   the stream
  /// @param next the number of the first packet that it has not taken, as far as it remembers
  void reset(long of, long next) {
    if (of != stream || stream == 0) {
      return;
    }
    path.counters().count(Count.STREAMS_RESET);
    ArrayDeque<Encoded> again = new ArrayDeque<>();
    unacked.removeIf(sent -> sent.seq < next);
    for (Sent sent : unacked) {
      for (Chunk chunk : sent.chunks) {
        if (again.peekLast() != chunk.message()) {
          again.add(chunk.message());
        }
      }
    }
    if (unfinished != null && again.peekLast() != unfinished) {
      again.add(unfinished);
    }
    again.addAll(queue);
    bulk.forEach(again::add);
    close();
    again.forEach(this::send);
  }

  /// Takes an acknowledgement, with at most so many words of bits.
  void acknowledged(long now, WireReader in, int wordsMax) throws Malformed {
    long of = in.count();
    long next = in.count();
    long window = in.count();
    int words = readBeyond(in, wordsMax);
    if (of != stream || stream == 0 || next > seqNext) {
      return;
    }
    seqLimit = Math.max(seqLimit, next + Math.min(window, InStream.WINDOW_PACKETS));
    int arrived = takeAllBelow(now, next);
    if (words > 0) {
      arrived += takeBeyond(now, next, words);
      resendHoles(now);
    }
    if (arrived > 0) {
      resendLost(now, arrived * RESENT_PER_ARRIVED);
      backoff = 0;
      retransmitAt = unacked.isEmpty() ? Long.MAX_VALUE : now + roundTrip.timeoutNanos(0);
    }
  }

  /// Reads the bits of what came beyond a gap.
  ///
  /// @return how many words of them there are, 0 when no bit is set
  private int readBeyond(WireReader in, int wordsMax) throws Malformed {
    int words = 0;
    long any = 0;
    do {
      if (words == beyond.length) {
        beyond = Arrays.copyOf(beyond, Packet.ACK_WORDS_MAX);
      }
      beyond[words] = in.fixed();
      any |= beyond[words++];
    } while (in.remaining() >= Long.BYTES && words < wordsMax);
    return any == 0 ? 0 : words;
  }

  private int takeAllBelow(long now, long next) {
    int taken = 0;
    Sent last = null;
    boolean repeated = false; // then those behind waited for it at the receiver
    while (!unacked.isEmpty() && unacked.peekFirst().seq < next) {
      last = unacked.pollFirst();
      taken++;
      noteArrived(now, last);
      repeated |= last.repeated;
      outstanding -= last.bytes;
      onTheWay -= last.bytes;
      acknowledgedBytes += last.bytes;
    }
    if (last != null && !repeated && !last.arrived) {
      roundTrip.measure(now, now - last.atNanos, last.unloaded);
      rate.measure(now, acknowledgedBytes - last.acknowledgedBefore, now - last.acknowledgedAt, last.followed);
    }
    if (taken > 0) {
      acknowledgedAt = now;
    }
    return taken;
  }

  private int takeBeyond(long now, long next, int words) {
    int taken = 0;
    for (Sent sent : unacked) {
      long at = sent.seq - next - 1;
      if (at >= (long) words * Long.SIZE) {
        break;
      }
      if (at >= 0 && !sent.arrived && (beyond[(int) (at / Long.SIZE)] >>> at % Long.SIZE & 1) != 0) {
        if (!sent.repeated) {
          roundTrip.measure(now, now - sent.atNanos, sent.unloaded);
        }
        noteArrived(now, sent);
        sent.arrived = true;
        highestArrived = Math.max(highestArrived, sent.seq);
        taken++;
      }
    }
    return taken;
  }

  /// What was sent before this one and has not come is lost, as far as lines keep the order. One that was repeated
  /// tells when only if the last of its copies can be the one that came.
  private void noteArrived(long now, Sent sent) {
    if (!sent.arrived && (!sent.repeated || roundTrip.isPossible(now - sent.atNanos))) {
      arrivedSentAt = Math.max(arrivedSentAt, sent.atNanos);
    }
  }

  /// Sends again more of what was lost with the packets that a timeout was about, twice as many as have just arrived
  /// (slow start: RFC 5681, section 3.1): a path that carries packets again soon carries all of them.
  private void resendLost(long now, int most) {
    int left = most;
    for (Sent sent : unacked) {
      if (left == 0 || sent.atNanos > timedOutAt && !sent.repeated) {
        return;
      }
      if (!sent.arrived && sent.atNanos < timedOutAt) {
        if (!repeat(now, sent)) {
          return;
        }
        left--;
      }
    }
  }

  /// Sends again what is missing although something later has arrived, each packet when it is due.
  private void resendHoles(long now) {
    long patience = roundTrip.holeNanos();
    holesAt = Long.MAX_VALUE;
    for (Sent sent : unacked) {
      if (sent.seq > highestArrived) {
        return;
      }
      if (!sent.arrived && isLost(sent)) {
        if (now - sent.atNanos > patience && !repeat(now, sent)) {
          holesAt = now;
          return;
        }
        holesAt = Math.min(holesAt, sent.atNanos + patience + 1);
      }
    }
  }

  /// Whether one below the highest that has arrived is lost. If it was sent again, it is not before something has
  /// arrived that was sent after that (RACK: RFC 8985, section 6.2): its copy may stand behind all the others in the
  /// queue of a thin line, for longer than any round trip that was measured, and nothing is measured while all that
  /// arrives was repeated. By the time alone the line would carry nothing but further copies of what is in its queue.
  private boolean isLost(Sent sent) {
    return !sent.repeated || sent.atNanos < arrivedSentAt;
  }

  void flush(long now) {
    flushedAt = now;
    if (now >= holesAt) {
      resendHoles(now);
    }
    if (now >= retransmitAt) {
      retransmit(now);
    }
    while (isDue(now) && !path.isBlocked(now)) {
      transmitNext(now);
    }
  }

  long deadline() {
    boolean waits = isDue(flushedAt); // for room in the transport
    return waits ? path.blockedUntil() : Math.min(retransmitAt, holesAt);
  }

  /// What was on the way may be lost with the connection that carried it. The time of a round trip, which a timeout
  /// waits for, has passed with the making of the next one.
  void reconnected(long now) {
    if (!unacked.isEmpty()) {
      backoff = 0;
      retransmitAt = now;
      reconnected = true;
    }
  }

  private void retransmit(long now) {
    if (!reconnected) {
      path.counters().count(Count.TIMEOUTS_EXPIRED);
      backoff = Math.min(backoff + 1, BACKOFF_MAX);
    }
    reconnected = false;
    timedOutAt = now;
    retransmitAt = now + roundTrip.timeoutNanos(backoff);
    holesAt = Long.MAX_VALUE;
    highestArrived = -1;
    for (Sent sent : unacked) {
      sent.arrived = false; // a receiver that forgot the link has nothing of what it said to have beyond a gap
    }
    int left = RESEND_AT_ONCE;
    for (Sent sent : unacked) {
      if (!sent.arrived && (left-- == 0 || !repeat(now, sent))) {
        return;
      }
    }
  }

  private boolean repeat(long now, Sent sent) {
    path.counters().count(Count.PACKETS_REPEATED);
    repeated++;
    sent.repeated = true;
    return transmit(now, sent);
  }

  private void transmitNext(long now) {
    var sent = new Sent(seqNext);
    int room = Math.min(path.frameBytes() - path.headerBytes() - Packet.DATA_BYTES_MAX, holdBytes());
    Encoded message = unfinished;
    int done = unfinishedDone;
    while (room > Chunk.HEADER_MAX) {
      if (message == null) {
        message = next(now);
        done = 0;
      }
      if (message == null) {
        break;
      }
      int size = Math.min(message.length() - done, room - Chunk.HEADER_MAX);
      if (size < message.length() && !sent.chunks.isEmpty()) {
        message = null; // begins in a packet of its own: what fits into one is not to be put together by the receiver
        break;
      }
      boolean last = done + size == message.length();
      sent.chunks.add(new Chunk(message, done, size, done == 0, last));
      sent.bytes += size;
      room -= size + Chunk.HEADER_MAX;
      if (done == 0) {
        taken(message);
      }
      done += size;
      if (!last) {
        break;
      }
      boolean whole = message.isBulk() && message.common() && path.isMulticast();
      message = null;
      if (whole) {
        break; // what follows begins a packet: so links to several peers make the same packets, one a little later
      }
    }
    if (unacked.isEmpty()) {
      acknowledgedAt = now;
    }
    sent.unloaded = onTheWay < UNLOADED_BYTES_MAX;
    sent.acknowledgedBefore = acknowledgedBytes;
    sent.acknowledgedAt = acknowledgedAt;
    sent.followed = message != null || !queue.isEmpty() || !bulk.isEmpty();
    seqNext++;
    unacked.add(sent);
    if (!transmit(now, sent)) {
      seqNext--;
      unacked.pollLast();
      takeBack(sent);
      return;
    }
    if (retransmitAt == Long.MAX_VALUE) {
      retransmitAt = now + roundTrip.timeoutNanos(0);
    }
    onTheWay += sent.bytes;
    unfinished = message;
    unfinishedDone = message == null ? 0 : done;
  }

  /// The message whose turn it is; null when none waits, or only bulk that is held back.
  private @Nullable Encoded next(long now) {
    Encoded first = queue.peekFirst();
    return first != null || isHeld(now) ? first : bulk.peek();
  }

  private void taken(Encoded message) {
    if (message.isBulk()) {
      bulk.poll();
    } else {
      queue.pollFirst();
    }
  }

  /// What was not sent after all waits again where it did.
  private void takeBack(Sent sent) {
    for (Chunk chunk : sent.chunks.reversed()) {
      if (chunk.first()) {
        if (chunk.message().isBulk()) {
          bulk.putBack(chunk.message());
        } else {
          queue.addFirst(chunk.message());
        }
      }
    }
  }

  private boolean transmit(long now, Sent sent) {
    WireWriter header = header(sent.seq);
    int length = header.length();
    for (Chunk chunk : sent.chunks) {
      length += chunk.length();
    }
    ByteBuffer frame = path.claim(now, length);
    if (frame == null) {
      return false;
    }
    int start = frame.position();
    header.copyTo(frame);
    for (Chunk chunk : sent.chunks) {
      chunk.write(frame);
    }
    sent.atNanos = now;
    path.commit(now, frame, start, sent.chunks.getLast());
    acknowledgements.acknowledged();
    return true;
  }

  private WireWriter header(long seq) {
    WireWriter out = path.begin(Packet.DATA);
    out.count(stream);
    out.count(seq);
    out.count(unacked.isEmpty() ? 0 : seq - unacked.peekFirst().seq);
    acknowledgements.writeAcknowledgement(out, 1);
    return out;
  }

  void check() {
    boolean empty = !isBusy();
    Invariant.check(stream != 0 || (empty && seqNext == 0), "nothing is on the way in a closed stream");
    Invariant.check(
        unacked.isEmpty()
            || (unacked.getLast().seq == seqNext - 1 && seqNext - unacked.getFirst().seq == unacked.size()),
        "packets that are not acknowledged have successive numbers up to the last one");
    Invariant.check(seqNext <= seqLimit, "no packet goes beyond the receiver's window");
    Invariant.check(
        unfinished == null ? unfinishedDone == 0 : unfinishedDone > 0 && unfinishedDone < unfinished.length(),
        "of a message that is begun something is left");
    Invariant.check(
        unacked.isEmpty() == (retransmitAt == Long.MAX_VALUE), "what is not acknowledged is going to be sent again");
    long sentBytes = 0;
    for (Sent sent : unacked) {
      sentBytes += sent.bytes;
    }
    Invariant.check(onTheWay == sentBytes, "what is on the way is counted");
    long bytes = sentBytes + (unfinished == null ? 0 : unfinished.length() - unfinishedDone);
    for (Encoded message : queue) {
      Invariant.check(!message.isBulk(), "bulk waits apart");
      bytes += message.length();
    }
    bytes += bulk.bytes();
    Invariant.check(outstanding == bytes, "what is queued or not acknowledged is counted");
  }
}
