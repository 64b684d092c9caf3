package org.tutti.bench.member;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/// [OpenLoop] without a group: one thread writes what has become due to all receivers, in blocking writes, and a thread
/// per receiver reads how many messages have come there. A time ends when a majority has the message, the sender
/// itself among it: that is what uniform delivery cannot do without.
final class RawOpenLoop {
  private static final long SECOND = 1_000_000_000L;
  private static final int BUFFER_BYTES = 1 << 16;

  private final List<SocketChannel> receivers;
  private final long messages;
  private final double periodNanos;
  private final byte[] payload;
  private final ByteBuffer buffer;
  private final long start = System.nanoTime();

  private RawOpenLoop(List<SocketChannel> receivers, int bytes, int perSecond, long forNanos) {
    this.receivers = receivers;
    this.messages = Math.max(1, (long) (forNanos * (double) perSecond / SECOND));
    this.periodNanos = (double) SECOND / perSecond;
    this.payload = new byte[bytes];
    this.buffer = ByteBuffer.allocateDirect(Math.max(BUFFER_BYTES, RawTarget.PREFIX_BYTES + bytes));
  }

  /// Runs for a time.
  ///
  /// @param receivers connections to all others, in blocking mode, of the kind that is acknowledged; used once
  /// @param bytes     the length of each message
  /// @param perSecond how many become due
  /// @param forNanos  how long
  /// @return the times from when a message was due until a majority had it, in nanoseconds
  static Histogram run(List<SocketChannel> receivers, int bytes, int perSecond, long forNanos)
      throws IOException, InterruptedException {
    var loop = new RawOpenLoop(receivers, bytes, perSecond, forNanos);
    List<FutureTask<long[]>> readers = new ArrayList<>();
    for (SocketChannel receiver : receivers) {
      var reader = new FutureTask<>(() -> loop.read(receiver));
      readers.add(reader);
      Thread.ofPlatform().name("acknowledged").daemon().start(reader);
    }
    loop.write();
    List<long[]> arrivals = new ArrayList<>();
    for (FutureTask<long[]> reader : readers) {
      try {
        arrivals.add(reader.get());
      } catch (ExecutionException e) {
        throw new IOException("a receiver is gone", e.getCause());
      }
    }
    return loop.times(arrivals);
  }

  private long due(long message) {
    return start + (long) (message * periodNanos);
  }

  private void write() throws IOException {
    OpenLoop.askForLeastTimerSlack();
    for (long i = 0; i < messages; i++) {
      for (long wait = due(i) - System.nanoTime(); wait > 0; wait = due(i) - System.nanoTime()) {
        drain();
        LockSupport.parkNanos(wait);
      }
      if (buffer.remaining() < RawTarget.PREFIX_BYTES + payload.length) {
        drain();
      }
      buffer.putInt(payload.length).put(payload);
    }
    drain();
  }

  private void drain() throws IOException {
    if (buffer.position() == 0) {
      return;
    }
    int length = buffer.position();
    for (SocketChannel receiver : receivers) {
      buffer.position(0).limit(length);
      while (buffer.hasRemaining()) {
        receiver.write(buffer);
      }
    }
    buffer.clear();
  }

  /// When each message had come to one receiver, as far as the sender knows.
  private long[] read(SocketChannel receiver) throws IOException {
    long[] at = new long[Math.toIntExact(messages)];
    ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);
    for (int known = 0; known < messages; ) {
      answer.clear();
      while (answer.hasRemaining()) {
        if (receiver.read(answer) < 0) {
          throw new IOException("the other end is gone");
        }
      }
      long now = System.nanoTime();
      for (long total = answer.getLong(0); known < total; known++) {
        at[known] = now;
      }
    }
    return at;
  }

  private Histogram times(List<long[]> arrivals) {
    Histogram times = Times.empty();
    int others = (receivers.size() + 1) / 2; // with the sender a majority
    long[] at = new long[receivers.size()];
    for (int i = 0; i < messages; i++) {
      for (int each = 0; each < at.length; each++) {
        at[each] = arrivals.get(each)[i];
      }
      Arrays.sort(at);
      Times.record(times, at[others - 1] - due(i));
    }
    return times;
  }
}
