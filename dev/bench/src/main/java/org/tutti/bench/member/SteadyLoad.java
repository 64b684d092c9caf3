package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;

/// Clients that each make a call every 20 ms, or as soon as the one before is answered.
final class SteadyLoad implements AutoCloseable {
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final List<Client> clients;
  private final ByteBuffer request;
  private final Thread thread = Thread.ofPlatform().daemon().name("load").unstarted(this::run);
  private volatile @Nullable Throwable failure;

  /// @param clients not closed here
  /// @param bytes   of each request
  SteadyLoad(List<Client> clients, int bytes) {
    this.clients = List.copyOf(clients);
    this.request = ByteBuffer.wrap(new byte[bytes]);
    thread.start();
  }

  private void run() {
    try {
      List<CompletableFuture<?>> calls =
          new ArrayList<>(Collections.nCopies(clients.size(), CompletableFuture.completedFuture(null)));
      for (long next = System.nanoTime(); !Thread.currentThread().isInterrupted(); next += EVERY_NANOS) {
        for (int i = 0; i < clients.size(); i++) {
          if (calls.get(i).isDone()) {
            calls.get(i).join();
            calls.set(i, clients.get(i).call(request));
          }
        }
        LockSupport.parkNanos(next + EVERY_NANOS - System.nanoTime());
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException why) {
      failure = why;
    }
  }

  /// Whether all calls were answered.
  ///
  /// @throws IllegalStateException when one failed
  void check() {
    Throwable why = failure;
    if (why != null) {
      throw new IllegalStateException("a call failed", why);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
