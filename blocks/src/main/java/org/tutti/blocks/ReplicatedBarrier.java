package org.tutti.blocks;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Client;
import org.tutti.replica.ServiceException;
import org.tutti.replica.SessionExpiredException;

/// A point where a number of parties wait for each other: when as many as that have arrived, all go on, and the barrier
/// can be used again. Parties may be threads, programs, or both.
///
/// ```java
/// ReplicatedBarrier phase = ReplicatedBarrier.of(client, "phase", 3);
/// load();
/// phase.await(); // until all three have loaded
/// ```
///
/// Who gives up, or whose session ends before all are there, does not count any more. All methods may be called from
/// any thread.
public final class ReplicatedBarrier {
  private static final Duration OUTCOME = Duration.ofSeconds(5); // the longest wait for what came first

  private final Calls calls;
  private final int parties;

  private ReplicatedBarrier(Calls calls, int parties) {
    this.calls = calls;
    this.parties = parties;
  }

  /// A barrier, which need not have been used before.
  ///
  /// @param client  connected to [Blocks]
  /// @param name    the barrier's, up to 1024 bytes in UTF-8
  /// @param parties how many have to arrive, 1 or more; all who wait at the same time have to say the same
  /// @return the barrier
  public static ReplicatedBarrier of(Client client, String name, int parties) {
    if (parties < 1) {
      throw new IllegalArgumentException("parties are 1 or more, not " + parties);
    }
    return new ReplicatedBarrier(new Calls(client, Blocks.Kind.BARRIER, name), parties);
  }

  /// Arrives, and waits for the others.
  ///
  /// @throws InterruptedException when interrupted while waiting; it does not count then, unless all were there
  /// @throws ServiceException     when the client is closed, or others wait for another number of parties
  public void await() throws InterruptedException {
    await(Calls.FOR_EVER);
  }

  /// Arrives, and waits for the others, but not for ever. When the wait is over, it takes itself back, and asks for up
  /// to 5 s more which came first, that or the last arrival: nobody goes on without knowing it, and nobody is counted
  /// who was told that it is not.
  ///
  /// @param wait the longest wait for the others; zero to pass only as the last one
  /// @return whether all were there; if not, this one does not count any more
  /// @throws InterruptedException when interrupted while waiting; it does not count then, unless all were there
  /// @throws ServiceException     when the client is closed, or others wait for another number of parties; a
  ///     [CallTimeoutException] when no replica can be asked after the wait: this one counts if all were there before
  ///     it could take itself back
  public boolean await(Duration wait) throws InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    boolean passed = false;
    do {
      long ticket = Calls.ticket();
      try {
        passed = arrive(ticket, end);
      } catch (SessionExpiredException _) {
        // It ended before this one arrived.
      } catch (ServiceException | InterruptedException e) {
        leave(ticket);
        throw e;
      }
      // Who has not passed in time lost its session, and with it its place: it arrives anew.
    } while (!passed && System.nanoTime() < end);
    return passed;
  }

  /// Arrives once.
  ///
  /// @return whether all were there; if not, this one does not wait any more
  private boolean arrive(long ticket, long end) throws InterruptedException {
    ByteBuffer message = calls.message(BarrierBlock.ARRIVE, Long.BYTES + Integer.BYTES).putLong(ticket).putInt(parties);
    CompletableFuture<ByteBuffer> arrival = calls.client().call(message.flip(), Calls.left(end).plus(OUTCOME));
    if (Calls.isDone(arrival, Calls.left(end))) {
      try {
        return hasPassed(ticket, arrival, Calls.left(end));
      } catch (CallTimeoutException _) {
        // Not in time.
      }
    }
    leave(ticket);
    return hasPassed(ticket, arrival, OUTCOME);
  }

  private boolean hasPassed(long ticket, CompletableFuture<ByteBuffer> arrival, Duration wait)
      throws InterruptedException {
    long generation = Calls.await(arrival).duplicate().getLong();
    ByteBuffer question = calls.message(BarrierBlock.PASSED, 2 * Long.BYTES).putLong(ticket).putLong(generation);
    return calls.query(question, wait).getLong() == 1;
  }

  private void leave(long ticket) {
    calls.callForEver(calls.message(BarrierBlock.LEAVE, Long.BYTES).putLong(ticket));
  }

  /// As [#await()], on a thread of its own.
  ///
  /// @return completes when all were there; exceptionally as that method throws. Cancelling it gives up
  public CompletableFuture<Void> awaitAsync() {
    return Calls.async(() -> {
      await();
      return null;
    });
  }
}
