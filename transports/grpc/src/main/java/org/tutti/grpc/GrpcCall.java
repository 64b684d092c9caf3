package org.tutti.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.Middleware;

/// A stream to one peer, on a connection of its own. One thread uses it; gRPC's threads only tell what happened.
final class GrpcCall extends ClientCall.Listener<byte[]> implements Middleware.Call {
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private final ManagedChannel channel;
  private final ClientCall<byte[], byte[]> call;
  private final Duration sendTimeout;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private boolean greeted;
  private @Nullable Status end;

  private GrpcCall(ManagedChannel channel, Duration sendTimeout) {
    this.channel = channel;
    this.sendTimeout = sendTimeout;
    this.call = channel.newCall(Stream.CARRY, CallOptions.DEFAULT);
  }

  /// Opens a stream and waits for the greeting.
  ///
  /// @param channel a new connection; closed with the call, and when there is none
  static GrpcCall open(ManagedChannel channel, GrpcConfig config) throws IOException {
    var opened = new GrpcCall(channel, config.sendTimeout());
    try {
      opened.call.start(opened, new Metadata());
      opened.call.request(1);
      opened.await(() -> opened.greeted, config.connectTimeout());
      return opened;
    } catch (IOException e) {
      opened.abandon();
      throw e;
    }
  }

  @Override
  public void send(byte[] batch) throws IOException {
    await(call::isReady, sendTimeout);
    call.sendMessage(batch);
  }

  /// What was sent may still be with us: waits a moment until the peer has all of it.
  @Override
  public void close() {
    call.halfClose();
    lock.lock();
    try {
      long remaining = FAREWELL.toNanos();
      while (end == null && remaining > 0) {
        remaining = changed.awaitNanos(remaining);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
      abandon();
    }
  }

  @Override
  public void onMessage(byte[] message) {
    change(() -> greeted = true);
    call.request(1);
  }

  @Override
  public void onReady() {
    change(() -> {});
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    change(() -> end = status);
  }

  private void change(Runnable what) {
    lock.lock();
    try {
      what.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void await(BooleanSupplier condition, Duration wait) throws IOException {
    lock.lock();
    try {
      long remaining = wait.toNanos();
      while (end == null && !condition.getAsBoolean()) {
        if (remaining <= 0) {
          throw new IOException("the peer accepts no data");
        }
        remaining = changed.awaitNanos(remaining);
      }
      if (end != null) {
        throw new IOException("the stream has ended: " + end, end.getCause());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      lock.unlock();
    }
  }

  private void abandon() {
    call.cancel("hung up", null);
    channel.shutdownNow();
    try {
      channel.awaitTermination(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
