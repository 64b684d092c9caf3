package org.tutti.net;

import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;

/// What transports that wait in a selector have in common: who may call what and when, and how they end. [#wakeup] and
/// [#close] may be called by any thread, all else by the engine thread only.
public abstract class SelectorTransport implements Transport {
  /// Where a claimed frame goes.
  public interface Claim {
    /// Takes the frame that was written into the room, and what it ends with: see [Transport#commit(Object, int)].
    ///
    /// @param content the same object for all peers; null when that was not said
    /// @param from    which bytes of it
    void commit(@Nullable Object content, int from);
  }

  /// What the claim that is made now is of; set by [#room].
  protected @Nullable Claim claimed;

  private final Traits traits;
  private final Selector selector;

  // The engine thread holds it in every call; another thread takes it only to close.
  private final ReentrantLock lock = new ReentrantLock();
  private boolean polling;
  private boolean released;
  private volatile boolean closing;

  /// Makes a transport.
  ///
  /// @param traits   what it can do
  /// @param selector where it waits
  protected SelectorTransport(Traits traits, Selector selector) {
    this.traits = traits;
    this.selector = selector;
  }

  // ---- what differs, each called with the lock ---------------------------------------------------------------------

  /// Begins to deliver.
  ///
  /// @param receiver gets what arrives
  protected abstract void begin(Receiver receiver);

  /// Finds room for a frame and remembers where it goes as [#claimed], or counts the refusal.
  ///
  /// @param to     the peer
  /// @param length of the frame, in bytes
  /// @return the room, or null
  protected abstract @Nullable ByteBuffer room(Address to, int length);

  /// Makes another connection to a peer, if there are connections.
  ///
  /// @param to the peer
  protected void again(Address to) {}

  /// Writes, waits, reads.
  ///
  /// @param waitNanosMax the longest wait
  protected abstract void turn(long waitNanosMax);

  /// Tries a last write and releases everything; called until it has, and then never again.
  protected abstract void release();

  private void releaseOnce() {
    if (!released) {
      release();
      released = true;
    }
  }

  /// Counts a wakeup; any thread, without the lock.
  protected abstract void countWakeup();

  // ---- what is the same --------------------------------------------------------------------------------------------

  @Override
  public final Traits traits() {
    return traits;
  }

  @Override
  public final void start(Receiver receiver) {
    lock.lock();
    try {
      begin(receiver);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final @Nullable ByteBuffer claim(Address to, int length) {
    Invariant.check(length > 0 && length <= traits.frameBytesMax(), "a frame has 1 to frameBytesMax bytes");
    lock.lock();
    try {
      claimed = null;
      return closing ? null : room(to, length);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void renew(Address to) {
    lock.lock();
    try {
      if (!closing) {
        again(to);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void commit() {
    accept(null, 0);
  }

  @Override
  public final void commit(Object content, int from) {
    accept(content, from);
  }

  private void accept(@Nullable Object content, int from) {
    lock.lock();
    try {
      if (claimed != null && !closing) {
        claimed.commit(content, from);
      }
      claimed = null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void poll(long waitNanosMax) {
    lock.lock();
    try {
      Invariant.check(!polling, "poll is not called from a receiver");
      polling = true;
      claimed = null;
      if (!closing) {
        turn(waitNanosMax);
      }
    } finally {
      polling = false;
      if (closing) {
        releaseOnce();
      }
      lock.unlock();
    }
  }

  @Override
  public final void wakeup() {
    countWakeup();
    selector.wakeup();
  }

  @Override
  public final void close() {
    closing = true;
    selector.wakeup();
    lock.lock();
    try {
      if (!polling) {
        releaseOnce();
      }
      // Else a receiver closes its own transport: the selector is in use, so poll does the rest before it returns.
    } finally {
      lock.unlock();
    }
  }
}
