package org.tutti.transport.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;

/// A hub that connects nodes of one process through memory, for tests and embedded use.
///
/// {@snippet class="ApiExamplesTest" region="memory"}
///
/// Each node's transport has its own engine thread, or several are polled in turn by one thread. Frames arrive whole
/// and in order; what waits for a node is bounded, and lost when that node closes. Any thread may call any method.
public final class InProcess {
  private static final int FRAME_BYTES_MAX = 1 << 16;
  private static final int INBOX_BYTES_MAX = 1 << 20;
  private static final Duration RETRANSMIT_AFTER = Duration.ofSeconds(1);

  private final Traits traits;
  private final int inboxBytesMax;

  // One lock for the whole hub: a frame changes hands within some ten instructions, and receivers run outside of it.
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Address, Port> ports = new LinkedHashMap<>();

  /// Makes a hub for frames of up to 64 KiB, with up to 1 MiB waiting for each node.
  public InProcess() {
    this(FRAME_BYTES_MAX, INBOX_BYTES_MAX);
  }

  /// Makes a hub with given bounds.
  ///
  /// @param frameBytesMax the largest frame, at least [Traits#FRAME_BYTES_MIN] bytes
  /// @param inboxBytesMax what may wait for one node, at least one largest frame; claims beyond it are refused
  public InProcess(int frameBytesMax, int inboxBytesMax) {
    if (inboxBytesMax < frameBytesMax) {
      throw new IllegalArgumentException("inboxBytesMax is at least frameBytesMax");
    }
    this.traits = new Traits(frameBytesMax, RETRANSMIT_AFTER, false);
    this.inboxBytesMax = inboxBytesMax;
  }

  /// Opens a node's transport.
  ///
  /// @param address any text that no open transport of this hub has
  /// @return the transport
  /// @throws IllegalStateException when the address is taken
  public Transport open(Address address) {
    lock.lock();
    try {
      if (ports.containsKey(address)) {
        throw new IllegalStateException("cannot open " + address + ": address already in use");
      }
      Port port = new Port(address);
      ports.put(address, port);
      signalThoseWaitingFor(address);
      return port;
    } finally {
      lock.unlock();
    }
  }

  private boolean isRoomy(Address address) {
    Port port = ports.get(address);
    return port != null && port.inboxBytes + traits.frameBytesMax() <= inboxBytesMax;
  }

  private void signalThoseWaitingFor(Address address) {
    for (Port port : ports.values()) {
      if (port.refused.contains(address)) {
        port.changed.signal();
      }
    }
  }

  private final class Port implements Transport {
    private final Address address;
    private final Condition changed = lock.newCondition();
    private @Nullable Receiver receiver;

    // Guarded by the lock.
    private ArrayDeque<ByteBuffer> inbox = new ArrayDeque<>();
    private int inboxBytes;
    private final Set<Address> refused = new LinkedHashSet<>();
    private boolean woken;
    private boolean closed;

    // Engine thread only.
    private ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
    private @Nullable ByteBuffer claimed;
    private @Nullable Address claimedFor;

    Port(Address address) {
      this.address = address;
    }

    @Override
    public Address address() {
      return address;
    }

    @Override
    public Traits traits() {
      return traits;
    }

    @Override
    public void start(Receiver to) {
      Invariant.check(receiver == null, "a transport is started once");
      receiver = to;
    }

    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      Invariant.check(length > 0 && length <= traits.frameBytesMax(), "a frame has 1 to frameBytesMax bytes");
      claimed = null;
      lock.lock();
      try {
        Port peer = ports.get(to);
        if (closed || peer == null || peer.inboxBytes + length > inboxBytesMax) {
          refused.add(to);
          return null;
        }
      } finally {
        lock.unlock();
      }
      ByteBuffer frame = ByteBuffer.allocate(length);
      claimed = frame;
      claimedFor = to;
      return frame;
    }

    @Override
    public void commit() {
      ByteBuffer frame = claimed;
      claimed = null;
      if (frame == null) {
        return;
      }
      lock.lock();
      try {
        // Another sender may have taken the room since the claim: the bound is exceeded by one frame per sender at
        // most.
        Port peer = ports.get(claimedFor);
        if (peer != null && !closed) {
          peer.inbox.addLast(frame);
          peer.inboxBytes += frame.capacity();
          peer.changed.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void poll(long waitNanosMax) {
      Receiver to = Objects.requireNonNull(receiver, "the transport is not started");
      List<Address> ready = new ArrayList<>();
      lock.lock();
      try {
        await(waitNanosMax);
        woken = false;
        refused.removeIf(peer -> isRoomy(peer) && ready.add(peer));
        ArrayDeque<ByteBuffer> empty = arrived;
        arrived = inbox;
        inbox = empty;
        inboxBytes = 0;
        signalThoseWaitingFor(address);
      } finally {
        lock.unlock();
      }
      ready.forEach(to::onReady);
      for (ByteBuffer frame = arrived.pollFirst(); frame != null; frame = arrived.pollFirst()) {
        to.onFrame(frame.clear().order(ByteOrder.BIG_ENDIAN));
      }
    }

    @Override
    public void wakeup() {
      lock.lock();
      try {
        woken = true;
        changed.signal();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (!closed) {
          closed = true;
          ports.remove(address);
          inbox.clear();
          refused.clear();
          changed.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    private void await(long waitNanosMax) {
      long remaining = waitNanosMax;
      try {
        while (remaining > 0 && !hasNews()) {
          remaining = changed.awaitNanos(remaining);
        }
      } catch (InterruptedException _) {
        // As a selector does: an interrupt ends the wait and stays set.
        Thread.currentThread().interrupt();
      }
    }

    private boolean hasNews() {
      return woken || closed || !inbox.isEmpty() || refused.stream().anyMatch(InProcess.this::isRoomy);
    }
  }
}
