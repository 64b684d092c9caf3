package org.tutti.blocks;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// The calls of one block's clients.
///
/// @param client by which they go
/// @param kind   the kind of block
/// @param name   its name
record Calls(Client client, Blocks.Kind kind, String name) {
  /// For what must be done some time: it is sent until the client is closed, and then its session ends.
  static final Duration FOR_EVER = Duration.ofDays(365);

  ByteBuffer message(int action, int more) {
    return Message.begin(kind, name, action, more);
  }

  /// Waits for an outcome. Who is interrupted gives the call up.
  ///
  /// @throws ServiceException     why there is no reply
  /// @throws InterruptedException when interrupted
  static <T> T await(CompletableFuture<T> outcome) throws InterruptedException {
    try {
      return outcome.get();
    } catch (InterruptedException e) {
      outcome.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ServiceException why) {
        throw why;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /// Waits for an outcome, but not for ever. Who is interrupted gives the call up.
  ///
  /// @return whether there is one
  static boolean isDone(CompletableFuture<?> outcome, Duration wait) throws InterruptedException {
    try {
      outcome.get(wait.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException _) {
      return true;
    } catch (InterruptedException e) {
      outcome.cancel(true);
      throw e;
    }
  }

  ByteBuffer call(ByteBuffer message) throws InterruptedException {
    return await(client.call(message.flip()));
  }

  ByteBuffer call(ByteBuffer message, Duration wait) throws InterruptedException {
    return await(client.call(message.flip(), wait));
  }

  /// Makes a call that nobody has to wait for, and that must not be forgotten: behind all that this thread has called
  /// before, unless the thread is interrupted.
  CompletableFuture<ByteBuffer> callForEver(ByteBuffer message) {
    message.flip();
    try {
      return client.call(message, FOR_EVER);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return async(() -> await(client.call(message, FOR_EVER)));
    }
  }

  ByteBuffer query(ByteBuffer message, Read read) throws InterruptedException {
    return await(client.query(message.flip(), read));
  }

  /// Asks what may have no answer yet. What this client was told before is seen, which is enough to wait.
  ByteBuffer query(ByteBuffer message, Duration wait) throws InterruptedException {
    return await(client.query(message.flip(), Read.SEQUENTIAL, wait));
  }

  /// What is left of a wait.
  ///
  /// @param end when it ends, by [System#nanoTime]
  /// @return not negative
  static Duration left(long end) {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  static long ticket() {
    return ThreadLocalRandom.current().nextLong();
  }

  /// Does on a thread of its own what waits. Cancelling the future interrupts it.
  static <T> CompletableFuture<T> async(Callable<T> action) {
    return async(action, _ -> {});
  }

  /// Does on a thread of its own what waits. Cancelling the future interrupts it, which may come too late.
  ///
  /// @param giveBack gets, on that thread, a result that came when the future was cancelled
  static <T> CompletableFuture<T> async(Callable<T> action, Consumer<T> giveBack) {
    var outcome = new CompletableFuture<T>();
    Thread thread =
        Thread.ofVirtual()
            .name("blocks-async")
            .start(() -> {
              try {
                T result = action.call();
                if (!outcome.complete(result)) {
                  giveBack.accept(result);
                }
              } catch (Throwable why) {
                outcome.completeExceptionally(why);
              }
            });
    outcome.whenComplete((_, _) -> {
      if (outcome.isCancelled()) {
        thread.interrupt();
      }
    });
    return outcome;
  }
}
