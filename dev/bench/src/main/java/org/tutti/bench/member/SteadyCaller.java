package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;

/// A client that calls one time after the other for as long as it lives, and knows when it was not answered for long.
final class SteadyCaller implements AutoCloseable {
  private static final int BYTES = 100;
  private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // what is shorter is no failure
  private static final int GAPS_MAX = 100_000; // bounds what is kept between two marks

  private final Client client;
  private final Thread thread = Thread.ofPlatform().daemon().name("steady").unstarted(this::run);
  private final ReentrantLock lock = new ReentrantLock(); // of all below
  private final Condition answered = lock.newCondition();
  private final List<Gap> gaps = new ArrayList<>(); // since the last mark
  private long begun; // when the last call that was answered was made
  private @Nullable Throwable failure;

  /// A time without an answer.
  private record Gap(long nanos, long end) {}

  /// @param client is its own from now on
  SteadyCaller(Client client) {
    this.client = client;
    thread.start();
  }

  private void run() {
    ByteBuffer request = ByteBuffer.wrap(new byte[BYTES]);
    try {
      long before = System.nanoTime();
      while (!Thread.currentThread().isInterrupted()) {
        client.call(request).get();
        long now = System.nanoTime();
        record(before, now);
        before = now;
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | RuntimeException why) {
      failed(why);
    }
  }

  private void record(long before, long now) {
    lock.lock();
    try {
      if (now - before > LONG_NANOS && gaps.size() < GAPS_MAX) {
        gaps.add(new Gap(now - before, now));
      }
      begun = before;
      answered.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void failed(Throwable why) {
    lock.lock();
    try {
      failure = why;
      answered.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Forgets the times without an answer.
  void mark() {
    lock.lock();
    try {
      gaps.clear();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until a call is answered that was made after a process was dead.
  ///
  /// @param killed when it was killed
  /// @param dead   when it was known to be dead
  /// @param until  when to give up
  /// @return from when it was killed to the end of the longest time without an answer since then, or 0 when none was
  ///     longer than a millisecond
  long silence(long killed, long dead, long until) throws InterruptedException, TimeoutException {
    lock.lock();
    try {
      while (begun < dead) {
        if (failure != null) {
          throw new IllegalStateException("a call failed", failure);
        }
        if (answered.awaitNanos(until - System.nanoTime()) <= 0) {
          throw new TimeoutException("no answer since the process was killed");
        }
      }
      long longest = 0;
      long end = killed;
      for (Gap gap : gaps) {
        if (gap.end > killed && gap.nanos > longest) {
          longest = gap.nanos;
          end = gap.end;
        }
      }
      return end - killed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
    client.close();
  }
}
