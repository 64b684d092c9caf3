package org.tutti.ipc;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.tutti.fixture.ForwardingTransport;
import org.tutti.transport.Transport;

/// Another transport, until it is told to fail: then it ends whoever polls it, as one does that has lost a thread of
/// its own.
final class FailingTransport extends ForwardingTransport {
  private volatile boolean failed;

  FailingTransport(Transport inner) {
    super(inner);
  }

  void fail() {
    failed = true;
    wakeup();
  }

  @Override
  public void poll(long waitNanosMax) {
    super.poll(failed ? 0 : waitNanosMax);
    if (failed) {
      throw new UncheckedIOException(new IOException("no network"));
    }
  }
}
