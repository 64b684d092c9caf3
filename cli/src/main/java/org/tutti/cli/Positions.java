package org.tutti.cli;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.tutti.Names;
import org.tutti.Service;
import org.tutti.UndecidedException;

/// Prints the positions of multicasts in the order of sending, on a thread of its own, so that reading goes on
/// meanwhile.
final class Positions {
  private static final int AHEAD_MAX = 1 << 16;
  private static final CompletableFuture<Long> END = new CompletableFuture<>();

  private final Output out;
  private final String none; // what stands for no position
  private final BlockingQueue<CompletableFuture<Long>> expected = new ArrayBlockingQueue<>(AHEAD_MAX);
  private final Thread printer;
  private volatile @Nullable Failure failure;

  Positions(Output out, Service service) {
    this.out = out;
    this.none = service == Service.TOTAL ? "delivered while cut off" : ServiceConverter.show(service);
    this.printer = Thread.ofPlatform().daemon().name("positions").start(this::print);
  }

  void expect(CompletableFuture<Long> position) throws InterruptedException {
    refuseAfterFailure();
    expected.put(position);
  }

  void finish() throws InterruptedException {
    expected.put(END);
    printer.join();
    refuseAfterFailure();
  }

  private void refuseAfterFailure() {
    Failure broken = failure;
    if (broken != null) {
      throw broken;
    }
  }

  private void print() {
    long line = 0;
    try {
      for (CompletableFuture<Long> next = take(); next != END; next = take()) {
        line++;
        if (!next.isDone()) {
          out.flush();
        }
        long position = fate(next);
        out.line(position < 0 ? none : Long.toString(position));
      }
      out.flush();
    } catch (ExecutionException e) {
      give(new Failure("line " + line + " and later ones may be lost: " + e.getCause().getMessage(), e));
    } catch (Failure e) {
      give(e);
    } catch (InterruptedException e) {
      give(new Failure("interrupted", e));
    }
  }

  /// Waits for a primary view if there is none.
  private long fate(CompletableFuture<Long> next) throws InterruptedException, ExecutionException {
    try {
      return next.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UndecidedException undecided) {
        System.err.println(Names.printable(String.valueOf(undecided.getMessage())));
        return undecided.later().get();
      }
      throw e;
    }
  }

  private CompletableFuture<Long> take() throws InterruptedException {
    CompletableFuture<Long> next = expected.poll();
    if (next == null) {
      out.flush();
      next = expected.take();
    }
    return next;
  }

  private void give(Failure broken) {
    failure = broken;
    // Whoever waits for room must see the failure.
    expected.clear();
  }
}
