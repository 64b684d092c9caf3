package org.tutti.bench;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.tutti.Group;
import org.tutti.bench.member.Times;

/// The closed system of the thesis: in each round one process broadcasts, and when all have delivered it is the
/// next one's turn. Whoever delivers last begins the next round, on its engine thread, so no thread stands in between.
final class RoundRobin {
  private static final long PATIENCE_SECONDS = 30;

  private final List<Group> groups;
  private final byte[] payload;
  private final long end;
  private final Histogram times = Times.empty();
  private final AtomicInteger missing = new AtomicInteger();
  private final CompletableFuture<Histogram> finished = new CompletableFuture<>();

  // Of whoever delivers last; handed on through the counter.
  private long begun;
  private int rounds;

  private RoundRobin(List<Group> groups, int bytes, long forNanos) {
    this.groups = groups;
    this.payload = new byte[bytes];
    this.end = System.nanoTime() + forNanos;
  }

  /// Runs for a time.
  ///
  /// @param localGroup all processes
  /// @param bytes    the length of each message
  /// @param forNanos how long
  /// @return the times from a broadcast until all have delivered it, in nanoseconds
  /// @throws InterruptedException when interrupted
  static Histogram run(LocalGroup localGroup, int bytes, long forNanos) throws InterruptedException {
    var robin = new RoundRobin(localGroup.members().stream().map(LocalGroup.Member::group).toList(), bytes, forNanos);
    localGroup.members().forEach(member -> member.whenDelivered(robin::delivered));
    try {
      robin.next();
      return robin.finished.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      throw new IllegalStateException("the closed system stands still after " + robin.rounds + " rounds", failure);
    } finally {
      localGroup.members().forEach(member -> member.whenDelivered(() -> {}));
    }
  }

  private void next() {
    missing.set(groups.size());
    begun = System.nanoTime();
    if (!groups.get(rounds % groups.size()).tryPost(ByteBuffer.wrap(payload))) {
      finished.completeExceptionally(new IllegalStateException("the window is full with one message"));
    }
  }

  private void delivered() {
    if (missing.decrementAndGet() > 0) {
      return;
    }
    long now = System.nanoTime();
    Times.record(times, now - begun);
    rounds++;
    if (now < end) {
      next();
    } else {
      finished.complete(times);
    }
  }
}
