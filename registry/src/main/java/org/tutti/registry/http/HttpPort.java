package org.tutti.registry.http;

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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Admission;

/// The port of a registry, and that of a member's health: as much of HTTP/1.1 (RFC 9112) as short requests and answers
/// need, and a gate that strangers who say nothing shut for nobody.
///
/// ```
///  accepted --> stranger --> request --> answer --> closed                 without TLS: 5 s for all of it
///  accepted --> stranger --> handshake --> known: requests and answers     with TLS: 10 s between them
/// ```
///
/// Without TLS anybody can say what an honest client says, so nobody becomes known: a connection carries one request,
/// and when there are too many the oldest one yields ([Admission]). With TLS the handshake is what takes time, and
/// shows who it is; so a connection stays. Who shows no certificate there is refused, or, where [Clients#ANY] are
/// answered, stays a stranger as without TLS.
public final class HttpPort implements AutoCloseable {
  /// Whom a port that speaks TLS answers; without TLS it answers any.
  public enum Clients {
    /// Who shows a certificate that the port believes.
    KNOWN,

    /// Also who shows none: see [Asked#isKnown].
    ANY
  }

  /// What somebody said.
  public static final class Asked {
    private final @Nullable Request request;
    private final @Nullable Malformed wrong;
    private final boolean isKnown;

    private Asked(@Nullable Request request, @Nullable Malformed wrong, boolean isKnown) {
      this.request = request;
      this.wrong = wrong;
      this.isKnown = isKnown;
    }

    /// The request, if it is one.
    ///
    /// @return the request
    /// @throws Malformed when it is none that can be answered
    public Request request() throws Malformed {
      if (request == null) {
        throw Objects.requireNonNull(wrong);
      }
      return request;
    }

    /// What is asked to be done, in capitals.
    ///
    /// @return null when not even that came
    public @Nullable String method() {
      return request != null ? request.method() : Objects.requireNonNull(wrong).method;
    }

    /// Whether the client has shown a certificate that the port believes.
    ///
    /// @return never without TLS
    public boolean isKnown() {
      return isKnown;
    }
  }

  /// What was said is no request that can be answered.
  public static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    /// The status of the answer, as in HTTP: 400, 411 or 413.
    public final int status;

    /// What was asked to be done, if that came.
    public final @Nullable String method;

    Malformed(int status, String message) {
      this(status, message, null);
    }

    Malformed(int status, String message, @Nullable String method) {
      super(message);
      this.status = status;
      this.method = method;
    }
  }

  private static final int CONNECTIONS_MAX = 512;
  private static final int BACKLOG = 128;
  private static final Duration STRANGER_MAX = Duration.ofSeconds(5);
  private static final Duration IDLE_MAX = Duration.ofSeconds(10);
  private static final Duration DRAIN_MAX = Duration.ofMillis(500);
  private static final Duration STOP_MAX = Duration.ofSeconds(1);
  private static final int DRAINED_MAX = 1 << 16;
  private static final long PAUSE_NANOS = 100_000_000; // when the process has no more descriptors
  private static final String PROTOCOL = "TLSv1.3";
  private static final int MALFORMED = 400;
  private static final int NO_LENGTH = 411;
  private static final int TOO_LONG = 413;

  private final ServerSocket listener;
  private final @Nullable SSLContext tls;
  private final Clients clients;
  private final int contentMax;
  private final Function<Asked, Answer> answers;
  private final Admission<Socket> admission = new Admission<>(CONNECTIONS_MAX, STRANGER_MAX);
  private final Thread acceptor = Thread.ofPlatform().name("tutti-http").unstarted(this::accept);
  private volatile boolean closed;

  /// Listens; [#start] begins to answer.
  ///
  /// @param listen     where
  /// @param tls        shows the own certificate and checks that of whoever asks; null for no TLS
  /// @param clients    whom it answers over TLS
  /// @param contentMax the longest content of a request, in bytes
  /// @param answers    makes the answer to each request; called by many threads
  /// @throws IOException when it cannot listen there
  public HttpPort(
      InetSocketAddress listen,
      @Nullable SSLContext tls,
      Clients clients,
      int contentMax,
      Function<Asked, Answer> answers)
      throws IOException {
    this.tls = tls;
    this.clients = clients;
    this.contentMax = contentMax;
    this.answers = answers;
    this.listener = new ServerSocket();
    try {
      listener.bind(listen, BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }

  /// Answers from now on.
  public void start() {
    acceptor.start();
  }

  /// Where it listens.
  ///
  /// @return host and actual port
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /// The gate, with its counts.
  ///
  /// @return closed with this port
  public Admission<?> admission() {
    return admission;
  }

  private void accept() {
    while (!closed) {
      try {
        Socket one = listener.accept();
        if (admission.admit(one)) {
          Thread.ofVirtual().name("tutti-http-client").start(() -> serve(one));
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
        converse(one, new BufferedInputStream(one.getInputStream()), false);
      } else {
        try (SSLSocket sealed = encrypt(one, tls)) {
          sealed.startHandshake();
          if (hasShownCertificate(sealed)) {
            admission.greeted(one);
            var timed = new Timed(sealed);
            var in = new BufferedInputStream(timed);
            while (converse(sealed, in, true)) {
              timed.restart();
            }
          } else {
            converse(sealed, new BufferedInputStream(sealed.getInputStream()), false);
          }
        }
      }
    } catch (IOException _) {
      // The other side is gone, or its time is over; what did not come to an end was no request.
    } finally {
      admission.left(one);
    }
  }

  /// A wrong one has ended the handshake.
  private static boolean hasShownCertificate(SSLSocket sealed) {
    try {
      return sealed.getSession().getPeerCertificates().length > 0;
    } catch (SSLPeerUnverifiedException none) {
      return false;
    }
  }

  private SSLSocket encrypt(Socket one, SSLContext tls) throws IOException {
    var peer = (InetSocketAddress) one.getRemoteSocketAddress();
    if (peer == null) {
      throw new EOFException("gone");
    }
    var sealed =
        (SSLSocket) tls.getSocketFactory().createSocket(one, peer.getAddress().getHostAddress(), peer.getPort(), true);
    sealed.setUseClientMode(false);
    SSLParameters both = tls.getDefaultSSLParameters();
    both.setProtocols(new String[] {PROTOCOL});
    if (clients == Clients.KNOWN) {
      both.setNeedClientAuth(true);
    } else {
      both.setWantClientAuth(true);
    }
    sealed.setSSLParameters(both);
    return sealed;
  }

  /// Answers one request.
  ///
  /// @return whether another one may follow
  private boolean converse(Socket with, InputStream in, boolean isKnown) throws IOException {
    OutputStream out = with.getOutputStream();
    boolean more = false;
    boolean body = true;
    Answer answer;
    try {
      Request request = Request.read(in, out, contentMax);
      if (request == null) {
        return false;
      }
      answer = answers.apply(new Asked(request, null, isKnown));
      more = isKnown && !request.isLast();
      body = !request.method().equals("HEAD");
    } catch (Malformed wrong) {
      answer = answers.apply(new Asked(null, wrong, isKnown));
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

  /// What a request is answered with.
  ///
  /// @param status the number that HTTP has for the outcome
  /// @param type   what the content is, as HTTP names it
  /// @param body   the content
  /// @param allow  the methods that the path has, of the answer to one that it does not have; else null
  public record Answer(int status, String type, byte[] body, @Nullable String allow) {
    /// An answer to a method that the path has.
    ///
    /// @param status the number that HTTP has for the outcome
    /// @param type   what the content is, as HTTP names it
    /// @param body   the content
    public Answer(int status, String type, byte[] body) {
      this(status, type, body, null);
    }

    /// The bytes of it.
    ///
    /// @param last whether the connection ends with it
    /// @param all  whether the content is wanted, too
    byte[] encode(boolean last, boolean all) {
      String head =
          "HTTP/1.1 "
              + status
              + " "
              + words()
              + "\r\nContent-Type: "
              + type
              + (allow == null ? "" : "\r\nAllow: " + allow)
              + "\r\nCache-Control: no-store\r\nContent-Length: "
              + body.length
              + (last ? "\r\nConnection: close" : "")
              + "\r\n\r\n";
      byte[] first = head.getBytes(StandardCharsets.US_ASCII);
      ByteBuffer whole = ByteBuffer.allocate(first.length + (all ? body.length : 0)).put(first);
      if (all) {
        whole.put(body);
      }
      return whole.array();
    }

    private String words() {
      return switch (status) {
        case 200 -> "OK";
        case 400 -> "Bad Request";
        case 403 -> "Forbidden";
        case 404 -> "Not Found";
        case 405 -> "Method Not Allowed";
        case 409 -> "Conflict";
        case 411 -> "Length Required";
        case 413 -> "Content Too Large";
        case 503 -> "Service Unavailable";
        default -> "Other";
      };
    }
  }

  /// A request of HTTP/1.1 (RFC 9112) with a content of known length. What is unusual is refused, not guessed.
  ///
  /// @param method in capitals
  /// @param path   of the target, without what follows a question mark; nothing in it is decoded
  /// @param body   the content; empty when there is none
  /// @param isLast whether the client ends the connection after the answer
  public record Request(String method, String path, byte[] body, boolean isLast) {
    private static final int HEAD_BYTES_MAX = 8192;
    private static final int FIELDS_MAX = 64;
    private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /// Reads the next request.
    ///
    /// @param in         gives at most the request
    /// @param out        gets the word to go on, for clients that wait for it
    /// @param contentMax the longest content
    /// @return null when the client has ended the connection before it
    /// @throws Malformed for what is no request that can be answered; the connection has to end
    static @Nullable Request read(InputStream in, OutputStream out, int contentMax) throws IOException, Malformed {
      var head = new Head(in);
      String first = head.line();
      if (first == null) {
        return null;
      }
      String[] words = first.split(" ", -1);
      if (words.length != 3 || !words[0].matches("[A-Z]{1,20}") || !words[2].matches("HTTP/1\\.[0-9]")) {
        throw new Malformed(MALFORMED, "no request of HTTP/1.1");
      }
      Map<String, String> fields = head.fields();
      if (fields.containsKey("transfer-encoding")) {
        throw new Malformed(NO_LENGTH, "a content needs a length", words[0]);
      }
      int length = length(fields.getOrDefault("content-length", "0"), contentMax, words[0]);
      if (length > 0 && fields.getOrDefault("expect", "").equalsIgnoreCase("100-continue")) {
        out.write(GO_ON);
        out.flush();
      }
      byte[] body = in.readNBytes(length);
      if (body.length < length) {
        throw new EOFException("in the middle of a request");
      }
      String connection = fields.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
      boolean last = connection.contains("close") || words[2].endsWith("0");
      return new Request(words[0], words[1].split("[?#]", 2)[0], body, last);
    }

    private static int length(String text, int most, String method) throws Malformed {
      if (!text.matches("[0-9]{1,18}")) {
        throw new Malformed(MALFORMED, "no length: a number is expected", method);
      }
      long length = Long.parseLong(text);
      if (length > most) {
        throw new Malformed(TOO_LONG, "a request has at most " + most + " bytes", method);
      }
      return (int) length;
    }

    /// The lines before the content.
    private static final class Head {
      private final InputStream in;
      private int left = HEAD_BYTES_MAX;

      Head(InputStream in) {
        this.in = in;
      }

      /// The next line; null at the end of the connection, if nothing has come.
      @Nullable String line() throws IOException, Malformed {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
          if (next < 0) {
            if (line.isEmpty()) {
              return null;
            }
            throw new EOFException("in the middle of a line");
          }
          if (--left < 0) {
            throw new Malformed(TOO_LONG, "the lines before a content have at most " + HEAD_BYTES_MAX + " bytes");
          }
          line.append((char) next);
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
      }

      /// By name, in small letters.
      Map<String, String> fields() throws IOException, Malformed {
        var fields = new HashMap<String, String>();
        for (String line = line(); line == null || !line.isEmpty(); line = line()) {
          if (line == null) {
            throw new EOFException("in the middle of a request");
          }
          int colon = line.indexOf(':');
          String name = line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
          if (!name.matches("[-!#$%&'*+.^_`|~0-9a-z]+") || fields.size() >= FIELDS_MAX) {
            throw new Malformed(MALFORMED, "no fields of HTTP/1.1");
          }
          boolean again = fields.put(name, line.substring(colon + 1).strip()) != null;
          if (again && name.equals("content-length")) {
            throw new Malformed(MALFORMED, "two lengths");
          }
        }
        return fields;
      }
    }
  }
}
