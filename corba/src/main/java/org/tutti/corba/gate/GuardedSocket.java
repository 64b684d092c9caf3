package org.tutti.corba.gate;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/// A socket that its gate knows as long as it is open, and from which only GIOP is read.
final class GuardedSocket extends Socket {
  private final Gate gate;
  private final boolean accepted;
  private @Nullable InputStream filtered;

  GuardedSocket(Gate gate, boolean accepted) {
    this.gate = gate;
    this.accepted = accepted;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    InputStream raw = super.getInputStream();
    synchronized (this) {
      if (filtered == null) {
        filtered = new GiopFilter(raw, gate, this, accepted);
      }
      return filtered;
    }
  }

  @Override
  public void close() throws IOException {
    gate.left(this);
    super.close();
  }
}
