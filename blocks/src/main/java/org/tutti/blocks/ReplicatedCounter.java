package org.tutti.blocks;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// A number that all clients share. Each change is made once, whatever crashes; all are in one order, and reads are
/// linearizable.
///
/// ```java
/// ReplicatedCounter orders = ReplicatedCounter.of(client, "orders");
/// long number = orders.incrementAndGet(); // no two callers get the same
/// ```
///
/// It begins at 0. All methods may be called from any thread; they wait for the reply, and throw a [ServiceException]
/// that says what is known when there is none in time ([Client.Builder#deadline]).
public final class ReplicatedCounter {
  private final Calls calls;

  private ReplicatedCounter(Calls calls) {
    this.calls = calls;
  }

  /// A counter, which need not have been used before.
  ///
  /// @param client connected to [Blocks]
  /// @param name   the counter's, up to 1024 bytes in UTF-8
  /// @return the counter
  public static ReplicatedCounter of(Client client, String name) {
    return new ReplicatedCounter(new Calls(client, Blocks.Kind.COUNTER, name));
  }

  /// What it is.
  ///
  /// @return all that anybody was told before is in it
  /// @throws InterruptedException when interrupted while waiting
  public long get() throws InterruptedException {
    return get(Read.LINEARIZABLE);
  }

  /// What it is, or was.
  ///
  /// @param read how new it has to be
  /// @return the number
  /// @throws InterruptedException when interrupted while waiting
  public long get(Read read) throws InterruptedException {
    return calls.query(calls.message(CounterBlock.GET, 0), read).getLong();
  }

  /// Adds to it.
  ///
  /// @param delta what, perhaps below 0; it wraps around as a `long` does
  /// @return what it is then
  /// @throws InterruptedException when interrupted while waiting; it may be added, once
  public long addAndGet(long delta) throws InterruptedException {
    return Calls.await(addAndGetAsync(delta));
  }

  /// Adds 1.
  ///
  /// @return what it is then
  /// @throws InterruptedException when interrupted while waiting; it may be added, once
  public long incrementAndGet() throws InterruptedException {
    return addAndGet(1);
  }

  /// As [#addAndGet], without waiting for the reply.
  ///
  /// @param delta what to add
  /// @return completes with what it is then, on the client's thread; exceptionally with a [ServiceException]
  /// @throws InterruptedException when interrupted while waiting for room ([Client#call(ByteBuffer)])
  public CompletableFuture<Long> addAndGetAsync(long delta) throws InterruptedException {
    ByteBuffer message = calls.message(CounterBlock.ADD, Long.BYTES).putLong(delta).flip();
    return calls.client().call(message).thenApply(ByteBuffer::getLong);
  }

  /// Sets it.
  ///
  /// @param value to what
  /// @return what it was
  /// @throws InterruptedException when interrupted while waiting; it may be set, once
  public long getAndSet(long value) throws InterruptedException {
    return calls.call(calls.message(CounterBlock.SET, Long.BYTES).putLong(value)).getLong();
  }

  /// Sets it if it is what it is expected to be.
  ///
  /// @param expected what it has to be
  /// @param value    to what
  /// @return whether it was set
  /// @throws InterruptedException when interrupted while waiting; it may be set, once
  public boolean compareAndSet(long expected, long value) throws InterruptedException {
    ByteBuffer message = calls.message(CounterBlock.COMPARE_AND_SET, 2 * Long.BYTES).putLong(expected).putLong(value);
    return calls.call(message).getLong() == expected;
  }
}
