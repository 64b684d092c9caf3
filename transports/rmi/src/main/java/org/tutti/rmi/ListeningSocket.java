package org.tutti.rmi;

import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.rmi.server.RMIServerSocketFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Admission;
import org.tutti.tls.Credentials;
import org.tutti.transport.Endpoint;

/// The listening socket of one node. It is bound before RMI asks for it, so that the port is known and RMI, which would
/// keep a port of the kernel's choice for ever, closes it; and it knows its connections, which RMI would leave open
/// when the node ends.
///
/// RMI remembers each factory, so it is equal to no other.
final class ListeningSocket extends ServerSocket implements RMIServerSocketFactory {
  private static final int BACKLOG = 128;
  private static final int MAGIC = 0x4a524d49; // "JRMI", the first bytes that a client of RMI sends

  private static final long LEAVE_MILLIS = 1000;

  final AtomicLong foreign = new AtomicLong();
  final Admission<Socket> clients;

  private final @Nullable Credentials tls;
  private final int idleMillis;
  private final CountDownLatch left = new CountDownLatch(1);

  ListeningSocket(Endpoint at, RmiConfig config) throws IOException {
    clients = new Admission<>(config.acceptedMax(), config.greetingMax());
    idleMillis = Math.toIntExact(config.idleMax().toMillis());
    tls = config.tls();
    try {
      bind(at.socket(), BACKLOG);
    } catch (IOException e) {
      super.close();
      throw e;
    }
  }

  @Override
  public ServerSocket createServerSocket(int port) {
    return this;
  }

  /// Waits for a connection that there is room for.
  @Override
  public Socket accept() throws IOException {
    try {
      return acceptWelcome();
    } finally {
      if (isClosed()) {
        left.countDown();
      }
    }
  }

  private Socket acceptWelcome() throws IOException {
    while (true) {
      Client client = new Client();
      implAccept(client);
      try {
        if (!isClosed() && clients.admit(client)) {
          client.setTcpNoDelay(true);
          return tls == null ? client : encrypt(client, tls);
        }
      } catch (IOException _) {
        // The client is gone already; the port stays open.
      }
      close(client);
    }
  }

  /// Ends listening and all connections. The port is free when RMI's thread has left [#accept]: until then the kernel
  /// keeps it.
  @Override
  public void close() throws IOException {
    super.close();
    clients.close();
    try {
      boolean _ = left.await(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Closes what may be closed already.
  static void close(Closeable resource) {
    try {
      resource.close();
    } catch (IOException _) {
      // The descriptor is released in any case.
    }
  }

  /// The handshake is made by the thread that reads first, not by the one that accepts.
  private Socket encrypt(Client client, Credentials tls) throws IOException {
    var peer = (InetSocketAddress) client.getRemoteSocketAddress();
    if (peer == null) {
      throw new SocketException("the client has closed the connection");
    }
    var encrypted =
        (SSLSocket)
            tls.context()
                .getSocketFactory()
                .createSocket(client, peer.getAddress().getHostAddress(), peer.getPort(), true);
    encrypted.setUseClientMode(false);
    encrypted.setSSLParameters(tls.parameters());
    encrypted.addHandshakeCompletedListener(_ -> clients.greeted(client));
    return encrypted;
  }

  /// A connection of somebody. RMI closes one that does not begin with its magic, but does not tell; and it would wait
  /// two hours for the next call.
  private final class Client extends Socket {
    @Override
    public void setSoTimeout(int millis) throws SocketException {
      super.setSoTimeout(millis == 0 ? idleMillis : Math.min(millis, idleMillis));
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      OutputStream bytes = super.getOutputStream();
      return tls == null ? new Replies(bytes, this) : bytes;
    }

    @Override
    public void close() throws IOException {
      clients.left(this);
      super.close();
    }

    @Override
    public InputStream getInputStream() throws IOException {
      InputStream bytes = super.getInputStream();
      return tls == null ? new FirstWords(bytes) : bytes;
    }
  }

  /// Without certificates a client is known when it gets a second answer: the first one is to its greeting, what
  /// follows is the answer to a call.
  private final class Replies extends FilterOutputStream {
    private final Client client;
    private int count;

    Replies(OutputStream bytes, Client client) {
      super(bytes);
      this.client = client;
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      out.write(from, offset, length);
      if (count < 2 && ++count == 2) {
        clients.greeted(client);
      }
    }
  }

  private final class FirstWords extends FilterInputStream {
    private int word;
    private int seen;

    FirstWords(InputStream bytes) {
      super(bytes);
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      if (value >= 0 && seen < Integer.BYTES) {
        look(value);
      }
      return value;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      for (int i = 0; i < count && seen < Integer.BYTES; i++) {
        look(into[offset + i]);
      }
      return count;
    }

    private void look(int value) {
      word = word << Byte.SIZE | value & 0xff;
      if (++seen == Integer.BYTES && word != MAGIC) {
        foreign.incrementAndGet();
      }
    }
  }
}
