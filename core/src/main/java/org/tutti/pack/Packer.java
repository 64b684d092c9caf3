package org.tutti.pack;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;

/// Packs one member's stretches into batches, in order; a batch ends where the kind of messages changes. Mostly a
/// stretch is a batch as it is; only stretches that were broken off early are put together. Pure: the caller brings the
/// time.
public final class Packer {
  private final MemberId sender;
  private final int bytesMax;
  private final int messagesMax;
  private final PackingPolicy policy;
  private final ArrayDeque<Stretch> waiting = new ArrayDeque<>(); // only the last one grows
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

  /// Adds messages; the stretch that was added before does not grow any more.
  ///
  /// @param now the time
  /// @param stretch the messages
  public void add(long now, Stretch stretch) {
    if (waiting.isEmpty()) {
      firstAtNanos = now;
    }
    waiting.add(stretch);
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
    if (waiting.isEmpty()) {
      return null;
    }
    long age = now - firstAtNanos;
    if (age < policy.delayNanosMax() && !policy.close(batchesOnTheWay, age) && !isFull()) {
      return null;
    }
    firstAtNanos = now;
    return close(seq);
  }

  /// Whether nothing that may come can join the stretches that go first.
  private boolean isFull() {
    Batch.Kind kind = waiting.getFirst().kind();
    long bytes = 0;
    int count = 0;
    for (Stretch stretch : waiting) {
      bytes += stretch.bytes();
      count += stretch.count();
      if (stretch.kind() != kind || bytes >= bytesMax || count >= messagesMax) {
        return true;
      }
    }
    return false;
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

  private Batch close(long seq) {
    Stretch first = waiting.remove();
    ByteBuffer payload = first.seal();
    int count = first.count();
    int bytes = first.bytes();
    int joined = 0;
    for (Stretch stretch : waiting) {
      stretch.seal(); // or it might grow beyond the batch
      if (stretch.kind() != first.kind()
          || bytes + stretch.bytes() > bytesMax
          || count + stretch.count() > messagesMax) {
        break;
      }
      bytes += stretch.bytes();
      count += stretch.count();
      joined++;
    }
    return new Batch(sender, seq, first.kind(), 0, CausalPast.NONE, count, join(payload, joined, bytes));
  }

  private ByteBuffer join(ByteBuffer first, int more, int bytes) {
    if (more == 0) {
      return first;
    }
    ByteBuffer all = ByteBuffer.allocate(bytes).put(first.duplicate());
    for (int i = 0; i < more; i++) {
      all.put(waiting.remove().seal().duplicate());
    }
    return all.flip();
  }
}
