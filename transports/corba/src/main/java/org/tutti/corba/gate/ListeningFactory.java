package org.tutti.corba.gate;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jacorb.orb.ORB;
import org.jacorb.orb.factory.ServerSocketFactory;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Credentials;

/// Makes the socket on which an ORB listens; JacORB makes one object of this class.
public final class ListeningFactory implements ServerSocketFactory {
  private static final int BACKLOG = 50;
  private static final long LEAVE_SECONDS_MAX = 10; // of a thread that has nothing to do but to see the end

  private final Gate gate;

  /// Called by JacORB.
  ///
  /// @param orb whose sockets are made
  public ListeningFactory(ORB orb) {
    gate = Gate.of(orb);
  }

  @Override
  public ServerSocket createServerSocket(int port) throws IOException {
    return listen(port, BACKLOG, null);
  }

  @Override
  public ServerSocket createServerSocket(int port, int backlog) throws IOException {
    return listen(port, backlog, null);
  }

  @Override
  public ServerSocket createServerSocket(int port, int backlog, InetAddress host) throws IOException {
    return listen(port, backlog, host);
  }

  private ServerSocket listen(int port, int backlog, @Nullable InetAddress host) throws IOException {
    ServerSocket serverSocket = new LeavableServerSocket();
    try {
      serverSocket.setReuseAddress(true);
      serverSocket.bind(new InetSocketAddress(host, port), backlog > 0 ? backlog : BACKLOG);
    } catch (IOException e) {
      serverSocket.close();
      gate.failed(e);
      throw e;
    }
    gate.listening(serverSocket);
    return serverSocket;
  }

  private final class LeavableServerSocket extends ServerSocket {
    private final Semaphore inside = new Semaphore(1); // the ORB's one thread that accepts

    LeavableServerSocket() throws IOException {}

    /// The system keeps the port until the ORB's thread has left it.
    @Override
    public void close() throws IOException {
      super.close();
      try {
        if (inside.tryAcquire(LEAVE_SECONDS_MAX, TimeUnit.SECONDS)) {
          inside.release();
        }
      } catch (InterruptedException hurry) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public Socket accept() throws IOException {
      inside.acquireUninterruptibly();
      try {
        return acceptMember();
      } finally {
        inside.release();
      }
    }

    private Socket acceptMember() throws IOException {
      while (true) {
        GuardedSocket socket = new GuardedSocket(gate, true);
        implAccept(socket);
        socket.begin();
        if (gate.accepted(socket)) {
          Credentials tls = gate.credentials();
          return tls == null ? socket : EncryptedSocket.accepted(socket, gate, tls);
        }
        Gate.shut(socket);
      }
    }
  }
}
