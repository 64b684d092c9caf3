package org.tutti.middleware;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Refused;

/// The way to one peer: a queue that the engine thread fills, and a virtual thread that dials, takes all that is queued
/// and sends it as one batch. While one batch is on the way the next one gathers: the slower the middleware, the larger
/// the batches.
///
/// ```
///          claim refused            dialled                 broken, idle
///   APART --------------> APART ----------------> OPEN --------------------> APART
///   nobody wants it for some time: ENDED, and the thread with it
/// ```
///
/// Frames are claimed in OPEN only. What was queued or on the way when a call broke is lost.
final class PeerQueue implements Runnable {
  private static final int QUEUE_BYTES_MIN = 1 << 14;

  private enum State {
    APART,
    OPEN,
    ENDED
  }

  /// What all peer queues of a transport share.
  ///
  /// @param dialling bounds how many attempts are under way: each may take a file descriptor for some seconds
  record Hub(
      Middleware middleware,
      MiddlewareConfig config,
      Counts<MiddlewareCount> counters,
      ArrivalQueue inbox,
      Semaphore dialling) {}

  final Address peer;

  /// On the transport's list of peer queues with committed frames whose sender was not told; engine thread only.
  boolean dirty;

  private final Hub hub;
  private final byte[] header;
  private final Thread sender;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();

  // All guarded by the lock.
  private State state = State.APART;
  private byte[] queue = new byte[0];
  private int end;
  private boolean refused; // a claim, since the last onReady
  private boolean wanted; // a claim was refused since the last attempt
  private @Nullable Refused refusal; // why the last attempt failed, and that is to be told
  private boolean spoken; // a frame was claimed for it
  private boolean answering; // a batch of another version
  private boolean closing;
  private long claimedNanos = System.nanoTime();
  private long retryNanos = claimedNanos;
  private long backoffNanos;

  PeerQueue(Address peer, Hub hub) {
    this.peer = peer;
    this.hub = hub;
    this.header = FrameBatch.header(hub.middleware().address(), peer);
    this.sender =
        Thread.ofVirtual()
            .name("tutti-" + hub.middleware().name() + " to " + peer)
            .uncaughtExceptionHandler((_, bug) -> hub.inbox().fail(bug))
            .unstarted(this);
  }

  void start() {
    sender.start();
  }

  // ---- engine thread ---------------------------------------------------------------------------------------------

  /// Whether a frame may be committed; if not, asks for an attempt to connect, or for word of room.
  boolean claim(int length) {
    lock.lock();
    try {
      claimedNanos = System.nanoTime();
      spoken = true;
      if (state == State.OPEN && fits(length)) {
        return true;
      }
      refused = true;
      if (state == State.APART) {
        wanted = true;
        work.signal();
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /// Queues a frame that was claimed; it is lost when the call broke since.
  void commit(byte[] frame, int length) {
    lock.lock();
    try {
      if (state != State.OPEN || closing) {
        return;
      }
      int needed = end + FrameBatch.PREFIX_BYTES + length;
      if (needed > queue.length) {
        int grown = Math.max(Math.max(needed, QUEUE_BYTES_MIN), 2 * queue.length);
        queue = Arrays.copyOf(queue, Math.min(grown, hub.config().queueBytes()));
      }
      queue[end] = (byte) (length >>> 24);
      queue[end + 1] = (byte) (length >>> 16);
      queue[end + 2] = (byte) (length >>> 8);
      queue[end + 3] = (byte) length;
      System.arraycopy(frame, 0, queue, end + FrameBatch.PREFIX_BYTES, length);
      end = needed;
      hub.counters().addShared(MiddlewareCount.FRAMES_SENT);
    } finally {
      lock.unlock();
    }
  }

  /// Tells the sender that a turn is over.
  void flush() {
    lock.lock();
    try {
      if (end > 0) {
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Whether the receiver is to be told of room now; once for each time that claims were refused.
  boolean announce() {
    lock.lock();
    try {
      boolean due = refused && state == State.OPEN && isRoomy();
      refused &= !due;
      return due;
    } finally {
      lock.unlock();
    }
  }

  /// Why the peer does not take this node in, if that is to be told; once for each attempt.
  @Nullable Refused takeRefusal() {
    lock.lock();
    try {
      Refused told = refusal;
      refusal = null;
      return told;
    } finally {
      lock.unlock();
    }
  }

  /// Lets the peer know which version this node speaks: with the next batch, if need be one without frames.
  void answer() {
    lock.lock();
    try {
      answering = true;
      wanted |= state == State.APART;
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /// Whether this node has wanted to say something to the peer, besides answers.
  boolean hasSpoken() {
    lock.lock();
    try {
      return spoken;
    } finally {
      lock.unlock();
    }
  }

  boolean isApart() {
    lock.lock();
    try {
      return state == State.APART;
    } finally {
      lock.unlock();
    }
  }

  boolean isEnded() {
    lock.lock();
    try {
      return state == State.ENDED;
    } finally {
      lock.unlock();
    }
  }

  /// Makes the sender finish: it sends what is queued if it has a call, and dials no more.
  void end() {
    lock.lock();
    try {
      closing = true;
      work.signal();
      if (state != State.OPEN) {
        sender.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Makes the sender give up what it has not sent yet.
  void abandon() {
    sender.interrupt();
  }

  /// Waits for the sender's end.
  ///
  /// @return whether it has ended
  boolean join(Duration wait) throws InterruptedException {
    return wait.isPositive() ? sender.join(wait) : !sender.isAlive();
  }

  // ---- sender ----------------------------------------------------------------------------------------------------

  @Override
  public void run() {
    try {
      while (awaitWanted()) {
        attempt();
      }
    } catch (InterruptedException _) {
      // The transport ends.
    } finally {
      leave(State.ENDED);
    }
  }

  private void attempt() throws InterruptedException {
    try (Middleware.Call call = dial()) {
      opened();
      for (byte[] batch = take(); batch.length > 0; batch = take()) {
        call.send(batch);
        hub.counters().addShared(MiddlewareCount.BATCHES_SENT);
        hub.counters().addShared(MiddlewareCount.BYTES_SENT, batch.length);
      }
    } catch (Middleware.UnusableAddressException _) {
      failed(MiddlewareCount.ADDRESS_UNUSABLE);
    } catch (Middleware.RefusedException e) {
      tell(e.refused());
      failed(MiddlewareCount.CONNECT_FAILED);
    } catch (IOException _) {
      failed(isOpen() ? MiddlewareCount.CALL_BROKEN : MiddlewareCount.CONNECT_FAILED);
    }
  }

  private Middleware.Call dial() throws IOException, InterruptedException {
    hub.dialling().acquire();
    try {
      return hub.middleware().dial(peer);
    } finally {
      hub.dialling().release();
    }
  }

  /// Waits until somebody wants to send and the pause since the last failure is over.
  ///
  /// @return false when nobody wants to for a long time, or the transport ends
  private boolean awaitWanted() throws InterruptedException {
    lock.lock();
    try {
      long remaining = hub.config().idleMax().toNanos();
      while (!closing && !wanted && remaining > 0) {
        remaining = work.awaitNanos(remaining);
      }
      long pause = retryNanos - System.nanoTime();
      while (!closing && wanted && pause > 0) {
        pause = work.awaitNanos(pause);
      }
      boolean go = wanted && !closing;
      wanted = false;
      if (!go) {
        state = State.ENDED; // seen by the next claim: it starts another peer queue
      }
      return go;
    } finally {
      lock.unlock();
    }
  }

  private void opened() {
    hub.counters().addShared(MiddlewareCount.CONNECTED);
    lock.lock();
    try {
      state = State.OPEN;
      backoffNanos = 0;
      if (refused) {
        hub.inbox().news(this);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Waits for something to send and takes all of it as one batch.
  ///
  /// @return no bytes when nothing is to come for a long time, or any more; then the peer queue is not open either
  private byte[] take() throws InterruptedException {
    lock.lock();
    try {
      long idle = hub.config().idleMax().toNanos();
      while (end == 0 && !closing && !answering) {
        long remaining = idle - (System.nanoTime() - claimedNanos);
        if (remaining <= 0) {
          hub.counters().addShared(MiddlewareCount.CALL_IDLE);
          state = State.APART;
          return new byte[0];
        }
        work.awaitNanos(remaining);
      }
      if (end == 0 && !answering) {
        return new byte[0];
      }
      answering = false;
      byte[] batch = Arrays.copyOf(header, header.length + end);
      System.arraycopy(queue, 0, batch, header.length, end);
      end = 0;
      if (refused) {
        hub.inbox().news(this);
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void tell(Refused why) {
    lock.lock();
    try {
      refusal = why;
    } finally {
      lock.unlock();
    }
    hub.inbox().news(this);
  }

  private void failed(MiddlewareCount reason) {
    hub.counters().addShared(reason);
    lock.lock();
    try {
      backoffNanos =
          Math.clamp(2 * backoffNanos, hub.config().backoffMin().toNanos(), hub.config().backoffMax().toNanos());
      retryNanos = System.nanoTime() + backoffNanos;
    } finally {
      lock.unlock();
    }
    leave(State.APART);
  }

  private void leave(State next) {
    lock.lock();
    try {
      state = next;
      end = 0;
      queue = new byte[0];
      // Who waits for room here now waits for a connection.
      wanted |= refused;
    } finally {
      lock.unlock();
    }
  }

  private boolean isOpen() {
    lock.lock();
    try {
      return state == State.OPEN;
    } finally {
      lock.unlock();
    }
  }

  private boolean isRoomy() {
    return fits(hub.config().frameBytesMax());
  }

  private boolean fits(int length) {
    return end + FrameBatch.PREFIX_BYTES + length <= hub.config().queueBytes();
  }
}
