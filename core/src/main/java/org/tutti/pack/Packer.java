package org.tutti.pack;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;

/// Packs one member's messages into batches, in order; a batch ends where the service changes. Pure: the caller brings
/// the time.
public final class Packer {
  private static final int PREFIX_BYTES_MAX = 5;

  /// Successive messages of one service that wait.
  private static final class Stretch {
    final Batch.Kind kind;
    int messages;
    long bytes; // prefixes included

    Stretch(Batch.Kind kind) {
      this.kind = kind;
    }
  }

  private final MemberId sender;
  private final int bytesMax;
  private final int messagesMax;
  private final PackingPolicy policy;
  private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
  private final ArrayDeque<Stretch> stretches = new ArrayDeque<>(); // of the messages waiting, none of them empty
  private long firstAtNanos;
  private long seqNext;

  /// Makes a packer with nothing waiting.
  ///
  /// @param sender      whose messages they are
  /// @param bytesMax    closes a batch; a larger message makes a batch of its own
  /// @param messagesMax closes a batch
  /// @param policy      closes smaller batches
  public Packer(MemberId sender, int bytesMax, int messagesMax, PackingPolicy policy) {
    this.sender = sender;
    this.bytesMax = bytesMax;
    this.messagesMax = messagesMax;
    this.policy = policy;
  }

  /// Adds a message.
  ///
  /// @param now     the time
  /// @param payload the message, never changed from now on
  /// @param kind    of the batches that it may travel in
  public void add(long now, ByteBuffer payload, Batch.Kind kind) {
    if (waiting.isEmpty()) {
      firstAtNanos = now;
    }
    waiting.add(payload);
    Stretch last = stretches.peekLast();
    if (last == null || last.kind != kind) {
      last = new Stretch(kind);
      stretches.add(last);
    }
    last.messages++;
    last.bytes += payload.remaining() + prefixBytes(payload.remaining());
  }

  /// Closes the next batch if it is time to.
  ///
  /// @param now             the time
  /// @param batchesOnTheWay see [PackingPolicy#close]
  /// @return the batch, or null
  public @Nullable Batch next(long now, int batchesOnTheWay) {
    Batch batch = next(now, batchesOnTheWay, seqNext);
    if (batch != null) {
      seqNext++;
    }
    return batch;
  }

  /// Closes the next batch if it is time to, for a place that has numbers of its own.
  ///
  /// @param now             the time
  /// @param batchesOnTheWay see [PackingPolicy#close]
  /// @param seq             the batch's number
  /// @return the batch, or null
  public @Nullable Batch next(long now, int batchesOnTheWay, long seq) {
    Stretch first = stretches.peekFirst();
    if (first == null) {
      return null;
    }
    boolean full = stretches.size() > 1 || first.bytes >= bytesMax || first.messages >= messagesMax;
    long age = now - firstAtNanos;
    if (!full && age < policy.delayNanosMax() && !policy.close(batchesOnTheWay, age)) {
      return null;
    }
    firstAtNanos = now;
    return close(first, seq);
  }

  /// Makes a batch that changes the group's ordering; it goes before the messages that wait.
  ///
  /// @param to the ordering
  /// @return the batch
  public Batch toSwitch(Ordering to) {
    return Batch.toSwitch(sender, seqNext++, to);
  }

  /// Whether nothing waits.
  ///
  /// @return whether every message is in a batch
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /// When [#next] will close a batch for its age.
  ///
  /// @return the time, or [Long#MAX_VALUE] when nothing waits
  public long deadline() {
    return waiting.isEmpty() ? Long.MAX_VALUE : firstAtNanos + policy.delayNanosMax();
  }

  private Batch close(Stretch first, long seq) {
    int count = 0;
    int bytes = 0;
    for (ByteBuffer message : waiting) {
      int size = message.remaining() + prefixBytes(message.remaining());
      if (count > 0 && (bytes + size > bytesMax || count == messagesMax) || count == first.messages) {
        break;
      }
      count++;
      bytes += size;
    }
    ByteBuffer payload = ByteBuffer.allocate(bytes);
    for (int i = 0; i < count; i++) {
      ByteBuffer message = waiting.remove();
      putPrefix(payload, message.remaining());
      payload.put(message);
    }
    first.messages -= count;
    first.bytes -= bytes;
    if (first.messages == 0) {
      stretches.remove();
    }
    return new Batch(sender, seq, first.kind, 0, CausalPast.NONE, count, payload.flip());
  }

  private static int prefixBytes(int length) {
    return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 6) / 7);
  }

  private static void putPrefix(ByteBuffer out, int length) {
    int rest = length;
    for (int i = 1; i < PREFIX_BYTES_MAX && rest > 0x7f; i++) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }
}
