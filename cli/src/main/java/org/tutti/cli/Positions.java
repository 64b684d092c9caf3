package org.tutti.cli;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.tutti.Names;
import org.tutti.Service;
import org.tutti.Status;
import org.tutti.UndecidedException;

/// Prints the positions of multicasts in the order of sending, while another thread reads and sends what follows. Waits
/// for none of them longer than it may.
final class Positions {
  private static final int AHEAD_MAX = 1 << 16;
  private static final CompletableFuture<Long> END = new CompletableFuture<>();

  private final Output out;
  private final String none; // what stands for no position
  private final Duration patience;
  private final Supplier<Status> status;
  private final BlockingQueue<CompletableFuture<Long>> expected = new ArrayBlockingQueue<>(AHEAD_MAX);

  /// @param patience how long to wait for one
  /// @param status   says what is waited for, when that is over
  Positions(Output out, Service service, Duration patience, Supplier<Status> status) {
    this.out = out;
    this.none = service == Service.TOTAL ? "delivered while cut off" : ServiceConverter.show(service);
    this.patience = patience;
    this.status = status;
  }

  /// Another message was sent.
  void expect(CompletableFuture<Long> position) throws InterruptedException {
    expected.put(position);
  }

  /// Nothing follows.
  void finish() throws InterruptedException {
    expected.put(END);
  }

  /// Nothing follows, as sending has failed.
  void fail(RuntimeException failure) {
    try {
      expected.put(CompletableFuture.failedFuture(new Unsent(failure)));
    } catch (InterruptedException nobodyCares) {
      Thread.currentThread().interrupt();
    }
  }

  /// What was not even sent.
  private static final class Unsent extends RuntimeException {
    private static final long serialVersionUID = 1;

    final RuntimeException why;

    Unsent(RuntimeException why) {
      super(why);
      this.why = why;
    }
  }

  /// Prints all of them.
  void print() throws InterruptedException {
    long line = 0;
    for (CompletableFuture<Long> next = take(); next != END; next = take()) {
      line++;
      if (!next.isDone()) {
        out.flush();
      }
      long position = fate(line, next);
      out.line(position < 0 ? none : Long.toString(position));
    }
    out.flush();
  }

  private long fate(long line, CompletableFuture<Long> next) throws InterruptedException {
    long startNanos = System.nanoTime();
    try {
      return fate(next, startNanos);
    } catch (ExecutionException e) {
      out.flush();
      if (e.getCause() instanceof Unsent unsent) {
        throw unsent.why;
      }
      throw new Failure("line " + line + " and later ones may be lost: " + e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      out.flush();
      String waited = " (waited " + TimeConverter.show(patience) + "); ";
      throw new Failure("line " + line + " and later ones may be lost: no place yet" + waited + status.get(), e);
    }
  }

  /// Waits for a primary view if there is none.
  private long fate(CompletableFuture<Long> next, long startNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return next.get(left(startNanos), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UndecidedException undecided) {
        System.err.println(Names.printable(String.valueOf(undecided.getMessage())));
        return undecided.later().get(left(startNanos), TimeUnit.NANOSECONDS);
      }
      throw e;
    }
  }

  private long left(long startNanos) {
    return Math.max(0, patience.toNanos() - (System.nanoTime() - startNanos));
  }

  private CompletableFuture<Long> take() throws InterruptedException {
    CompletableFuture<Long> next = expected.poll();
    if (next == null) {
      out.flush();
      next = expected.take();
    }
    return next;
  }
}
