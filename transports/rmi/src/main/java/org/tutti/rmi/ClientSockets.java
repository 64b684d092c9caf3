package org.tutti.rmi;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.OutputStream;
import java.io.Serializable;
import java.net.Socket;
import java.net.SocketException;
import java.rmi.server.RMIClientSocketFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Refusal;
import org.tutti.transport.Endpoint;

/// Makes the connections of one peer queue of [RmiMiddleware], or of one [RmiRegistryDiscovery]. What comes back on
/// them passes an [AnswerFilter].
///
/// A reference that comes from a registry holds the factory with which its object was exported, and the host that the
/// exporting process believes to be on. Neither is trusted or even used: the factory's serialized form is empty, and
/// the thread that reads it gets [#CURRENT], its own factory, which connects to the peer that it was made for, whatever
/// RMI asks for.
///
/// Factories are equal only if they are the same, so that no connection of an earlier call is used again.
final class ClientSockets implements RMIClientSocketFactory, Serializable {
  private static final long serialVersionUID = 1;

  /// The factory of the thread that looks up a reference.
  static final ScopedValue<ClientSockets> CURRENT = ScopedValue.newInstance();

  private final transient @Nullable RmiConfig config;
  private final transient @Nullable Endpoint target;
  private final transient @Nullable Answers expected;
  private final transient List<Socket> sockets = new ArrayList<>(); // guarded by itself
  private transient boolean closed;
  private final transient AtomicReference<@Nullable IOException> broken = new AtomicReference<>();

  /// For a node's own object: only ever written into references.
  ClientSockets() {
    config = null;
    target = null;
    expected = null;
  }

  /// For calls to a peer or a registry.
  ClientSockets(RmiConfig config, Endpoint target, Answers expected) {
    this.config = config;
    this.target = target;
    this.expected = expected;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    RmiConfig settings = Objects.requireNonNull(config, "not for calls");
    Endpoint peer = Objects.requireNonNull(target, "not for calls");
    Answers answers = Objects.requireNonNull(expected, "not for calls");
    Bounded socket = new Bounded(settings);
    keep(socket);
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(Integer.MAX_VALUE);
      socket.connect(peer.socket(), millis(settings.connectTimeout()));
      if (settings.tls() == null) {
        return new AskingSocket(socket, answers, settings.callTimeout(), this::broke);
      }
      var encrypted =
          (SSLSocket) settings.tls().context().getSocketFactory().createSocket(socket, peer.host(), peer.port(), true);
      encrypted.setSSLParameters(settings.tls().parameters());
      Refusal.shake(encrypted, () -> socket.hasRead);
      return new AskingSocket(encrypted, answers, settings.callTimeout(), this::broke);
    } catch (IOException e) {
      broke(e);
      socket.close();
      throw e;
    }
  }

  private void broke(IOException why) {
    broken.compareAndSet(null, why);
  }

  /// Why the first connection that broke did so; what RMI makes of it says less.
  @Nullable IOException broken() {
    return broken.get();
  }

  /// Ends all connections, and makes no more.
  void close() {
    synchronized (sockets) {
      closed = true;
      sockets.forEach(ListeningSocket::close);
      sockets.clear();
    }
  }

  private void keep(Socket socket) throws IOException {
    synchronized (sockets) {
      if (closed) {
        throw new SocketException("hung up");
      }
      sockets.removeIf(Socket::isClosed);
      sockets.add(socket);
    }
  }

  private Object readResolve() throws InvalidObjectException {
    if (!CURRENT.isBound()) {
      throw new InvalidObjectException("references to nodes are not passed on");
    }
    return CURRENT.get();
  }

  /// A socket on which no read waits for longer than allowed: RMI gives the peer's first words a minute, and its
  /// answers all the time there is.
  private static final class Bounded extends Socket {
    private final int firstMillis;
    private final int answerMillis;
    private volatile boolean hasRead;

    Bounded(RmiConfig config) {
      firstMillis = millis(config.connectTimeout());
      answerMillis = millis(config.callTimeout());
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
      // RMI asks for longer than an answer may take while it waits for the first words, and then for what it found.
      super.setSoTimeout(millis == 0 ? answerMillis : millis > answerMillis ? firstMillis : millis);
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read() throws IOException {
          int value = super.read();
          hasRead |= value >= 0;
          return value;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
          int count = super.read(into, offset, length);
          hasRead |= count > 0;
          return count;
        }
      };
    }

    @Override
    public int getSoTimeout() {
      return answerMillis;
    }
  }

  private static int millis(Duration time) {
    return Math.toIntExact(time.toMillis());
  }

  /// A connection on which calls are made, encrypted or not, with an [AnswerFilter] in what is read. What RMI does with
  /// a socket that a factory has connected is all that it can do.
  static final class AskingSocket extends Socket {
    private final Socket carrier;
    private final InputStream answers;

    /// @param broken is told why reading failed
    AskingSocket(Socket carrier, Answers expected, Duration answerMax, Consumer<IOException> broken)
        throws IOException {
      this.carrier = carrier;
      this.answers = new AnswerFilter(carrier.getInputStream(), expected, answerMax, broken);
    }

    @Override
    public InputStream getInputStream() {
      return answers;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      return carrier.getOutputStream();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
      carrier.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
      return carrier.getSoTimeout();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
      carrier.setTcpNoDelay(on);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
      carrier.setKeepAlive(on);
    }

    @Override
    public boolean isClosed() {
      return carrier.isClosed();
    }

    @Override
    public void close() throws IOException {
      carrier.close();
    }

    @Override
    public String toString() {
      return carrier.toString();
    }
  }
}
