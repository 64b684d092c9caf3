package org.tutti.host;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.Lock;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Payloads;
import org.tutti.pack.Prefix;

/// Messages that callers pack themselves, one behind the other, until the engine takes them: a message is copied once
/// on its way into a batch, and only the first one of a block wakes the engine up.
///
/// Callers add under the window's lock; the engine takes that lock to bound the block and to seal it, once for all
/// messages in it. So it may wait for a caller that holds the lock, though never for one that waits for room: that one
/// has let go of it. A caller holds the lock while it copies one message and posts one request, not longer. Without the
/// lock each message would cost an atomic operation more, and the engine would meet it all the same: room in the window
/// and the line of futures, which it touches for each batch that is delivered, are under it too.
final class OpenBlock implements MessageBlock {
  private static final int BYTES_MIN = 512;

  private final Batch.Kind kind;
  private final Lock lock;
  private final Payloads payloads; // under the lock, too
  private final int bytesMax;
  private final int messagesMax;
  private final Runnable bounded;
  private ByteBuffer packed;
  private int count;
  private boolean sealed;
  private int messagesBound = Integer.MAX_VALUE;
  private int bytesBound = Integer.MAX_VALUE;

  /// Begins with one message, whatever its size.
  ///
  /// @param kind        what the messages are
  /// @param lock        held by the caller, here and in [#add]
  /// @param payloads    where buffers come from
  /// @param bytesMax    a further message that does not fit is not added
  /// @param messagesMax likewise
  /// @param bounded     called by [#add] when a bound of the engine is reached
  /// @param bytesLikely how long the block will probably become
  /// @param first       copied
  OpenBlock(
      Batch.Kind kind,
      Lock lock,
      Payloads payloads,
      int bytesMax,
      int messagesMax,
      Runnable bounded,
      int bytesLikely,
      ByteBuffer first) {
    this.kind = kind;
    this.lock = lock;
    this.payloads = payloads;
    this.bounded = bounded;
    this.bytesMax = bytesMax;
    this.messagesMax = messagesMax;
    int size = size(first);
    this.packed = payloads.room(messagesMax == 1 ? size : Math.max(size, Math.min(bytesLikely, bytesMax)));
    put(first);
  }

  /// The room that a block should begin with whose predecessor became so long.
  static int likely(int bytes) {
    return Math.max(BYTES_MIN, bytes + bytes / 8);
  }

  private static int size(ByteBuffer message) {
    return Prefix.bytes(message.remaining()) + message.remaining();
  }

  /// Adds a message.
  ///
  /// @return whether it fits, is of this block's kind, and comes before the engine has taken the block
  boolean add(Batch.Kind of, ByteBuffer message) {
    int size = size(message);
    if (sealed || of != kind || count == messagesMax || packed.position() + size > bytesMax || isBounded(size)) {
      return false;
    }
    if (packed.remaining() < size) {
      int bytes = Math.min(bytesMax, Math.max(2 * packed.capacity(), packed.position() + size));
      ByteBuffer smaller = packed;
      packed = payloads.room(bytes).put(smaller.flip());
      payloads.giveBack(smaller);
    }
    put(message);
    if (isBounded(1)) {
      bounded.run();
    }
    return true;
  }

  /// Whether so many bytes more are more than the engine wants.
  private boolean isBounded(int more) {
    return count >= messagesBound || packed.position() + more > bytesBound;
  }

  private void put(ByteBuffer message) {
    int length = message.remaining();
    Prefix.put(packed, length);
    packed.put(packed.position(), message, message.position(), length);
    packed.position(packed.position() + length);
    count++;
  }

  @Override
  public Batch.Kind kind() {
    return kind;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public int bytes() {
    return sealed ? packed.remaining() : packed.position();
  }

  @Override
  public boolean bound(int messages, int bytes) {
    lock.lock();
    try {
      messagesBound = messages;
      bytesBound = bytes;
      return !sealed && isBounded(1);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public ByteBuffer seal() {
    lock.lock();
    try {
      if (!sealed) {
        sealed = true;
        packed = packed.flip();
      }
      return packed;
    } finally {
      lock.unlock();
    }
  }
}
