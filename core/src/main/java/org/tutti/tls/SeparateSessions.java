package org.tutti.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// Makes each engine and each socket from a context of its own, so that no session can be resumed, whatever the library
/// that uses it keeps: sessions, and the keys of tickets, belong to a context.
///
/// A resumed session would not ask the trust manager again: a peer whose certificate has expired, or whose authority is
/// believed no more, could come back with a ticket of earlier days. Leaving out the tickets alone would depend on
/// properties of the whole process, and a client would still use those that a server sends.
final class SeparateSessions extends SSLContextSpi {
  private static final String PROTOCOL = "TLSv1.3";

  private final KeyManager[] keys;
  private final TrustManager[] trust;
  private final SSLContext common; // for questions; nobody connects by it

  private SeparateSessions(KeyManager key, TrustManager trust) throws GeneralSecurityException {
    this.keys = new KeyManager[] {key};
    this.trust = new TrustManager[] {trust};
    this.common = another();
  }

  /// Makes a context.
  ///
  /// @param key   shows the own certificate
  /// @param trust is asked in every handshake
  /// @throws GeneralSecurityException when there is no TLS 1.3 here
  static SSLContext context(KeyManager key, TrustManager trust) throws GeneralSecurityException {
    var separate = new SeparateSessions(key, trust);
    return new SSLContext(separate, separate.common.getProvider(), PROTOCOL) {};
  }

  private SSLContext another() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance(PROTOCOL);
    context.init(keys, trust, null);
    return context;
  }

  private SSLContext fresh() {
    try {
      return another();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a second context of TLS cannot be made", e);
    }
  }

  @Override
  protected void engineInit(
      KeyManager @Nullable [] ignored, TrustManager @Nullable [] others, @Nullable SecureRandom random) {
    throw new IllegalStateException("credentials are what they are");
  }

  @Override
  protected SSLEngine engineCreateSSLEngine() {
    return fresh().createSSLEngine();
  }

  @Override
  protected SSLEngine engineCreateSSLEngine(String host, int port) {
    return fresh().createSSLEngine(host, port);
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    return new Sockets();
  }

  /// Its sockets would share a context; nothing here needs them.
  @Override
  protected SSLServerSocketFactory engineGetServerSocketFactory() {
    throw new UnsupportedOperationException("accept a socket, and make one of TLS above it by the socket factory");
  }

  @Override
  protected SSLSessionContext engineGetServerSessionContext() {
    return common.getServerSessionContext();
  }

  @Override
  protected SSLSessionContext engineGetClientSessionContext() {
    return common.getClientSessionContext();
  }

  @Override
  protected SSLParameters engineGetDefaultSSLParameters() {
    return common.getDefaultSSLParameters();
  }

  @Override
  protected SSLParameters engineGetSupportedSSLParameters() {
    return common.getSupportedSSLParameters();
  }

  private final class Sockets extends SSLSocketFactory {
    @Override
    public String[] getDefaultCipherSuites() {
      return common.getSocketFactory().getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return common.getSocketFactory().getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket() throws IOException {
      return fresh().getSocketFactory().createSocket();
    }

    @Override
    public Socket createSocket(Socket below, String host, int port, boolean autoClose) throws IOException {
      return fresh().getSocketFactory().createSocket(below, host, port, autoClose);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return fresh().getSocketFactory().createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
      return fresh().getSocketFactory().createSocket(host, port, local, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return fresh().getSocketFactory().createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
      return fresh().getSocketFactory().createSocket(host, port, local, localPort);
    }
  }
}
