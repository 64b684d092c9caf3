package org.tutti.blocks;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;
import org.tutti.replica.SessionExpiredException;

/// A lock that one thread of one client holds at a time; those who want it get it in the order in which they came.
///
/// ```java
/// FencedLock lock = FencedLock.of(client, "ledger");
/// try (FencedLock.Hold hold = lock.lock()) {
///   storage.write(page, hold.token()); // the storage refuses a token that is lower than one that it has seen
/// }
/// ```
///
/// **Why a token.** A holder that stands still, or is cut off from the replicas, loses the lock when its session ends,
/// and cannot know it at once: nobody can tell it. So it is not the lock that protects what it writes to, but the
/// token, which is higher for each later holder (of any lock of the service), and which what is written to has to
/// compare. The time after which a silent holder loses the lock is the life of a session, in agreed time
/// ([org.tutti.replica.Replica.Builder#session]).
///
/// Not reentrant: a thread that has it waits for itself. All methods may be called from any thread.
public final class FencedLock {
  private static final ByteBuffer NO_LABEL = ByteBuffer.allocate(0);

  private final Calls calls;
  private final ByteBuffer label;

  private FencedLock(Calls calls, ByteBuffer label) {
    this.calls = calls;
    this.label = label;
  }

  /// A lock, which need not have been used before.
  ///
  /// @param client connected to [Blocks]
  /// @param name   the lock's, up to 1024 bytes in UTF-8
  /// @return the lock
  public static FencedLock of(Client client, String name) {
    return new FencedLock(new Calls(client, Blocks.Kind.LOCK, name), NO_LABEL);
  }

  /// The lock behind an election.
  static FencedLock of(Calls calls, ByteBuffer label) {
    return new FencedLock(calls, label);
  }

  /// Waits for the lock.
  ///
  /// @return the lock is held until this is closed
  /// @throws InterruptedException when interrupted while waiting; it is not held, or given back
  /// @throws ServiceException     when the client is closed
  public Hold lock() throws InterruptedException {
    return tryLock(Calls.FOR_EVER).orElseThrow();
  }

  /// Takes the lock if nobody has it.
  ///
  /// @return empty when somebody has it
  /// @throws InterruptedException when interrupted while waiting for the reply; it is not held, or given back
  /// @throws ServiceException     when there is no reply in time; it is not held, or given back
  public Optional<Hold> tryLock() throws InterruptedException {
    long ticket = Calls.ticket();
    try {
      long token = enter(ticket, false, Duration.ZERO);
      return token == LockBlock.NONE ? Optional.empty() : Optional.of(new Hold(ticket, token));
    } catch (ServiceException | InterruptedException e) {
      leave(ticket);
      throw e;
    }
  }

  /// Waits for the lock, but not for ever.
  ///
  /// @param wait the longest wait
  /// @return empty when the time has passed
  /// @throws InterruptedException when interrupted while waiting; it is not held, or given back
  /// @throws ServiceException     when the client is closed
  public Optional<Hold> tryLock(Duration wait) throws InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    while (true) {
      long ticket = Calls.ticket();
      try {
        long token = enter(ticket, true, Calls.left(end));
        if (token == LockBlock.WAITS) {
          ByteBuffer question = calls.message(LockBlock.GRANTED, Long.BYTES).putLong(ticket);
          token = calls.query(question, Calls.left(end)).getLong();
        }
        if (token != LockBlock.NONE) {
          return Optional.of(new Hold(ticket, token));
        }
        // The session has ended, and with it the place in the queue.
      } catch (SessionExpiredException _) {
        // The same.
      } catch (CallTimeoutException _) {
        leave(ticket);
        return Optional.empty();
      } catch (ServiceException | InterruptedException e) {
        leave(ticket);
        throw e;
      }
    }
  }

  private long enter(long ticket, boolean waits, Duration wait) throws InterruptedException {
    ByteBuffer message = calls.message(LockBlock.ENTER, Long.BYTES + 1 + Message.length(label));
    Message.put(message.putLong(ticket).put((byte) (waits ? 1 : 0)), label);
    return (waits ? calls.call(message, wait) : calls.call(message)).getLong();
  }

  /// Gives a place in the queue up, or the lock. Sent behind the command that took it, so it cannot come first; and
  /// sent until the client is closed, which has the same effect.
  private CompletableFuture<ByteBuffer> leave(long ticket) {
    return calls.callForEver(calls.message(LockBlock.LEAVE, Long.BYTES).putLong(ticket));
  }

  /// As [#lock], on a thread of its own.
  ///
  /// @return completes with the hold; exceptionally as that method throws. Cancelling it gives up waiting,
  ///     and a lock that came meanwhile is given back
  public CompletableFuture<Hold> lockAsync() {
    return Calls.async(this::lock, Hold::close);
  }

  /// As [#tryLock(Duration)], on a thread of its own.
  ///
  /// @param wait the longest wait
  /// @return completes as that method returns or throws. Cancelling it does as with [#lockAsync]
  public CompletableFuture<Optional<Hold>> tryLockAsync(Duration wait) {
    return Calls.async(() -> tryLock(wait), hold -> hold.ifPresent(Hold::close));
  }

  /// The lock, held by whoever has this.
  public final class Hold implements AutoCloseable {
    private final long ticket;
    private final long token;

    private Hold(long ticket, long token) {
      this.ticket = ticket;
      this.token = token;
    }

    /// The fencing token.
    ///
    /// @return higher than that of any holder before, above 0
    public long token() {
      return token;
    }

    /// Asks a quorum whether this still holds the lock. The answer is true for the moment in which it was given.
    ///
    /// @return false when the session has ended, or this was closed
    /// @throws InterruptedException when interrupted while waiting
    /// @throws ServiceException     when there is no answer in time
    public boolean isHeld() throws InterruptedException {
      ByteBuffer question = calls.message(LockBlock.HOLDS, Long.BYTES).putLong(ticket);
      return calls.query(question, Read.LINEARIZABLE).getLong() == token;
    }

    /// Waits until this does not hold the lock any more: until the session has ended, and a replica can tell it, or
    /// this was closed.
    ///
    /// @return completes then, on any thread; exceptionally with a [ServiceException] when the client is closed
    public CompletableFuture<Void> lost() {
      return Calls.async(() -> {
        while (true) {
          try {
            calls.query(calls.message(LockBlock.LOST, Long.BYTES).putLong(ticket), Calls.FOR_EVER);
            return null;
          } catch (CallTimeoutException _) {
            // It is asked again.
          }
        }
      });
    }

    /// Gives the lock back; does not wait for the reply. Does nothing when it is not held any more.
    @Override
    public void close() {
      leave(ticket);
    }

    /// Gives the lock back, and waits until the next one can have it.
    ///
    /// @return whether this had held it until now
    /// @throws InterruptedException when interrupted while waiting; it is given back
    /// @throws ServiceException     when the client is closed before there is a reply
    public boolean release() throws InterruptedException {
      return Calls.await(leave(ticket)).getLong() == token;
    }
  }
}
