package org.tutti.middleware;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Where threads of the middleware and senders leave what the engine thread is to see, and where it waits for it.
///
/// Batches are bounded by their bytes: a thread that brings one beyond the bound waits until the engine has taken what
/// is there. What the engine has taken and is working on counts no more, so twice the bound is the most that exists.
final class ArrivalQueue {
  private static final int STRANGERS_MAX = 16;

  private final MiddlewareConfig config;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Condition room = lock.newCondition();

  // All guarded by the lock.
  private ArrayDeque<FrameBatch> batches = new ArrayDeque<>();
  private long bytes;
  private final Set<FrameBatch.Stranger> strangers = new LinkedHashSet<>();
  private final Set<PeerQueue> changed = new LinkedHashSet<>();
  private boolean woken;
  private boolean closed;
  private @Nullable Throwable bug;

  ArrivalQueue(MiddlewareConfig config) {
    this.config = config;
  }

  /// Puts a batch in; waits for room.
  ///
  /// @return false when there was none for too long, or the transport ends
  boolean put(FrameBatch batch) {
    long remaining = config.inboxWait().toNanos();
    lock.lock();
    try {
      while (!closed && bytes > 0 && bytes + batch.bytes().length > config.inboxBytes()) {
        if (remaining <= 0) {
          return false;
        }
        remaining = room.awaitNanos(remaining);
      }
      if (closed) {
        return false;
      }
      batches.addLast(batch);
      bytes += batch.bytes().length;
      news.signal();
      return true;
    } catch (InterruptedException _) {
      // The middleware ends its thread.
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /// A batch of another version was dropped; what is too much at once is not told.
  void strange(FrameBatch.Stranger stranger) {
    lock.lock();
    try {
      if (!closed && strangers.size() < STRANGERS_MAX) {
        strangers.add(stranger);
        news.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /// A peer queue that refused a claim has room now, or knows why its peer cannot be reached.
  void news(PeerQueue peerQueue) {
    lock.lock();
    try {
      changed.add(peerQueue);
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  /// A thread of this transport met a bug; the engine thread is going to throw it.
  void fail(Throwable found) {
    lock.lock();
    try {
      bug = bug == null ? found : bug;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  void wakeup() {
    lock.lock();
    try {
      woken = true;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      batches.clear();
      changed.clear();
      strangers.clear();
      news.signal();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits for news and takes all there is.
  ///
  /// @param empty      goes in where batches come out: the two queues change places
  /// @param peerQueues gets the peer queues that have something to tell
  /// @param senders    gets the senders of batches of another version
  /// @return the batches
  ArrayDeque<FrameBatch> take(
      long waitNanosMax, ArrayDeque<FrameBatch> empty, Set<PeerQueue> peerQueues, Set<FrameBatch.Stranger> senders) {
    lock.lock();
    try {
      await(waitNanosMax);
      if (bug != null) {
        throw new IllegalStateException("a thread of the transport failed: " + bug.getMessage(), bug);
      }
      woken = false;
      peerQueues.addAll(changed);
      changed.clear();
      senders.addAll(strangers);
      strangers.clear();
      ArrayDeque<FrameBatch> taken = batches;
      batches = empty;
      bytes = 0;
      room.signalAll();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void await(long waitNanosMax) {
    long remaining = waitNanosMax;
    try {
      while (remaining > 0 && !woken && !closed && bug == null && isEmpty()) {
        remaining = news.awaitNanos(remaining);
      }
    } catch (InterruptedException _) {
      // As a selector does: an interrupt ends the wait and stays set.
      Thread.currentThread().interrupt();
    }
  }

  private boolean isEmpty() {
    return batches.isEmpty() && changed.isEmpty() && strangers.isEmpty();
  }
}
