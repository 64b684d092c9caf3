package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;

/// What a transport over a middleware that listens at a port promises besides: strangers at its port harm nobody, and
/// it can be encrypted, advertised, and used over IPv6.
abstract class MiddlewareContract extends TransportContract {
  private static final Address HERE = new Address("127.0.0.1:0");
  private static final Duration DAY = Duration.ofDays(1);

  /// Opens a transport of the kind under test.
  abstract Transport open(Address listen, @Nullable Address advertised, @Nullable Credentials tls);

  /// The counter of connections that speak another protocol; null when the middleware does not tell.
  abstract @Nullable String strangersCountedAs();

  @Override
  protected final Transport open(Address address) throws IOException {
    return open(address, null, null);
  }

  @Override
  protected final Address unused(String name) {
    return HERE;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void randomBytesHarmNobody(int seed) throws IOException {
    byte[] noise = new byte[100_000];
    new Random(seed).nextBytes(noise);
    refused(noise);
  }

  @Test
  void anHttpRequestHarmsNobody() throws IOException {
    refused("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  private void refused(byte[] bytes) throws IOException {
    Station a = station("a");
    String counted = strangersCountedAs();
    try (Socket stranger = new Socket("127.0.0.1", Station.port(a.address()))) {
      stranger.setSoTimeout(20_000);
      say(stranger, bytes);
      until("their end", () -> isEnded(stranger), a);
      if (counted != null) {
        until("their count", () -> Told.of(a.transport.metrics(), counted) == 1, a);
      }
    }
    assertThat(a.frames).isEmpty();
    exchange(a, station("honest"));
  }

  private static void say(Socket stranger, byte[] bytes) {
    try {
      OutputStream out = stranger.getOutputStream();
      out.write(bytes);
      out.flush();
    } catch (IOException _) {
      // Refused before the last byte.
    }
  }

  private static boolean isEnded(Socket stranger) {
    try {
      return stranger.getInputStream().readAllBytes() != null;
    } catch (IOException _) {
      return true;
    }
  }

  @Test
  void nodesMeetOverIpv6() throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress("::1", 0));
    } catch (IOException e) {
      Assumptions.abort("no IPv6 here: " + e.getMessage());
    }
    Station a = stationAt(new Address("[::1]:0"));
    Station b = stationAt(new Address("[::1]:0"));
    assertThat(a.address().text()).startsWith("[::1]:");
    exchange(a, b);
  }

  @Test
  void membersWithCertificatesMeetEncrypted(@TempDir Path directory) throws Exception {
    Credentials tls = Credentials.load(Authority.in(directory.resolve("ca")).issue("both", "tutti", DAY));
    try (Station a = new Station(open(HERE, null, tls));
        Station b = new Station(open(HERE, null, tls))) {
      exchange(a, b);
    }
  }

  @Test
  void whoeverHasNoTrustedCertificateIsNotHeard(@TempDir Path directory) throws Exception {
    Authority authority = Authority.in(directory.resolve("ca"));
    Path own = authority.issue("n", "tutti", DAY);
    Credentials members = Credentials.load(own);
    Credentials elsewhere = Credentials.load(authority.issue("m", "elsewhere", DAY));
    // Believes the members, so it gets as far as showing its own certificate, of another authority.
    Path foreign = Authority.in(directory.resolve("other")).issue("n", "tutti", DAY);
    Files.copy(own.resolve("ca.pem"), foreign.resolve("ca.pem"), StandardCopyOption.REPLACE_EXISTING);
    Credentials others = Credentials.load(foreign);
    Path watching = authority.issue("o", "tutti", List.of("observer"), DAY);
    Credentials observer = Credentials.load(watching, Credentials.NODES);
    try (Station a = new Station(open(HERE, null, members));
        Station stranger = new Station(open(HERE, null, others));
        Station neighbour = new Station(open(HERE, null, elsewhere));
        Station watcher = new Station(open(HERE, null, observer));
        Station plain = new Station(open(HERE))) {
      for (Station one : new Station[] {stranger, neighbour, watcher, plain}) {
        until(
            "an attempt",
            () -> Told.of(one.transport.metrics(), "dials.failed") > 0 || one.offer(a.address(), bytes(1)),
            one,
            a);
      }
      until("its refusal", () -> counted(stranger, a, "{reason=wrong-certificate}", a), stranger, a);
      until("the neighbour's refusal", () -> counted(neighbour, a, "{reason=wrong-cluster}", neighbour), neighbour, a);
      until("the observer's refusal", () -> counted(watcher, a, "{reason=wrong-role}", a), watcher, a);
      turns(20, plain, a);
      assertThat(a.frames).isEmpty();
    }
  }

  /// Whether a station's attempts to say something to another have been counted, where they are to be.
  private static boolean counted(Station from, Station to, String reason, Station at) {
    from.offer(to.address(), bytes(1));
    return Told.of(at.transport.metrics(), reason) > 0;
  }

  @Test
  void peersReachANodeByTheAddressThatItAdvertises() throws IOException {
    Station a = station("a");
    Address listen = new Address(LoopbackPorts.address());
    Address advertised = new Address("[::ffff:127.0.0.1]:" + Station.port(listen));
    try (Station b = new Station(open(listen, advertised, null))) {
      assertThat(b.address()).isEqualTo(advertised);
      exchange(a, b);
    }
  }

  @Test
  void aTakenPortIsNamedInOneLine() throws IOException {
    Station a = station("a");
    assertThatThrownBy(() -> open(a.address()))
        .isInstanceOf(TransportException.class)
        .hasMessage("cannot listen on " + a.address() + ": address already in use");
  }

  @Test
  void anAddressThatIsNoLiteralIsRefusedAndCounted() throws IOException {
    Station a = station("a");
    until(
        "count",
        () ->
            !a.offer(new Address("host.invalid:1"), bytes(1))
                && Told.of(a.transport.metrics(), "addresses.unusable") > 0,
        a);
  }

  @Test
  void anAcceptorThatNeverAnswersIsGivenUp() throws IOException {
    Station a = station("a");
    try (ServerSocket mute = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
      Address address = new Address("127.0.0.1:" + mute.getLocalPort());
      until("an attempt", () -> !a.offer(address, bytes(1)) && Told.of(a.transport.metrics(), "dials.failed") >= 1, a);
    }
  }
}
