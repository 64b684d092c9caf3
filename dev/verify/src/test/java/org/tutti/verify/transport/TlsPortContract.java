package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.Told;
import org.tutti.tls.Credentials;

/// What every port promises besides that speaks TLS when it is told to.
abstract class TlsPortContract extends PortContract {
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path directory;

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
