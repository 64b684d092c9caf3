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

  /// Arrives, and waits for the others, but not for ever.
  ///
  /// @param wait the longest wait
  /// @return whether all were there, as far as this client was told in time; if not, this one does not count any more
  /// @throws InterruptedException when interrupted while waiting; it does not count then, unless all were there
  /// @throws ServiceException     when the client is closed, or others wait for another number of parties
  public boolean await(Duration wait) throws InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    while (true) {
      long ticket = Calls.ticket();
      long generation = 0;
      try {
        ByteBuffer arrival = calls.message(BarrierBlock.ARRIVE, Long.BYTES + Integer.BYTES);
        generation = calls.call(arrival.putLong(ticket).putInt(parties), left(end)).getLong();
        if (hasPassed(ticket, generation, left(end))) {
          return true;
        }
        // The session has ended before all were there.
      } catch (SessionExpiredException _) {
        // The same.
      } catch (CallTimeoutException _) {
        return gaveUp(ticket, generation);
      } catch (ServiceException | InterruptedException e) {
        leave(ticket);
        throw e;
      }
    }
  }

  private static Duration left(long end) {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  private boolean hasPassed(long ticket, long generation, Duration wait) throws InterruptedException {
    ByteBuffer question = calls.message(BarrierBlock.PASSED, 2 * Long.BYTES).putLong(ticket).putLong(generation);
    return calls.query(question, wait).getLong() == 1;
  }

  /// Gives up, unless the last one has arrived meanwhile.
  private boolean gaveUp(long ticket, long generation) throws InterruptedException {
    CompletableFuture<ByteBuffer> left = leave(ticket);
    if (generation == 0) {
      return false; // it did not even arrive, as far as this client knows
    }
    try {
      return Calls.await(left).getLong() == 0 && hasPassed(ticket, generation, Calls.FOR_EVER);
    } catch (SessionExpiredException _) {
      return false;
    }
  }

  private CompletableFuture<ByteBuffer> leave(long ticket) {
    return calls.callForEver(calls.message(BarrierBlock.LEAVE, Long.BYTES).putLong(ticket));
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
