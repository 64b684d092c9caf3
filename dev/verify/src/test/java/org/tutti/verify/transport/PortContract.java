package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.certs.Authority;
import org.tutti.fixture.Told;
import org.tutti.tls.Credentials;

/// What every port promises on which a process listens for strangers.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class PortContract {
  private static final Duration DAY = Duration.ofDays(1);
  private static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int ANSWER_MILLIS = 10_000;

  @TempDir Path directory;
  private @Nullable OpenPort listener;

  /// A port that is listened on.
  interface OpenPort extends AutoCloseable {
    /// Its number, on 127.0.0.1.
    int port();

    /// What a client says first, so that there is an answer.
    byte[] question();

    @Override
    void close() throws IOException;
  }

  /// Begins to listen.
  abstract OpenPort open(@Nullable Credentials tls) throws IOException;

  /// How many connections it keeps at once.
  int most() {
    return 256;
  }

  @AfterEach
  void close() throws IOException {
    if (listener != null) {
      listener.close();
    }
  }

  final OpenPort opened(@Nullable Credentials tls) throws IOException {
    OpenPort one = open(tls);
    listener = one;
    return one;
  }

  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("time until " + what).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /// As a library does that keeps sessions: it comes back with a ticket, if it has got one.
  private static SSLContext withTickets(Credentials own) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(new KeyManager[] {own.keyManager()}, new TrustManager[] {own.trustManager()}, null);
    return context;
  }

  /// Connects and asks; false when hung up on.
  private static boolean answers(OpenPort at, SSLContext client) throws IOException {
    try (SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("127.0.0.1", at.port())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"}); // gRPC asks for it, and nobody else minds
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return answers(socket, at.question());
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException _) {
      return false;
    }
  }

  static boolean answers(Socket socket, byte[] question) throws IOException {
    try {
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write(question);
      socket.getOutputStream().flush();
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException _) {
      return false;
    }
  }

  final boolean answers(OpenPort at) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", at.port()), ANSWER_MILLIS);
      return answers(socket, at.question());
    }
  }

  private static final int MORE = 50;

  @Test
  void silentConnectionsShutThePortForNobody() throws IOException {
    OpenPort at = opened(null);
    assertThat(answers(at)).isTrue();
    flood(at, new byte[0], () -> answers(at));
  }

  @Test
  void connectionsThatSayHalfAWordShutThePortForNobody() throws IOException {
    OpenPort at = opened(null);
    flood(at, Arrays.copyOf(at.question(), 3), () -> answers(at));
  }

  @Test
  void silentConnectionsShutThePortForNobodyWithTls() throws Exception {
    Credentials members = Credentials.load(Authority.in(directory).issue("n", "tutti", DAY));
    OpenPort at = opened(members);
    SSLContext member = withTickets(members);
    awaitFirst(at, member);
    flood(at, new byte[] {22, 3, 1}, () -> answers(at, member)); // the beginning of a handshake
  }

  /// The first handshake loads classes at both ends, for which its time may be too short.
  private static void awaitFirst(OpenPort at, SSLContext client) {
    await("the first answer", () -> isServed(at, client));
  }

  private static boolean isServed(OpenPort at, SSLContext client) {
    try {
      return answers(at, client);
    } catch (IOException _) {
      return false;
    }
  }

  /// Strangers keep their connections open and come again when they are hung up on.
  private void flood(OpenPort at, byte[] words, Attempt honest) throws IOException {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < most() + MORE; i++) {
        Socket one = new Socket();
        silent.add(one);
        one.connect(new InetSocketAddress("127.0.0.1", at.port()), ANSWER_MILLIS);
        say(one, words);
        if (i % 100 == 99 || i >= most() && i % 10 == 0) {
          assertThat(honest.answered()).as("served beside " + (i + 1) + " silent connections").isTrue();
        }
      }
      await("the end of the silent ones", () -> silent.stream().allMatch(PortContract::isEnded));
    } finally {
      for (Socket one : silent) {
        one.close();
      }
    }
  }

  /// Somebody's attempt to be served.
  private interface Attempt {
    boolean answered() throws IOException;
  }

  private static void say(Socket socket, byte[] words) {
    try {
      socket.getOutputStream().write(words);
    } catch (IOException _) {
      // Hung up on already.
    }
  }

  private static boolean isEnded(Socket socket) {
    try {
      socket.setSoTimeout(1);
      return socket.getInputStream().read(new byte[1 << 10]) < 0; // some ports greet
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException _) {
      return true;
    }
  }

  @Test
  void whoSaysOneByteAfterTheOtherIsEnded() throws IOException {
    OpenPort at = opened(null);
    try (Socket slow = new Socket("127.0.0.1", at.port())) {
      byte[] question = at.question();
      long start = System.nanoTime();
      int[] said = {0};
      await(
          "its end",
          () -> {
            // The last byte would be an answer's due; a byte each half second.
            boolean due = System.nanoTime() - start > said[0] * 500_000_000L;
            if (due && said[0] < question.length - 1) {
              say(slow, new byte[] {question[said[0]++]});
            }
            return isEnded(slow);
          });
      assertThat(answers(at)).isTrue();
    }
  }

  @Test
  void aTicketDoesNotOutliveTheAuthority() throws Exception {
    Authority authority = Authority.in(directory.resolve("ca"));
    Path own = authority.issue("server", "tutti", DAY);
    Credentials server = Credentials.load(own);
    Credentials member = Credentials.load(authority.issue("member", "tutti", DAY));
    OpenPort at = opened(server);
    SSLContext client = withTickets(member);
    awaitFirst(at, client);
    assertThat(answers(at, client)).as("served again").isTrue();

    Path other = Authority.in(directory.resolve("other")).issue("member", "tutti", DAY);
    Files.move(own.resolve("ca.pem"), directory.resolve("ca.pem"));
    Files.copy(other.resolve("ca.pem"), own.resolve("ca.pem"));
    Files.copy(directory.resolve("ca.pem"), other.resolve("ca.pem"), StandardCopyOption.REPLACE_EXISTING);
    assertThat(server.reload()).isTrue();
    assertThat(answers(at, client)).as("served with a ticket of earlier days").isFalse();
    await("count", () -> Told.of(server.metrics(), "{reason=wrong-certificate}") > 0);
    assertThat(answers(at, withTickets(Credentials.load(other)))).as("serves others").isTrue();
  }

  @Test
  void aTicketDoesNotOutliveTheCertificate() throws Exception {
    Authority authority = Authority.in(directory);
    Credentials server = Credentials.load(authority.issue("server", "tutti", DAY));
    OpenPort at = opened(server);
    SSLContext client = null;
    Instant end = Instant.MIN;
    for (int seconds = 3; client == null; seconds *= 2) { // on a slow machine the first ones may be over too early
      end = Instant.now().plusSeconds(seconds);
      Credentials member = Credentials.load(authority.issue("member", "tutti", Instant.now().minus(DAY), end));
      SSLContext context = withTickets(member);
      client = answers(at, context) ? context : null;
      assertThat(seconds).as("seconds of a certificate that is not accepted").isLessThan(30);
    }
    Instant expired = end.plusSeconds(1); // certificates know whole seconds
    long before = Told.of(server.metrics(), "{reason=expired-certificate}");
    await("the end of the certificate", () -> Instant.now().isAfter(expired));
    assertThat(answers(at, client)).as("served with a ticket of earlier days").isFalse();
    await("count", () -> Told.of(server.metrics(), "{reason=expired-certificate}") > before);
  }
}
