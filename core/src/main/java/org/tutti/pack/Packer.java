package org.tutti.pack;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Packing;

/// Packs one member's blocks into batches, in order; a batch ends where the kind of messages changes. Mostly a
/// block is a batch as it is; blocks that were broken off early are put together, and those that are longer than
/// the policy's degree divided. Pure: the caller brings the time.
public final class Packer {
  private record Waiting(MessageBlock block, long sinceNanos) {}

  private final MemberId sender;
  private final int bytesMax;
  private final int messagesMax;
  private final Packing.Policy policy;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(); // only the last one grows
  private final ArrayList<ByteBuffer> parts = new ArrayList<>(); // of the batch that is being closed
  private @Nullable MessageBlock bounded; // with the bounds below
  private int boundMessages;
  private int boundBytes;

  /// Makes a packer with nothing waiting.
  ///
  /// @param sender      whose messages they are
  /// @param bytesMax    closes a batch; a larger message makes a batch of its own
  /// @param messagesMax closes a batch
  /// @param packing     closes smaller batches
  public Packer(MemberId sender, int bytesMax, int messagesMax, Packing packing) {
    this.sender = sender;
    this.bytesMax = bytesMax;
    this.messagesMax = messagesMax;
    this.policy = PackingPolicies.begin(packing);
  }

  /// Adds messages; the block that was added before does not grow any more.
  ///
  /// @param now the time
  /// @param block the messages
  public void add(long now, MessageBlock block) {
    waiting.add(new Waiting(block, now));
  }

  /// Tells the policy what became of this member's messages.
  ///
  /// @param now      the time
  /// @param messages how many have been delivered here, all in all
  public void delivered(long now, long messages) {
    policy.delivered(now, messages);
  }

  /// Closes the next batch if it is time to.
  ///
  /// @param now             the time
  /// @param batchesOnTheWay see [Packing.Policy#closes]
  /// @param seq             the batch's number
  /// @return the batch, or null
  public @Nullable Batch next(long now, int batchesOnTheWay, long seq) {
    if (waiting.isEmpty()) {
      return null;
    }
    long age = now - waiting.getFirst().sinceNanos;
    if (age < policy.delayNanosMax() && !policy.closes(batchesOnTheWay, age) && !isFull()) {
      return null;
    }
    return close(seq);
  }

  /// Whether nothing that may come can join the blocks that go first. If something can, and the policy bounds the
  /// batch, the last block will tell.
  private boolean isFull() {
    Batch.Kind kind = waiting.getFirst().block.kind();
    int messages = messagesMax();
    int length = bytesMax();
    int bytes = 0; // before the last block
    int count = 0;
    MessageBlock last = null;
    for (Waiting each : waiting) {
      if (last != null) {
        bytes += last.bytes();
        count += last.count();
      }
      last = each.block;
      if (last.kind() != kind || bytes + last.bytes() >= length || count + last.count() >= messages) {
        return true;
      }
    }
    return isBounding() && last != null && bound(last, messages - count, length - bytes);
  }

  /// Whether the policy wants smaller batches than the group's configuration.
  private boolean isBounding() {
    return policy.messagesMax() < Integer.MAX_VALUE || policy.bytesMax() < Integer.MAX_VALUE;
  }

  private boolean bound(MessageBlock last, int messages, int bytes) {
    boolean known = last == bounded && messages == boundMessages && bytes == boundBytes;
    bounded = last;
    boundMessages = messages;
    boundBytes = bytes;
    return !known && last.bound(messages, bytes);
  }

  private int messagesMax() {
    return Math.min(messagesMax, policy.messagesMax());
  }

  private int bytesMax() {
    return Math.min(bytesMax, policy.bytesMax());
  }

  /// Makes a batch that changes the group's ordering; it goes before the messages that wait.
  ///
  /// @param seq the batch's number
  /// @param to  the ordering
  /// @return the batch
  public Batch toSwitch(long seq, Ordering to) {
    return Batch.toSwitch(sender, seq, to);
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
    return waiting.isEmpty() ? Long.MAX_VALUE : waiting.getFirst().sinceNanos + policy.delayNanosMax();
  }

  private Batch close(long seq) {
    Batch.Kind kind = waiting.getFirst().block.kind();
    int messages = messagesMax();
    int length = bytesMax();
    int count = 0;
    int bytes = 0;
    bounded = null; // what waits behind this batch is to be bounded anew
    while (!waiting.isEmpty() && waiting.getFirst().block.kind() == kind) {
      ByteBuffer payload = waiting.getFirst().block.seal(); // or it might grow beyond the batch
      if (isBounding()) {
        divide(payload, messages - count, length - bytes, count == 0);
      }
      MessageBlock next = waiting.getFirst().block;
      if (count > 0 && (count + next.count() > messages || bytes + next.bytes() > length)) {
        break;
      }
      waiting.remove();
      parts.add(next.seal());
      count += next.count();
      bytes += next.bytes();
    }
    return new Batch(sender, seq, kind, 0, CausalPast.NONE, count, join(bytes));
  }

  /// Divides the block that goes first where a batch ends, if it ends there.
  ///
  /// @param payload of the block
  /// @param some    whether its first message belongs to the batch, however long it is
  private void divide(ByteBuffer payload, int messages, int bytes, boolean some) {
    Waiting first = waiting.getFirst();
    Batch.Kind kind = first.block.kind();
    int all = first.block.count();
    if (all <= messages && payload.remaining() <= bytes) {
      return;
    }
    int count = 0;
    int at = payload.position();
    for (boolean room = true; room && count < Math.min(all, messages); ) {
      int end = Prefix.end(payload, at);
      room = end - payload.position() <= bytes || (some && count == 0);
      if (room) {
        at = end;
        count++;
      }
    }
    if (count > 0 && count < all) {
      ByteBuffer head = payload.slice(payload.position(), at - payload.position());
      ByteBuffer rest = payload.slice(at, payload.limit() - at);
      waiting.remove();
      waiting.addFirst(new Waiting(new MessageBlock.Sealed(kind, all - count, rest), first.sinceNanos));
      waiting.addFirst(new Waiting(new MessageBlock.Sealed(kind, count, head), first.sinceNanos));
    }
  }

  private ByteBuffer join(int bytes) {
    ByteBuffer payload = parts.getFirst();
    if (parts.size() > 1) {
      payload = ByteBuffer.allocate(bytes);
      for (ByteBuffer part : parts) {
        payload.put(part.duplicate());
      }
      payload.flip();
    }
    parts.clear();
    return payload;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(parts.isEmpty(), "nothing is left of a batch that was closed");
    Invariant.check(
        waiting.isEmpty() || waiting.getFirst().sinceNanos <= waiting.getLast().sinceNanos,
        "what has waited longest goes first");
  }
}
