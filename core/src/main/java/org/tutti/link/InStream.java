package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The receiving direction of a link: takes packets in order, puts messages together, owes acknowledgements.
final class InStream {
  /// How many packets beyond the expected one are kept.
  static final int WINDOW_PACKETS = 1024;

  /// What is kept for a stranger beyond a gap, and likewise of an unfinished message, even if all links together keep
  /// much: first words are proposals, and one for a thousand members is shorter.
  static final int STRANGER_BYTES_MAX = 128 << 10;

  /// The longest message; strangers begin to wait when as much is kept of unfinished ones together.
  static final int MESSAGE_BYTES_MAX = 64 << 20;

  private static final int SPARE_BYTES_MAX = 256 << 10;
  private static final int ACK_EVERY = 16;
  private static final int ACKS_PER_TIMEOUT = 4;
  private static final int ACK_SOON_BYTES = 8 << 10; // when so much has come, its sender may wait for a word
  private static final long ACK_SOON_NANOS = 5_000_000;

  /// What the streams of one node keep together.
  static final class Kept {
    private long bytes;

    /// @param streams all that there are
    void check(Iterable<InStream> streams) {
      long sum = 0;
      for (InStream each : streams) {
        sum += each.kept;
      }
      Invariant.check(bytes == sum, "what all streams keep is counted");
    }
  }

  private final Counters counters;
  private final long ackAfterNanos;
  private final Kept all;
  private final BooleanSupplier stranger;
  private final Consumer<ByteBuffer> messages;
  private long stream; // 0: none open
  private long streamClosed; // no stream up to this one is taken again
  private long closedNext; // how far that one had come
  private long expected;
  private final TreeMap<Long, ByteBuffer> early = new TreeMap<>(); // keys in (expected, expected + window)
  private long earlyBytes;
  private @Nullable ByteBuffer partial;
  private @Nullable ByteBuffer spare; // for the next message in pieces
  private long kept; // as it is reckoned in `all`
  private int ackOwed;
  private long ackOwedBytes;
  private long ackAt = Long.MAX_VALUE;
  private long takenNanos = Long.MIN_VALUE; // when the last packet in order came
  private long hurriedUntil = Long.MIN_VALUE; // the peer waits for acknowledgements, and for nothing else

  InStream(Path path, Kept all, BooleanSupplier stranger, Consumer<ByteBuffer> messages) {
    this.counters = path.counters();
    this.ackAfterNanos = path.retransmitNanos() / ACKS_PER_TIMEOUT;
    this.all = all;
    this.stranger = stranger;
    this.messages = messages;
  }

  boolean isOpen() {
    return stream != 0;
  }

  long takenNanos() {
    return takenNanos;
  }

  void close() {
    if (stream != 0) {
      streamClosed = stream;
      closedNext = expected;
    }
    stream = 0;
    expected = 0;
    early.clear();
    earlyBytes = 0;
    partial = null;
    spare = null;
    reckon();
    acknowledged();
  }

  // ---- acknowledgements ------------------------------------------------------------------------------------------

  private void owe(long now, int packets, int bytes) {
    ackOwed += packets;
    ackOwedBytes += bytes;
    long after = ackOwedBytes < ACK_SOON_BYTES ? ackAfterNanos : Math.min(ackAfterNanos, ACK_SOON_NANOS);
    ackAt = Math.min(ackAt, now < hurriedUntil ? now : now + after);
  }

  /// For as long as an acknowledgement is delayed at most, none is: the peer may go on with other groups.
  void hurry(long now) {
    hurriedUntil = now + ackAfterNanos;
    if (ackOwed > 0) {
      ackAt = now;
    }
  }

  boolean owes(long now) {
    return ackOwed >= ACK_EVERY || now >= ackAt;
  }

  long deadline() {
    return ackOwed >= ACK_EVERY ? Long.MIN_VALUE : ackAt;
  }

  /// An acknowledgement has gone out.
  void acknowledged() {
    ackOwed = 0;
    ackOwedBytes = 0;
    ackAt = Long.MAX_VALUE;
  }

  /// Writes what is here.
  ///
  /// @param wordsMax how many words of bits there is room for; there is at least one, and no more than necessary
  void writeAcknowledgement(WireWriter out, int wordsMax) {
    out.count(stream);
    out.count(expected);
    out.count(WINDOW_PACKETS);
    long beyond = 0;
    int words = 1;
    for (long seq : early.keySet()) {
      long at = seq - expected - 1;
      while (at >= (long) words * Long.SIZE && words < wordsMax) {
        out.fixed(beyond);
        beyond = 0;
        words++;
      }
      if (at >= (long) words * Long.SIZE) {
        break;
      }
      beyond |= 1L << at % Long.SIZE;
    }
    out.fixed(beyond);
  }

  // ---- packets ---------------------------------------------------------------------------------------------------

  /// Takes a data packet.
  ///
  /// @return whether its stream can be taken; otherwise its sender must be told to open another
  boolean data(long now, long of, long seq, long distance, ByteBuffer chunks) throws Malformed {
    if (of < stream) {
      counters.count(Count.PACKET_OF_STALE_STREAM);
      return true;
    }
    if (of <= streamClosed) {
      counters.count(Count.PACKET_OF_CLOSED_STREAM);
      return false;
    }
    if (seq - distance > (of == stream ? expected : 0)) {
      counters.count(Count.PACKET_OF_FORGOTTEN_STREAM); // something that is not here was acknowledged
      if (of == stream) {
        close();
      }
      return false;
    }
    if (of > stream) {
      close();
      stream = of;
    }
    take(now, seq, chunks);
    reckon();
    return true;
  }

  /// How many packets of a stream that cannot be taken on were taken before: its sender need not repeat them.
  long takenOf(long of) {
    return of == streamClosed ? closedNext : 0;
  }

  private void take(long now, long seq, ByteBuffer chunks) throws Malformed {
    if (seq < expected || seq >= expected + WINDOW_PACKETS || early.containsKey(seq)) {
      counters.count(seq >= expected + WINDOW_PACKETS ? Count.PACKET_BEYOND_WINDOW : Count.PACKETS_DUPLICATE);
      owe(now, ACK_EVERY, 0);
      return;
    }
    check(chunks.duplicate());
    if (isTooMuch(seq, chunks.remaining())) {
      counters.count(Count.PACKET_TOO_MUCH);
      return;
    }
    if (seq > expected) {
      earlyBytes += chunks.remaining();
      early.put(seq, ByteBuffer.allocate(chunks.remaining()).put(chunks).flip());
      owe(now, ACK_EVERY, 0);
      return;
    }
    owe(now, 1, chunks.remaining());
    takenNanos = now;
    expected++;
    chunks(chunks);
    while (!early.isEmpty() && early.firstKey() == expected) {
      expected++;
      ByteBuffer next = early.pollFirstEntry().getValue();
      earlyBytes -= next.remaining();
      chunks(next);
    }
  }

  private void reckon() {
    long before = kept;
    kept = earlyBytes + (partial == null ? 0 : partial.position());
    all.bytes += kept - before;
  }

  /// When much is kept already, a stranger has to wait. It sends again what is not acknowledged, so nothing is lost.
  /// Otherwise it need not: a proposal may stand behind long messages of a view in which it was no stranger.
  private boolean isTooMuch(long seq, int size) {
    if (seq == expected && partial == null) {
      return false; // whatever the size of a frame
    }
    long held = seq > expected || partial == null ? earlyBytes : partial.position();
    return held + size > STRANGER_BYTES_MAX && all.bytes + size > MESSAGE_BYTES_MAX && stranger.getAsBoolean();
  }

  /// Looks at all chunks before any is used, so that a packet is taken wholly or not at all.
  private static void check(ByteBuffer chunks) throws Malformed {
    var in = new WireReader(chunks);
    while (in.remaining() > 0) {
      in.bytesSkipped(Chunk.size(in.countUpTo(Integer.MAX_VALUE)));
    }
  }

  private void chunks(ByteBuffer chunks) throws Malformed {
    var in = new WireReader(chunks);
    while (in.remaining() > 0) {
      long header = in.count();
      ByteBuffer bytes = in.raw(Chunk.size(header));
      if (Chunk.isFirst(header) && Chunk.isLast(header)) {
        partial = null;
        messages.accept(bytes);
      } else {
        assemble(bytes, Chunk.isFirst(header), Chunk.isLast(header));
      }
    }
  }

  /// Grows with what has come, never by what a header promises. Who gets the message copies what it keeps, so the
  /// buffer can be used for the next one.
  private void assemble(ByteBuffer bytes, boolean first, boolean last) {
    ByteBuffer whole = first ? null : partial;
    if (!first && whole == null) {
      counters.count(Count.MESSAGE_FRAGMENT);
      return;
    }
    int have = whole == null ? 0 : whole.position();
    int need = have + bytes.remaining();
    if (need > MESSAGE_BYTES_MAX) {
      counters.count(Count.MESSAGE_TOO_LONG);
      partial = null;
      return;
    }
    if (whole == null) {
      whole = spare == null ? ByteBuffer.allocate(need) : spare.clear();
      spare = null;
    }
    if (whole.remaining() < bytes.remaining()) {
      whole = ByteBuffer.allocate(Math.max(need, 2 * have)).put(whole.flip());
    }
    whole.put(bytes);
    partial = whole;
    if (last) {
      partial = null;
      messages.accept(whole.flip());
      spare = whole.capacity() <= SPARE_BYTES_MAX ? whole : null;
    }
  }

  void check() {
    Invariant.check(stream == 0 || stream > streamClosed, "an open stream is later than the closed ones");
    Invariant.check(
        stream != 0 || (expected == 0 && early.isEmpty() && partial == null), "nothing is kept of a closed stream");
    Invariant.check(
        early.isEmpty() || (early.firstKey() > expected && early.lastKey() < expected + WINDOW_PACKETS),
        "what is kept lies beyond a gap and within the window");
    long bytes = 0;
    for (ByteBuffer packet : early.values()) {
      bytes += packet.remaining();
    }
    Invariant.check(earlyBytes == bytes, "what is kept beyond a gap is counted");
    Invariant.check(
        kept == earlyBytes + (partial == null ? 0 : partial.position()), "what a stream keeps is counted for the node");
    Invariant.check(ackOwed > 0 == ackAt < Long.MAX_VALUE, "an acknowledgement that is owed has its time");
  }
}
