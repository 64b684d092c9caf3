package org.tutti.middleware;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.Metric;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;

/// Carries frames over any [Middleware], as opaque bytes.
///
/// A remote call costs tens of microseconds however little it carries, so frames are batched above the middleware: one
/// virtual thread per peer sends everything that was queued while the call before it was under way.
///
/// ```
/// engine thread: claim, commit -> a peer's queue -> its sender -> Call.send  ~~~>  Arrivals.take -> inbox -> poll
///                     (bounded: claims are refused)                    (bounded: the middleware's thread waits)
/// ```
///
/// Frames to a peer arrive whole and in order as long as calls succeed; when a call breaks, what was queued is lost. A
/// peer is dialled when a frame is first claimed for it; after a failure, each refused claim asks for one more attempt,
/// made when the pause since the last one is over. Input is not trusted: a batch that is not right is dropped as a
/// whole and counted with the reason, see [#metrics]. But who a peer says it is gets believed.
///
/// [#wakeup], [#close] and [#metrics] may be called by any thread, all else by the engine thread only.
public final class MiddlewareTransport implements Transport {
  private static final Duration RETRANSMIT_AFTER = Duration.ofSeconds(1);
  private static final Duration LAST_WAIT = Duration.ofMillis(500);
  private static final int DIALLING_MAX = 64;
  private static final long ANSWER_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Middleware middleware;
  private final MiddlewareConfig config;
  private final Traits traits;
  private final byte[] self;
  private final Counts<MiddlewareCount> counters = new Counts<>(MiddlewareCount.class);
  private final ArrivalQueue inbox;
  private final PeerQueue.Hub hub;

  // Guards the peer queues and the flag: another thread takes it only to close.
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Address, PeerQueue> peerQueues = new LinkedHashMap<>();
  private volatile boolean closing;

  // Engine thread only.
  private final ByteBuffer scratch;
  private final List<PeerQueue> dirty = new ArrayList<>();
  private final Set<PeerQueue> changed = new LinkedHashSet<>();
  private final Set<FrameBatch.Stranger> strangers = new LinkedHashSet<>();
  private ArrayDeque<FrameBatch> arrived = new ArrayDeque<>();
  private @Nullable Receiver receiver;
  private @Nullable PeerQueue claimed;
  private int claimedBytes;
  private long answeredNanos = System.nanoTime() - ANSWER_PAUSE_NANOS;

  /// Takes a middleware into use; it is closed with this transport.
  ///
  /// @param middleware what carries the batches, not started yet
  /// @param config     the bounds and times
  public MiddlewareTransport(Middleware middleware, MiddlewareConfig config) {
    this.middleware = middleware;
    this.config = config;
    this.traits = new Traits(config.frameBytesMax(), RETRANSMIT_AFTER, false);
    this.self = FrameBatch.utf8(middleware.address());
    this.inbox = new ArrivalQueue(config);
    this.hub = new PeerQueue.Hub(middleware, config, counters, inbox, new Semaphore(DIALLING_MAX));
    this.scratch = ByteBuffer.allocate(config.frameBytesMax());
  }

  @Override
  public Address address() {
    return middleware.address();
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public void start(Receiver to) {
    Invariant.check(receiver == null, "a transport is started once");
    receiver = to;
    middleware.start(new Input());
  }

  @Override
  public @Nullable ByteBuffer claim(Address to, int length) {
    Invariant.check(length > 0 && length <= traits.frameBytesMax(), "a frame has 1 to frameBytesMax bytes");
    claimed = null;
    PeerQueue peerQueue = peerQueue(to);
    boolean granted = peerQueue != null && peerQueue.claim(length);
    if (!granted && peerQueue != null && peerQueue.isEnded()) {
      // Its sender has just finished for want of work.
      peerQueue = peerQueue(to);
      granted = peerQueue != null && peerQueue.claim(length);
    }
    if (!granted) {
      counters.addShared(MiddlewareCount.CLAIMS_REFUSED);
      return null;
    }
    claimed = peerQueue;
    claimedBytes = length;
    return scratch.clear().limit(length).order(ByteOrder.BIG_ENDIAN);
  }

  @Override
  public void commit() {
    PeerQueue peerQueue = claimed;
    claimed = null;
    if (peerQueue == null) {
      return;
    }
    peerQueue.commit(scratch.array(), claimedBytes);
    if (!peerQueue.dirty) {
      peerQueue.dirty = true;
      dirty.add(peerQueue);
    }
  }

  @Override
  public void poll(long waitNanosMax) {
    Receiver to = Objects.requireNonNull(receiver, "the transport is not started");
    claimed = null;
    for (PeerQueue peerQueue : dirty) {
      peerQueue.dirty = false;
      peerQueue.flush();
    }
    dirty.clear();
    arrived = inbox.take(waitNanosMax, arrived, changed, strangers);
    for (PeerQueue peerQueue : changed) {
      Refused refusal = peerQueue.takeRefusal();
      if (!closing && refusal != null) {
        to.onRefused(refusal);
      }
      if (!closing && peerQueue.announce()) {
        to.onReady(peerQueue.peer);
      }
    }
    changed.clear();
    for (FrameBatch.Stranger stranger : strangers) {
      meet(stranger, to);
    }
    strangers.clear();
    for (FrameBatch batch = arrived.pollFirst(); batch != null; batch = arrived.pollFirst()) {
      deliver(batch, to);
    }
  }

  /// Tells both sides that they speak different versions: this node, if it has spoken to the peer, and the peer by a
  /// batch of ours, which it reads as this node has read its. Whoever sends forged batches gets four answers in a
  /// second at most out of this node, each no longer than a header, and drives no known peer out of its place.
  private void meet(FrameBatch.Stranger stranger, Receiver to) {
    PeerQueue known = known(stranger.from());
    if (!closing && known != null && known.hasSpoken()) {
      to.onRefused(stranger.refusal());
    }
    long now = System.nanoTime();
    if (stranger.bare() || now - answeredNanos < ANSWER_PAUSE_NANOS) {
      return;
    }
    PeerQueue answering = known == null && isCrowded() ? null : peerQueue(stranger.from());
    if (answering != null) {
      answeredNanos = now;
      answering.answer();
    }
  }

  private @Nullable PeerQueue known(Address peer) {
    lock.lock();
    try {
      return peerQueues.get(peer);
    } finally {
      lock.unlock();
    }
  }

  private boolean isCrowded() {
    lock.lock();
    try {
      return peerQueues.size() >= config.peersMax();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wakeup() {
    counters.addShared(MiddlewareCount.WAKEUPS);
    inbox.wakeup();
  }

  /// What was carried and what went wrong, by reason, since the start; and what the middleware itself has counted.
  ///
  /// @return a copy, taken by any thread
  @Override
  public List<Metric> metrics() {
    return Stream.concat(counters.metrics().stream(), middleware.metrics().stream()).toList();
  }

  @Override
  public void close() {
    List<PeerQueue> all;
    lock.lock();
    try {
      if (closing) {
        return;
      }
      closing = true;
      all = List.copyOf(peerQueues.values());
      peerQueues.clear();
    } finally {
      lock.unlock();
    }
    inbox.close();
    all.forEach(PeerQueue::end);
    // An interrupt means: at once, as in a crash.
    boolean interrupted = Thread.interrupted() || !await(all, config.closeWait());
    all.forEach(PeerQueue::abandon);
    interrupted |= !await(all, LAST_WAIT);
    middleware.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return false when the wait was interrupted
  private static boolean await(List<PeerQueue> all, Duration wait) {
    long end = System.nanoTime() + wait.toNanos();
    try {
      for (PeerQueue peerQueue : all) {
        peerQueue.join(Duration.ofNanos(end - System.nanoTime()));
      }
      return true;
    } catch (InterruptedException _) {
      return false;
    }
  }

  /// Called by threads of the middleware.
  private final class Input implements Middleware.Arrivals {
    @Override
    public boolean take(byte[] bytes) {
      counters.addShared(MiddlewareCount.BATCHES_RECEIVED);
      counters.addShared(MiddlewareCount.BYTES_RECEIVED, bytes.length);
      FrameBatch batch = FrameBatch.check(bytes, self, config.frameBytesMax(), counters);
      if (batch == null) {
        FrameBatch.Stranger stranger = FrameBatch.stranger(bytes, self);
        if (stranger != null) {
          inbox.strange(stranger);
        }
        return false;
      }
      boolean taken = inbox.put(batch);
      if (!taken && !closing) {
        counters.addShared(MiddlewareCount.DROP_INBOX_FULL);
      }
      return taken;
    }

    @Override
    public void fail(Throwable why) {
      inbox.fail(why);
    }
  }

  private void deliver(FrameBatch batch, Receiver to) {
    ByteBuffer bytes = ByteBuffer.wrap(batch.bytes());
    int at = batch.start();
    while (at < bytes.capacity() && !closing) {
      int begin = at + FrameBatch.PREFIX_BYTES;
      at = begin + bytes.order(ByteOrder.BIG_ENDIAN).getInt(at);
      counters.addShared(MiddlewareCount.FRAMES_RECEIVED);
      to.onFrame(bytes.clear().limit(at).position(begin));
      bytes.clear(); // the limit of this frame
    }
  }

  private @Nullable PeerQueue peerQueue(Address to) {
    lock.lock();
    try {
      PeerQueue peerQueue = peerQueues.get(to);
      if (closing || peerQueue != null && !peerQueue.isEnded()) {
        return closing ? null : peerQueue;
      }
      if (peerQueues.size() >= config.peersMax() && !makeRoom()) {
        return null;
      }
      PeerQueue fresh = new PeerQueue(to, hub);
      peerQueues.put(to, fresh);
      fresh.start();
      return fresh;
    } finally {
      lock.unlock();
    }
  }

  /// Forgets peers that nobody wanted any more, or else the oldest that cannot be reached.
  private boolean makeRoom() {
    if (peerQueues.values().removeIf(PeerQueue::isEnded)) {
      return true;
    }
    for (Iterator<PeerQueue> all = peerQueues.values().iterator(); all.hasNext(); ) {
      PeerQueue peerQueue = all.next();
      if (peerQueue.isApart()) {
        counters.addShared(MiddlewareCount.ADDRESS_FORGOTTEN);
        peerQueue.end();
        all.remove();
        return true;
      }
    }
    return false;
  }
}
