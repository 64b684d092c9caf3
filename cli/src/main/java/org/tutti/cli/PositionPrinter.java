package org.tutti.cli;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.tutti.Outcome;
import org.tutti.Service;
import org.tutti.Status;

/// Prints the positions of multicasts in the order of sending, while another thread reads and sends what follows. Waits
/// for none of them longer than it may.
final class PositionPrinter {
  private static final int AHEAD_MAX = 1 << 16;
  private static final CompletableFuture<Outcome> END = new CompletableFuture<>();

  private final Output out;
  private final String none; // what stands for no position
  private final Duration patience;
  private final Supplier<Status> status;
  private final BlockingQueue<CompletableFuture<Outcome>> expected = new ArrayBlockingQueue<>(AHEAD_MAX);

  /// @param patience how long to wait for one
  /// @param status   says what is waited for, when that is over
  PositionPrinter(Output out, Service service, Duration patience, Supplier<Status> status) {
    this.out = out;
    this.none = service == Service.TOTAL ? "delivered while cut off" : ServiceConverter.show(service);
    this.patience = patience;
    this.status = status;
  }

  /// Another message was sent.
  void expect(CompletableFuture<Outcome> outcome) throws InterruptedException {
    expected.put(outcome);
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
    for (CompletableFuture<Outcome> next = take(); next != END; next = take()) {
      line++;
      if (!next.isDone()) {
        out.flush();
      }
      out.line(outcome(line, next));
    }
    out.flush();
  }

  private String outcome(long line, CompletableFuture<Outcome> next) throws InterruptedException {
    try {
      return switch (settled(line, next, System.nanoTime())) {
        case Outcome.Ordered(long position) -> Long.toString(position);
        case Outcome.Delivered() -> none;
        case Outcome.Refused(_, String words) -> throw new Failure(lost(line, words));
        case Outcome.Unknown(String words) -> throw new Failure(lost(line, words));
        case Outcome.Undecided _ -> throw new IllegalStateException("undecided again");
      };
    } catch (ExecutionException e) {
      out.flush();
      if (e.getCause() instanceof Unsent unsent) {
        throw unsent.why;
      }
      throw new Failure(lost(line, String.valueOf(e.getCause().getMessage())), e);
    } catch (TimeoutException e) {
      throw new Failure(lost(line, "no place yet (waited " + TimeConverter.show(patience) + "); " + status.get()), e);
    }
  }

  private String lost(long line, String why) {
    out.flush();
    return "line " + line + " and later ones may be lost: " + why;
  }

  /// Waits for a primary view if there is none.
  private Outcome settled(long line, CompletableFuture<Outcome> next, long startNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    Outcome first = next.get(left(startNanos), TimeUnit.NANOSECONDS);
    if (first instanceof Outcome.Undecided) {
      System.err.println("line " + line + " is undecided: not in a primary view any more; a later one decides");
    }
    return first.settled().get(left(startNanos), TimeUnit.NANOSECONDS);
  }

  private long left(long startNanos) {
    return Math.max(0, patience.toNanos() - (System.nanoTime() - startNanos));
  }

  private CompletableFuture<Outcome> take() throws InterruptedException {
    CompletableFuture<Outcome> next = expected.poll();
    if (next == null) {
      out.flush();
      next = expected.take();
    }
    return next;
  }
}
