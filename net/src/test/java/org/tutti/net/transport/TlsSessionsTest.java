package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.Told;
import org.tutti.tls.Credentials;

/// A peer that hands out tickets is checked again, too, when it is dialled again; see [PortContract] for who dials us.
@Tag("socket")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TlsSessionsTest {
  private static final Duration DAY = Duration.ofDays(1);

  @Test
  void aPeerThatIsDialledAgainIsCheckedAgain(@TempDir Path directory) throws Exception {
    Authority authority = Authority.in(directory.resolve("ca"));
    Path own = authority.issue("node", "tutti", DAY);
    Credentials node = Credentials.load(own);
    Credentials peer = Credentials.load(authority.issue("peer", "tutti", DAY));
    SSLContext withTickets = SSLContext.getInstance("TLSv1.3");
    withTickets.init(new KeyManager[] {peer.keyManager()}, new TrustManager[] {peer.trustManager()}, null);
    try (var listener =
        (SSLServerSocket)
            withTickets.getServerSocketFactory().createServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
      listener.setNeedClientAuth(true);
      Thread.ofVirtual().start(() -> serve(listener));
      assertThat(read(node, listener.getLocalPort())).isEqualTo(7);
      assertThat(read(node, listener.getLocalPort())).isEqualTo(7);
      Path other = Authority.in(directory.resolve("other")).issue("node", "tutti", DAY);
      Files.copy(other.resolve("ca.pem"), own.resolve("ca.pem"), StandardCopyOption.REPLACE_EXISTING);
      assertThat(node.reload()).isTrue();
      assertThatExceptionOfType(SSLException.class).isThrownBy(() -> read(node, listener.getLocalPort()));
      assertThat(Told.of(node.metrics(), "{reason=wrong-certificate}")).isOne();
    }
  }

  private static int read(Credentials own, int port) throws IOException {
    try (var socket = (SSLSocket) own.context().getSocketFactory().createSocket("127.0.0.1", port)) {
      socket.setSSLParameters(own.parameters());
      socket.startHandshake();
      return socket.getInputStream().read();
    }
  }

  private static void serve(SSLServerSocket listener) {
    while (!listener.isClosed()) {
      try (var socket = listener.accept()) {
        socket.getOutputStream().write(7);
      } catch (IOException _) {
        // A client that has refused us, or the end.
      }
    }
  }
}
