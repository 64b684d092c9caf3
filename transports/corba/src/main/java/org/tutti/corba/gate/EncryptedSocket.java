package org.tutti.corba.gate;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLSocket;
import org.tutti.tls.Credentials;
import org.tutti.tls.Refusal;

/// A connection that is encrypted before the ORB sees it: to the ORB it is a plain one. GIOP is filtered where it is
/// plain; whose socket it is, its gate knows by the [GuardedSocket] below.
///
/// The end is that of the connection below, at once: what TLS says at its end would wait for a peer that takes nothing.
final class EncryptedSocket extends Socket {
  private final GuardedSocket below;
  private final SSLSocket tls;
  private final InputStream filtered;

  private EncryptedSocket(GuardedSocket below, SSLSocket tls, Gate gate, boolean accepted) throws IOException {
    this.below = below;
    this.tls = tls;
    this.filtered = new GiopFilter(tls.getInputStream(), gate, below, accepted);
  }

  /// For an accepted connection; the handshake is made by the thread that reads first.
  static EncryptedSocket accepted(GuardedSocket below, Gate gate, Credentials own) throws IOException {
    return new EncryptedSocket(below, layered(below, own, false), gate, true);
  }

  /// For a connection that was made just now; makes the handshake.
  static EncryptedSocket dialled(GuardedSocket below, Gate gate, Credentials own) throws IOException {
    SSLSocket tls = layered(below, own, true);
    Refusal.shake(tls, below::hasRead);
    below.greeted();
    return new EncryptedSocket(below, tls, gate, false);
  }

  private static SSLSocket layered(GuardedSocket below, Credentials own, boolean client) throws IOException {
    var peer = (InetSocketAddress) below.getRemoteSocketAddress();
    if (peer == null) {
      throw new SocketException("the peer has left");
    }
    var tls =
        (SSLSocket)
            own.context()
                .getSocketFactory()
                .createSocket(below, peer.getAddress().getHostAddress(), peer.getPort(), true);
    tls.setUseClientMode(client);
    tls.setSSLParameters(own.parameters());
    return tls;
  }

  @Override
  public InputStream getInputStream() {
    return filtered;
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return tls.getOutputStream();
  }

  @Override
  public InetAddress getInetAddress() {
    return below.getInetAddress();
  }

  @Override
  public int getPort() {
    return below.getPort();
  }

  @Override
  public InetAddress getLocalAddress() {
    return below.getLocalAddress();
  }

  @Override
  public int getLocalPort() {
    return below.getLocalPort();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    below.setSoTimeout(millis);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return below.getSoTimeout();
  }

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    below.setTcpNoDelay(on);
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    below.setKeepAlive(on);
  }

  @Override
  public boolean isConnected() {
    return below.isConnected();
  }

  @Override
  public boolean isClosed() {
    return below.isClosed();
  }

  @Override
  public void shutdownOutput() throws IOException {
    below.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    below.close();
  }

  @Override
  public String toString() {
    return below.toString();
  }
}
