package org.tutti.corba;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.tutti.corba.gate.Gate;
import org.tutti.corba.idl.Peer;
import org.tutti.middleware.Call;

/// A reference to a peer's object. A one-way request is done when its bytes are with the kernel; when the connection is
/// gone, the ORB makes another one, or says that it cannot.
final class IiopCall implements Call {
  private final Peer peer;
  private final Gate gate;
  private final InetSocketAddress target;
  private final AtomicBoolean closed = new AtomicBoolean();

  /// @param gate lets the ORB connect to the target until this is closed
  IiopCall(Peer peer, Gate gate, InetSocketAddress target) {
    this.peer = peer;
    this.gate = gate;
    this.target = target;
  }

  @Override
  public void send(byte[] batch) throws IOException {
    try {
      peer.frames(batch);
    } catch (RuntimeException e) {
      // A SystemException, or a mistake of the ORB.
      throw new IOException("the peer cannot be reached", e);
    }
  }

  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      gate.callsNoMore(target);
    }
    peer._release();
  }
}
