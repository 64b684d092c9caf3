package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.corba.IiopMiddleware;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// IIOP under TLS: all that transports over middlewares promise, with every connection encrypted, and what strangers
/// can do before they have shown a certificate.
@Tag("deep")
final class IiopTlsTransportTest extends MiddlewareContract {
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir static Path directory;
  private static Credentials members;

  @BeforeAll
  static void certify() throws IOException {
    members = Credentials.load(Authority.in(directory).issue("n", "tutti", DAY));
  }

  @Override
  Transport open(Address listen, @Nullable Address advertised, @Nullable Credentials tls) {
    return new MiddlewareTransport(
        IiopMiddleware.open(listen, advertised, IiopTransportTest.strict().withTls(tls == null ? members : tls)),
        IiopTransportTest.CONFIG);
  }

  @Override
  String strangersCountedAs() {
    return "closed{reason=not-tls}";
  }

  private static Transport plain() {
    return new MiddlewareTransport(
        IiopMiddleware.open(new Address("127.0.0.1:0"), null, IiopTransportTest.strict()), IiopTransportTest.CONFIG);
  }

  private static long count(Station station, String name) {
    return Told.of(station.transport.metrics(), name);
  }

  @Test
  void nodesWithoutTlsAreNotHeardAndHearNobody() throws IOException {
    Station a = station("a");
    try (Station plain = new Station(plain())) {
      until("its attempt", () -> !plain.offer(a.address(), bytes(1)) && count(a, "{reason=not-tls}") > 0, plain, a);
      until(
          "our attempt",
          () -> !a.offer(plain.address(), bytes(1)) && count(plain, "closed{reason=foreign-protocol}") > 0,
          plain,
          a);
      assertThat(a.frames).isEmpty();
      assertThat(plain.frames).isEmpty();
    }
    exchange(a, station("honest"));
  }

  @Test
  void aCertificateOfAnotherClusterIsCountedByReason() throws IOException {
    Station a = station("a");
    Credentials shop = Credentials.load(Authority.in(directory).issue("s", "shop", DAY));
    try (Station other = new Station(open(new Address("127.0.0.1:0"), null, shop))) {
      until(
          "an attempt", () -> !a.offer(other.address(), bytes(1)) && count(a, "{reason=wrong-cluster}") > 0, a, other);
      until("our refusal, there", () -> count(other, "closed{reason=refused-by-peer}") > 0, a, other);
    }
    exchange(a, station("honest"));
  }

  /// However slowly the bytes of a handshake come, it has to be over in time.
  @Test
  void aHandshakeThatDragsOnIsEndedAndCounted() throws Exception {
    Station a = station("a");
    try (Socket slow = new Socket("127.0.0.1", Station.port(a.address()))) {
      slow.setSoTimeout(20_000);
      byte[] hello = {22, 3, 1, 0x3f, (byte) 0xff}; // a record of 16 KiB, of which some bytes follow
      slow.getOutputStream().write(hello);
      until("the end of its time", () -> dribble(slow) && count(a, "closed{reason=greeting-timeout}") > 0, a);
    }
    exchange(a, station("honest"));
  }

  private static boolean dribble(Socket slow) {
    try {
      slow.getOutputStream().write(1);
    } catch (IOException _) {
      // It was closed.
    }
    return true;
  }

  @Test
  void newCertificatesAreUsedForNewConnections(@TempDir Path own) throws Exception {
    Authority authority = Authority.in(own);
    Credentials changing = Credentials.load(authority.issue("a", "tutti", DAY));
    Credentials second = Credentials.load(authority.issue("b", "tutti", DAY));
    try (Station a = new Station(open(new Address("127.0.0.1:0"), null, changing));
        Station b = new Station(open(new Address("127.0.0.1:0"), null, second))) {
      exchange(a, b);
      authority.issue("a", "tutti", DAY);
      assertThat(changing.reload()).isTrue();
      exchange(a, b);
      try (Station c = new Station(open(new Address("127.0.0.1:0"), null, second))) {
        exchange(a, c);
      }
    }
    assertThat(changing.reloads()).isOne();
  }
}
