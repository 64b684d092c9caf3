package org.tutti.bench.member;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.BenchTarget.SendingThread;

/// Closed loops side by side: each caller has one call open, and makes the next one when that is answered.
public final class Callers {
  private static final long PATIENCE_SECONDS = 30;

  private final long forNanos;
  private final CountDownLatch running;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  // One for each thread that sees answers: one for each caller would not fit into a processor's cache.
  private final Queue<Histogram> all = new ConcurrentLinkedQueue<>();
  private final ThreadLocal<Histogram> times = ThreadLocal.withInitial(this::more);
  private long start;
  private long end;

  private Callers(int count, long forNanos) {
    this.forNanos = forNanos;
    this.running = new CountDownLatch(count);
  }

  /// One that calls.
  public interface Caller {
    /// Makes a call.
    ///
    /// @return completes with the answer
    /// @throws InterruptedException when interrupted
    CompletableFuture<?> call() throws InterruptedException;
  }

  /// What came of it.
  ///
  /// @param times of all calls, in nanoseconds
  /// @param start when the first one was made
  /// @param end   when the last one was answered
  public record Result(Histogram times, long start, long end) {}

  /// Runs for a time, at least one call of each caller, and until the last call is answered.
  ///
  /// @param callers       who call
  /// @param forNanos      how long they make calls
  /// @param sendingThread whether each is a thread that waits, or whoever completes a call makes the next one
  /// @return the times
  /// @throws InterruptedException when interrupted
  /// @throws ExecutionException   when a call fails
  /// @throws TimeoutException     when calls are not answered
  public static Result run(List<? extends Caller> callers, long forNanos, SendingThread sendingThread)
      throws InterruptedException, ExecutionException, TimeoutException {
    var together = new Callers(callers.size(), forNanos);
    List<Loop> loops = callers.stream().map(caller -> together.new Loop(caller)).toList();
    var threads = new ArrayList<Thread>();
    together.start = System.nanoTime();
    together.end = together.start + forNanos;
    for (Loop loop : loops) {
      if (sendingThread == SendingThread.THREAD) {
        threads.add(Thread.ofPlatform().daemon().name("caller").start(loop::waitEachTime));
      } else {
        loop.next();
      }
    }
    together.await(threads);
    Histogram sum = Times.empty();
    together.all.forEach(sum::add);
    return new Result(sum, together.start, loops.stream().mapToLong(loop -> loop.before).max().orElse(together.end));
  }

  private Histogram more() {
    Histogram empty = Times.empty();
    all.add(empty);
    return empty;
  }

  private void await(List<Thread> threads) throws InterruptedException, ExecutionException, TimeoutException {
    boolean over = running.await(TimeUnit.NANOSECONDS.toSeconds(forNanos) + PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (!over) {
      threads.forEach(Thread::interrupt);
      throw new TimeoutException(running.getCount() + " callers have no answer");
    }
    Throwable why = failure.get();
    if (why != null) {
      throw new ExecutionException("a call failed: " + why.getMessage(), why);
    }
  }

  /// Of one caller. One thread after the other, handed on by its calls.
  private final class Loop {
    private final Caller caller;
    private long before;

    Loop(Caller caller) {
      this.caller = caller;
    }

    void waitEachTime() {
      try {
        before = System.nanoTime();
        do {
          caller.call().get();
          recorded();
        } while (before < end && failure.get() == null);
      } catch (InterruptedException | ExecutionException | RuntimeException why) {
        failure.compareAndSet(null, why);
      } finally {
        running.countDown();
      }
    }

    void next() {
      before = System.nanoTime();
      call();
    }

    private void call() {
      try {
        caller.call().whenComplete((_, why) -> answered(why));
      } catch (InterruptedException | RuntimeException why) {
        ended(why);
      }
    }

    private void answered(@Nullable Throwable why) {
      if (why != null) {
        ended(why);
        return;
      }
      recorded();
      if (before < end && failure.get() == null) {
        call();
      } else {
        running.countDown();
      }
    }

    private void ended(Throwable why) {
      failure.compareAndSet(null, why);
      running.countDown();
    }

    private void recorded() {
      long now = System.nanoTime();
      Times.record(times.get(), now - before);
      before = now;
    }
  }
}
