package org.tutti.registry;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Admission;

/// The port of a [Registry]: as much of HTTP/1.1 (RFC 9112) as short requests and answers need, and a gate that
/// strangers who say nothing shut for nobody.
///
/// ```
///  accepted --> stranger --> request --> answer --> closed                 without TLS: 5 s for all of it
///  accepted --> stranger --> handshake --> known: requests and answers     with TLS: 10 s between them
/// ```
///
/// Without TLS anybody can say what an honest client says, so nobody becomes known: a connection carries one request,
/// and when there are too many the oldest one yields ([Admission]). With TLS the handshake is what takes time, and
/// shows who it is; so a connection stays.
final class HttpPort implements AutoCloseable {
  /// What somebody said.
  interface Asked {
    /// The request, if it is one.
    HttpRequest request() throws GroupRecords.Refused;
  }

  static final int CONNECTIONS_MAX = 512;

  private static final int BACKLOG = 128;
  private static final Duration STRANGER_MAX = Duration.ofSeconds(5);
  private static final Duration IDLE_MAX = Duration.ofSeconds(10);
  private static final Duration DRAIN_MAX = Duration.ofMillis(500);
  private static final Duration STOP_MAX = Duration.ofSeconds(1);
  private static final int DRAINED_MAX = 1 << 16;
  private static final long PAUSE_NANOS = 100_000_000; // when the process has no more descriptors
  private static final String PROTOCOL = "TLSv1.3";

  private final ServerSocket listener;
  private final @Nullable SSLContext tls;
  private final Function<Asked, HttpAnswer> answers;
  private final Admission<Socket> admission = new Admission<>(CONNECTIONS_MAX, STRANGER_MAX);
  private final Thread acceptor = Thread.ofPlatform().name("tutti-registry").unstarted(this::accept);
  private volatile boolean closed;

  /// Listens; [#start] begins to answer.
  ///
  /// @param listen  where
  /// @param tls     shows the own certificate and checks that of whoever asks; null for no TLS
  /// @param answers makes the answer to each request; called by many threads
  HttpPort(InetSocketAddress listen, @Nullable SSLContext tls, Function<Asked, HttpAnswer> answers) throws IOException {
    this.tls = tls;
    this.answers = answers;
    this.listener = new ServerSocket();
    try {
      listener.bind(listen, BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  void start() {
    acceptor.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  Admission<?> admission() {
    return admission;
  }

  private void accept() {
    while (!closed) {
      try {
        Socket one = listener.accept();
        if (admission.admit(one)) {
          Thread.ofVirtual().name("tutti-registry-client").start(() -> serve(one));
        } else {
          one.close();
        }
      } catch (IOException _) {
        if (!closed) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
  }

  private void serve(Socket one) {
    try (one) {
      one.setTcpNoDelay(true);
      if (tls == null) {
        // Its time is over when that of a stranger is.
        converse(one, new BufferedInputStream(one.getInputStream()));
      } else {
        try (SSLSocket sealed = encrypt(one, tls)) {
          sealed.startHandshake();
          admission.greeted(one);
          var timed = new Timed(sealed);
          var in = new BufferedInputStream(timed);
          while (converse(sealed, in)) {
            timed.restart();
          }
        }
      }
    } catch (IOException _) {
      // The other side is gone, or its time is over; what did not come to an end was no request.
    } finally {
      admission.left(one);
    }
  }

  private static SSLSocket encrypt(Socket one, SSLContext tls) throws IOException {
    var peer = (InetSocketAddress) one.getRemoteSocketAddress();
    if (peer == null) {
      throw new EOFException("gone");
    }
    var sealed =
        (SSLSocket) tls.getSocketFactory().createSocket(one, peer.getAddress().getHostAddress(), peer.getPort(), true);
    sealed.setUseClientMode(false);
    SSLParameters both = tls.getDefaultSSLParameters();
    both.setProtocols(new String[] {PROTOCOL});
    both.setNeedClientAuth(true);
    sealed.setSSLParameters(both);
    return sealed;
  }

  /// Answers one request.
  ///
  /// @return whether another one may follow
  private boolean converse(Socket with, InputStream in) throws IOException {
    OutputStream out = with.getOutputStream();
    boolean more = false;
    boolean body = true;
    HttpAnswer answer;
    try {
      HttpRequest request = HttpRequest.read(in, out);
      if (request == null) {
        return false;
      }
      answer = answers.apply(() -> request);
      more = tls != null && !request.isLast();
      body = !request.method().equals("HEAD");
    } catch (GroupRecords.Refused wrong) {
      answer =
          answers.apply(() -> {
            throw wrong;
          });
    }
    out.write(answer.encode(!more, body));
    out.flush();
    if (!more) {
      with.shutdownOutput();
      drain(with, in);
    }
    return more;
  }

  /// A socket that is closed with unread bytes loses the answer.
  private static void drain(Socket with, InputStream in) throws IOException {
    try {
      with.setSoTimeout((int) DRAIN_MAX.toMillis());
      long _ = in.skip(DRAINED_MAX);
    } catch (SocketTimeoutException _) {
      // It has had its answer.
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException _) {
      // The descriptor is released in any case.
    }
    admission.close();
    try {
      // The kernel keeps the port until nobody waits at it.
      boolean _ = acceptor.getState() == Thread.State.NEW || acceptor.join(STOP_MAX);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Bounds the time of a request, and that before it.
  private static final class Timed extends FilterInputStream {
    private final SSLSocket socket;
    private long untilNanos;

    Timed(SSLSocket socket) throws IOException {
      super(socket.getInputStream());
      this.socket = socket;
      restart();
    }

    void restart() {
      untilNanos = System.nanoTime() + IDLE_MAX.toNanos();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      long left = untilNanos - System.nanoTime();
      if (left <= 0) {
        throw new SocketTimeoutException("its time is over");
      }
      socket.setSoTimeout((int) Math.max(1, left / 1_000_000));
      return in.read(into, offset, length);
    }
  }
}
