package org.tutti.ipc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;

/// Another transport, until it is told to fail: then it ends whoever polls it, as one does that has lost a thread of
/// its own.
final class FailingTransport implements Transport {
  private final Transport inner;
  private volatile boolean failed;

  FailingTransport(Transport inner) {
    this.inner = inner;
  }

  void fail() {
    failed = true;
    inner.wakeup();
  }

  @Override
  public void poll(long waitNanosMax) {
    inner.poll(failed ? 0 : waitNanosMax);
    if (failed) {
      throw new UncheckedIOException(new IOException("no network"));
    }
  }

  @Override
  public Address address() {
    return inner.address();
  }

  @Override
  public void start(Receiver receiver) {
    inner.start(receiver);
  }

  @Override
  public void wakeup() {
    inner.wakeup();
  }

  @Override
  public @Nullable ByteBuffer claim(Address to, int length) {
    return inner.claim(to, length);
  }

  @Override
  public void commit() {
    inner.commit();
  }

  @Override
  public Traits traits() {
    return inner.traits();
  }

  @Override
  public List<Metric> metrics() {
    return inner.metrics();
  }

  @Override
  public void close() {
    inner.close();
  }
}
