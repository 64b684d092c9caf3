package org.tutti.corba;

import java.io.IOException;
import org.tutti.corba.idl.Peer;
import org.tutti.middleware.Call;

/// A reference to a peer's object. A one-way request is done when its bytes are with the kernel; when the connection is
/// gone, the ORB makes another one, or says that it cannot.
final class IiopCall implements Call {
  private final Peer peer;

  IiopCall(Peer peer) {
    this.peer = peer;
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
    peer._release();
  }
}
