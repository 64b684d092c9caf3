package org.tutti.bench;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.tutti.bench.member.Times;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Transport;

/// One frame to and fro between a transport and one or more others, each with a thread that polls it, as engine threads
/// do: what a middleware takes without any protocol.
final class Ping implements AutoCloseable {
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200); // transports may lose frames
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Transport near;
  private final List<Far> far = new ArrayList<>();
  private final Pongs pongs = new Pongs();
  private volatile boolean closing;

  /// @param near where the pings start; owned from now on
  /// @param far  send them back; owned from now on
  Ping(Transport near, Transport... far) {
    this.near = near;
    near.start(pongs);
    for (Transport one : far) {
      this.far.add(new Far(one));
    }
    this.far.forEach(one -> one.echo.start());
  }

  /// Counts what comes back.
  private static final class Pongs implements Receiver {
    private int last; // number that was sent
    private int count; // of the last one

    @Override
    public void onFrame(ByteBuffer frame) {
      if (frame.getInt(frame.position()) == last) {
        count++;
      }
    }

    @Override
    public void onReady(Address peer) {
      // Whoever waits for it tries again anyway.
    }
  }

  /// Sends everything back to where the pings start.
  private final class Far implements Receiver {
    private final Transport transport;
    private final Thread echo = Thread.ofPlatform().name("echo").unstarted(this::run);

    Far(Transport transport) {
      this.transport = transport;
    }

    private void run() {
      transport.start(this);
      while (!closing) {
        transport.poll(PATIENCE_NANOS);
      }
      transport.close();
    }

    @Override
    public void onFrame(ByteBuffer frame) {
      ByteBuffer room = transport.claim(near.address(), frame.remaining());
      if (room != null) {
        room.put(frame);
        transport.commit();
      }
    }

    @Override
    public void onReady(Address peer) {
      // The next ping does.
    }
  }

  /// Runs for a time, to and from the first one.
  ///
  /// @param bytes    the length of each frame, at least 4
  /// @param forNanos how long
  /// @return the times of one frame to and fro, in nanoseconds
  Histogram run(int bytes, long forNanos) {
    return run(1, bytes, forNanos);
  }

  /// Runs for a time.
  ///
  /// @param peers    to how many each frame is sent at once; they are over when all have come back
  /// @param bytes    the length of each frame, at least 4
  /// @param forNanos how long
  /// @return the times until all are back, in nanoseconds
  Histogram run(int peers, int bytes, long forNanos) {
    Histogram times = Times.empty();
    long end = System.nanoTime() + forNanos;
    for (long before = System.nanoTime(); before < end; before = System.nanoTime()) {
      if (once(peers, bytes)) {
        Times.record(times, System.nanoTime() - before);
      }
    }
    return times;
  }

  /// Runs for a time, by a thread that has this one send each frame and tell it when all have come back, as a thread
  /// does that waits for what it has asked a host or a node to do.
  ///
  /// @param peers    to how many each frame is sent at once
  /// @param bytes    the length of each frame, at least 4
  /// @param forNanos how long
  /// @return the times until the thread knows that all are back, in nanoseconds
  Histogram runWaiting(int peers, int bytes, long forNanos) throws InterruptedException {
    Histogram times = Times.empty();
    long end = System.nanoTime() + forNanos;
    var calls = new ConcurrentLinkedQueue<CompletableFuture<Boolean>>();
    Thread caller =
        Thread.ofPlatform()
            .daemon() // it waits for ever when no frame comes back, which ends this run
            .name("caller")
            .start(() -> {
              for (long before = System.nanoTime(); before < end; before = System.nanoTime()) {
                var call = new CompletableFuture<Boolean>();
                calls.add(call);
                near.wakeup();
                if (call.join()) {
                  Times.record(times, System.nanoTime() - before);
                }
              }
              near.wakeup();
            });
    while (caller.isAlive()) {
      CompletableFuture<Boolean> call = calls.poll();
      if (call == null) {
        near.poll(AGAIN_NANOS);
      } else {
        call.complete(once(peers, bytes));
      }
    }
    caller.join(); // what it has recorded is seen from here on
    return times;
  }

  /// @return whether the first attempt came back
  private boolean once(int peers, int bytes) {
    long start = System.nanoTime();
    boolean sent = send(peers, bytes);
    boolean first = sent;
    long again = start + AGAIN_NANOS;
    while (pongs.count < peers) {
      long now = System.nanoTime();
      if (now - start > PATIENCE_NANOS) {
        throw new IllegalStateException("no frame comes back to " + near.address());
      }
      if (!sent || now - again > 0) {
        first = false;
        sent = send(peers, bytes);
        again = now + AGAIN_NANOS;
      }
      near.poll(sent ? AGAIN_NANOS : TimeUnit.MILLISECONDS.toNanos(1));
    }
    return first;
  }

  private boolean send(int peers, int bytes) {
    pongs.last++; // what comes back of an attempt before is no answer to this one
    pongs.count = 0;
    for (Far one : far.subList(0, peers)) {
      ByteBuffer room = near.claim(one.transport.address(), bytes);
      if (room == null) {
        return false;
      }
      room.putInt(room.position(), pongs.last);
      near.commit();
    }
    return true;
  }

  @Override
  public void close() {
    closing = true;
    far.forEach(one -> one.transport.wakeup());
    near.close();
    try {
      for (Far one : far) {
        one.echo.join();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
