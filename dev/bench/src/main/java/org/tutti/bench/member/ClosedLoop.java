package org.tutti.bench.member;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.Outcome;

/// One member multicasts, waits until it has delivered the message itself, and multicasts the next one.
public final class ClosedLoop {
  private final Group sender;
  private final byte[] payload;
  private final long end;
  private final Histogram times = Times.empty();
  private final CompletableFuture<Histogram> finished = new CompletableFuture<>();
  private long before;

  private ClosedLoop(Group sender, int bytes, long forNanos) {
    this.sender = sender;
    this.payload = new byte[bytes];
    this.before = System.nanoTime();
    this.end = before + forNanos;
  }

  /// Runs for a time, from the calling thread, which waits each time.
  ///
  /// @param sender   who multicasts
  /// @param bytes    the length of each message
  /// @param forNanos how long
  /// @return the times from `multicast` to the future's completion as seen by the waiting thread, in nanoseconds
  /// @throws InterruptedException when interrupted
  public static Histogram run(Group sender, int bytes, long forNanos) throws InterruptedException {
    var loop = new ClosedLoop(sender, bytes, forNanos);
    while (loop.before < loop.end) {
      once(sender, loop.payload);
      loop.recorded();
    }
    return loop.times;
  }

  /// Runs for a time, from the engine thread: each delivery of an own message multicasts the next one.
  ///
  /// @param sender   who multicasts
  /// @param bytes    the length of each message
  /// @param forNanos how long
  /// @return the times from `multicast` to the future's completion as seen by the engine thread, in nanoseconds
  /// @throws InterruptedException when interrupted
  /// @throws ExecutionException   when a multicast fails
  public static Histogram runOnEngine(Group sender, int bytes, long forNanos)
      throws InterruptedException, ExecutionException {
    var loop = new ClosedLoop(sender, bytes, forNanos);
    loop.next();
    return loop.finished.get();
  }

  private void next() {
    sender.tryMulticast(payload).whenComplete(this::back);
  }

  private void whenThereIsRoom() {
    try {
      sender.multicast(payload).whenComplete(this::back);
    } catch (InterruptedException impossible) {
      finished.completeExceptionally(impossible);
    }
  }

  private void back(@Nullable Outcome outcome, @Nullable Throwable failure) {
    if (failure != null) {
      finished.completeExceptionally(failure);
      return;
    }
    if (outcome instanceof Outcome.Refused) {
      // The senior of two delivers without the other one, whom it may leave behind by a whole window.
      Thread.startVirtualThread(this::whenThereIsRoom);
      return;
    }
    recorded();
    if (before < end) {
      next();
    } else {
      finished.complete(times);
    }
  }

  private void recorded() {
    long now = System.nanoTime();
    Times.record(times, now - before);
    before = now;
  }

  /// One multicast.
  ///
  /// @param sender  who multicasts
  /// @param payload what
  /// @throws InterruptedException when interrupted
  public static void once(Group sender, byte[] payload) throws InterruptedException {
    try {
      sender.multicast(payload).get();
    } catch (ExecutionException failure) {
      throw new IllegalStateException("a multicast failed", failure);
    }
  }
}
