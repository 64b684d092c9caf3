package org.tutti.corba.gate;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.jacorb.orb.ORB;
import org.jacorb.orb.factory.SocketFactory;
import org.omg.CORBA.TIMEOUT;
import org.tutti.tls.Credentials;

/// Makes the sockets with which an ORB connects to peers; JacORB makes one object of this class.
public final class DiallingFactory implements SocketFactory {
  private final Gate gate;

  /// Called by JacORB.
  ///
  /// @param orb whose sockets are made
  public DiallingFactory(ORB orb) {
    gate = Gate.of(orb);
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return createSocket(host, port, 0);
  }

  @Override
  public Socket createSocket(String host, int port, int timeoutMillis) throws IOException {
    GuardedSocket socket = new GuardedSocket(gate, false);
    Credentials tls = gate.credentials();
    InetSocketAddress target = new InetSocketAddress(host, port);
    gate.dialling(socket, target);
    socket.dials(target);
    try {
      socket.connect(target, timeoutMillis);
      return tls == null ? socket : EncryptedSocket.dialled(socket, gate, tls);
    } catch (SocketTimeoutException e) {
      Gate.shut(socket);
      throw new TIMEOUT(e.toString());
    } catch (IOException e) {
      gate.broke(target, e);
      Gate.shut(socket);
      throw e;
    }
  }

  /// To the ORB nothing is encrypted: it would look for its own settings.
  @Override
  public boolean isSSL(Socket socket) {
    return false;
  }
}
