package org.tutti.bench;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.tutti.bench.member.Times;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Transport;

/// One frame to and fro between two transports, each with a thread that polls it, as engine threads do: what a
/// middleware takes without any protocol.
final class Ping implements AutoCloseable {
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200); // transports may lose frames
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Transport near;
  private final Transport far;
  private final Thread echo;
  private final Pongs pongs = new Pongs();
  private volatile boolean closing;

  /// @param near where the pings start; owned from now on
  /// @param far  sends them back; owned from now on
  Ping(Transport near, Transport far) {
    this.near = near;
    this.far = far;
    this.echo = Thread.ofPlatform().name("echo").unstarted(this::echo);
    near.start(pongs);
    echo.start();
  }

  /// Counts what comes back.
  private static final class Pongs implements Receiver {
    private int last = -1;

    @Override
    public void onFrame(ByteBuffer frame) {
      last = frame.getInt(frame.position());
    }

    @Override
    public void onReady(Address peer) {
      // Whoever waits for it tries again anyway.
    }
  }

  /// Sends everything back to where the pings start.
  private final class Echo implements Receiver {
    @Override
    public void onFrame(ByteBuffer frame) {
      ByteBuffer room = far.claim(near.address(), frame.remaining());
      if (room != null) {
        room.put(frame);
        far.commit();
      }
    }

    @Override
    public void onReady(Address peer) {
      // The next ping does.
    }
  }

  private void echo() {
    far.start(new Echo());
    while (!closing) {
      far.poll(PATIENCE_NANOS);
    }
    far.close();
  }

  /// Runs for a time.
  ///
  /// @param bytes    the length of each frame, at least 4
  /// @param forNanos how long
  /// @return the times of one frame to and fro, in nanoseconds
  Histogram run(int bytes, long forNanos) {
    Histogram times = Times.empty();
    long end = System.nanoTime() + forNanos;
    int number = 0;
    for (long before = System.nanoTime(); before < end; before = System.nanoTime()) {
      if (once(bytes, ++number)) {
        Times.record(times, System.nanoTime() - before);
      }
    }
    return times;
  }

  /// @return whether the first attempt came back
  private boolean once(int bytes, int number) {
    long start = System.nanoTime();
    boolean sent = send(bytes, number);
    boolean first = sent;
    long again = start + AGAIN_NANOS;
    while (pongs.last != number) {
      long now = System.nanoTime();
      if (now - start > PATIENCE_NANOS) {
        throw new IllegalStateException("no frame comes back from " + far.address());
      }
      if (!sent || now - again > 0) {
        first = false;
        sent = send(bytes, number);
        again = now + AGAIN_NANOS;
      }
      near.poll(sent ? AGAIN_NANOS : TimeUnit.MILLISECONDS.toNanos(1));
    }
    return first;
  }

  private boolean send(int bytes, int number) {
    ByteBuffer room = near.claim(far.address(), bytes);
    if (room == null) {
      return false;
    }
    room.putInt(room.position(), number);
    near.commit();
    return true;
  }

  @Override
  public void close() {
    closing = true;
    far.wakeup();
    near.close();
    try {
      echo.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
