package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;
import static org.tutti.net.transport.SocketContract.counter;
import static org.tutti.net.transport.SocketContract.preamble;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.text.MessageFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.certs.Authority;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.Station;
import org.tutti.fixture.TransportContract;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.tls.Credentials;
import org.tutti.tls.Role;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;

/// The contract over TLS, and who is kept out.
@Tag("socket")
final class TlsTransportTest extends TransportContract {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Address HERE = new Address("127.0.0.1:0");

  @TempDir static Path directory;
  private static Authority authority;
  private static Credentials credentials;

  @BeforeAll
  static void certify() throws IOException {
    authority = Authority.in(directory.resolve("ca"));
    credentials = Credentials.load(authority.issue("n", "tutti", DAY));
  }

  @Override
  protected Transport open(Address address) throws IOException {
    return open(address, credentials);
  }

  private static TcpTransport open(Address address, Credentials own) throws IOException {
    TcpConfig config = TcpConfig.lan().withTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(10));
    return TcpTransport.open(address, null, config, own);
  }

  @Override
  protected Address unused(String name) {
    return HERE;
  }

  /// Neither side hears anything of the other, whoever connects, and the first one says why.
  private void refuses(Station inside, Station outside, String reason) {
    // Who connects sees the certificate of the other one first, and may be the one that refuses.
    until(
        "refused when the other connects",
        () -> {
          assertThat(outside.offer(inside.address(), bytes(1))).isFalse();
          return counter(inside, reason) + counter(inside, "closed{reason=refused-by-peer}") > 0;
        },
        inside,
        outside);
    long before = counter(inside, reason);
    until(
        "refused as " + reason + " when it connects",
        () -> {
          assertThat(inside.offer(outside.address(), bytes(1))).isFalse();
          return counter(inside, reason) > before;
        },
        inside,
        outside);
    assertThat(inside.frames).isEmpty();
    assertThat(outside.frames).isEmpty();
  }

  private void refuses(Credentials stranger, String reason) throws IOException {
    Station inside = station("a");
    try (Station outside = new Station(open(HERE, stranger))) {
      refuses(inside, outside, reason);
    }
    exchange(inside, station("b"));
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused() throws IOException {
    Path other = Authority.in(directory.resolve("other")).issue("n", "tutti", DAY);
    refuses(Credentials.load(other), "closed{reason=wrong-certificate}");
  }

  @Test
  void anExpiredCertificateIsRefused() throws IOException {
    Instant now = Instant.now();
    Path expired = authority.issue("expired", "tutti", now.minus(DAY), now.minusSeconds(60));
    refuses(Credentials.load(expired), "closed{reason=expired-certificate}");
    Path early = authority.issue("early", "tutti", now.plusSeconds(600), now.plus(DAY));
    refuses(Credentials.load(early), "closed{reason=expired-certificate}");
  }

  @Test
  void aCertificateForAnotherClusterIsRefused() throws IOException {
    Credentials other = Credentials.load(authority.issue("elsewhere", "other", DAY));
    assertThat(other.cluster()).isEqualTo("other");
    refuses(other, "closed{reason=wrong-cluster}");
  }

  @Test
  void aCertificateForClientsOnlyIsRefused() throws IOException {
    Credentials client = Credentials.load(authority.issue("client", "tutti", List.of("client", "operator"), DAY));
    assertThat(client.roles()).containsExactlyInAnyOrder(Role.CLIENT, Role.OPERATOR);
    refuses(client, "closed{reason=wrong-role}");
    Credentials later = Credentials.load(authority.issue("later", "tutti", List.of("something-new"), DAY));
    assertThat(later.roles()).isEmpty();
    refuses(later, "closed{reason=wrong-role}");
  }

  /// Whoever takes only members refuses it; a node takes it, and knows that it may not vote.
  @Test
  void aCertificateForObserversIsTakenByWhoTakesThem() throws IOException {
    Path own = authority.issue("observer", "tutti", List.of("observer"), DAY);
    refuses(Credentials.load(own), "closed{reason=wrong-role}");
    Credentials observer = Credentials.load(own, Credentials.NODES);
    Path member = authority.issue("member", "tutti", List.of("member", "observer"), DAY);
    Credentials node = Credentials.load(member, Credentials.NODES);
    assertThat(node.votingObjection()).isNull();
    assertThat(observer.votingObjection()).startsWith("the certificate in " + own + " is for the role observer, not");
    TcpTransport inside = open(HERE, node);
    TcpTransport outside = open(HERE, observer);
    assertThat(inside.mayVote(outside.address())).as("it is not known").isTrue();
    try (Station in = new Station(inside);
        Station out = new Station(outside)) {
      exchange(in, out);
      assertThat(inside.mayVote(out.address())).isFalse();
      assertThat(outside.mayVote(in.address())).isTrue();
    }
  }

  @Test
  void aCertificateForMembersIsTaken() throws IOException {
    Credentials member = Credentials.load(authority.issue("member", "tutti", List.of("client", "member"), DAY));
    try (Station other = new Station(open(HERE, member))) {
      exchange(station("a"), other);
    }
  }

  @Test
  void aPeerWithoutTlsIsCountedOnBothSidesAndNothingHangs() throws IOException {
    Station inside = station("a");
    TcpConfig plain = TcpConfig.lan().withSocketDirectory(null);
    try (Station outside = new Station(TcpTransport.open(HERE, plain))) {
      until(
          "counted",
          () -> {
            assertThat(outside.offer(inside.address(), bytes(1))).isFalse();
            return counter(inside, "closed{reason=not-tls}") > 0;
          },
          inside,
          outside);
      until(
          "counted there",
          () -> {
            assertThat(inside.offer(outside.address(), bytes(1))).isFalse();
            return counter(outside, "closed{reason=is-tls}") > 0;
          },
          inside,
          outside);
      assertThat(counter(inside, "{reason=preamble-timeout}") + counter(outside, "{reason=preamble-timeout}")).isZero();
    }
    exchange(inside, station("b"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void noiseIsCountedWhateverItBeginsWith(int seed) throws IOException {
    Station inside = station("a");
    byte[] noise = new byte[10_000];
    new Random(seed).nextBytes(noise);
    if (seed > 2) {
      // The header of a record of a handshake, of 4 KiB.
      System.arraycopy(new byte[] {22, 3, 3, 16, 0}, 0, noise, 0, 5);
    }
    say(inside, noise);
    until("closed", () -> counter(inside, "{reason=not-tls}") + counter(inside, "{reason=tls-broken}") == 1, inside);
    exchange(inside, station("b"));
  }

  @Test
  void aPreambleInTheClearIsNoHandshake() throws IOException {
    Station inside = station("a");
    say(inside, preamble(new Address("127.0.0.1:9"), inside.address()));
    until("closed", () -> counter(inside, "closed{reason=not-tls}") == 1, inside);
  }

  @Test
  void aHandshakeThatStopsIsEndedByTimeout() throws IOException {
    TcpConfig hasty = TcpConfig.lan().withTimeouts(Duration.ofMillis(300), Duration.ofSeconds(10));
    try (Station inside = new Station(TcpTransport.open(HERE, null, hasty, credentials))) {
      try (SocketChannel _ = dial(inside);
          SocketChannel half = dial(inside)) {
        half.write(ByteBuffer.wrap(new byte[] {22, 3, 1, 2, 0, 1, 0}));
        until("both ended", () -> counter(inside, "closed{reason=preamble-timeout}") == 2, inside);
      }
    }
  }

  private static SocketChannel dial(Station station) throws IOException {
    String text = station.address().text();
    int port = Integer.parseInt(text.substring(text.lastIndexOf(':') + 1));
    return SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
  }

  private static void say(Station station, byte[] bytes) throws IOException {
    try (SocketChannel stranger = dial(station)) {
      stranger.configureBlocking(false);
      stranger.write(ByteBuffer.wrap(bytes));
      turns(20, station);
    }
  }

  @Test
  void changedFilesAreUsedFromTheNextConnectionOn() throws IOException {
    Path own = authority.issue("changing", "tutti", DAY);
    Credentials changing = Credentials.load(own);
    Station a = stationAt(HERE);
    try (Station b = new Station(open(HERE, changing))) {
      exchange(a, b);
      Path other = Authority.in(directory.resolve("replacement")).issue("changing", "tutti", DAY);
      for (String file : new String[] {"ca.pem", "cert.pem", "key.pem"}) {
        Path fresh = Files.copy(other.resolve(file), own.resolve(file + ".new"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(fresh, own.resolve(file), StandardCopyOption.ATOMIC_MOVE);
      }
      exchange(a, b); // what is there stays
      until("used", () -> changing.reload() || changing.reloads() > 0, a, b);
      Station c = station("c");
      until("refused", () -> !c.offer(b.address(), bytes(1)) && counter(c, "{reason=wrong-certificate}") > 0, b, c);
      try (Station d = new Station(open(HERE, Credentials.load(other)))) {
        exchange(b, d);
      }
    }
  }

  @Test
  void filesThatCannotBeUsedLeaveTheEarlierOnesInForce() throws IOException {
    Path own = authority.issue("damaged", "tutti", DAY);
    Credentials damaged = Credentials.load(own);
    Files.writeString(own.resolve("cert.pem"), "nothing");
    assertThat(damaged.reload()).isFalse();
    assertThat(damaged.problem()).contains("cert.pem");
    try (Station b = new Station(open(HERE, damaged))) {
      exchange(station("a"), b);
    }
    try (var log = new LogRecords(Credentials.class.getName())) {
      until("a warning", () -> !damaged.reload() && !log.all().isEmpty());
      LogRecord told = log.all().getFirst();
      assertThat(MessageFormat.format(told.getMessage(), told.getParameters()))
          .startsWith("certificates: " + own.resolve("cert.pem") + " has no certificate")
          .endsWith("; the previous ones stay in use");
      authority.issue("damaged", "tutti", DAY);
      assertThat(damaged.reload()).isTrue();
      assertThat(log.all()).hasSize(2);
    }
    assertThat(damaged.problem()).isNull();
  }

  @Test
  void whatIsWrongWithFilesIsSaidInOneLine() throws IOException {
    Path own = authority.issue("wrong", "tutti", DAY);
    Files.copy(
        authority.issue("right", "tutti", DAY).resolve("key.pem"),
        own.resolve("key.pem"),
        StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> Credentials.load(own))
        .hasMessage(own.resolve("key.pem") + " is not the key of " + own.resolve("cert.pem"));
    Files.delete(own.resolve("ca.pem"));
    assertThatThrownBy(() -> Credentials.load(own)).hasMessage("no file " + own.resolve("ca.pem"));
  }

  @Test
  void privateKeysAreForTheirOwnerOnly() throws IOException {
    for (Path secret : new Path[] {directory.resolve("ca/ca-key.pem"), directory.resolve("ca/n/key.pem")}) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret))).isEqualTo("rw-------");
    }
  }

  @Test
  void withoutCertificatesItListensOnLoopbackOnly() {
    // An address of the documentation's network (RFC 5737): refused before anybody tries to listen there.
    Address open = new Address("192.0.2.1:7001");
    assertThatThrownBy(() -> TcpTransport.open(open, TcpConfig.lan()))
        .isInstanceOf(TransportException.class)
        .hasMessage(
            "cannot listen on 192.0.2.1:7001: without certificates on loopback only,"
                + " unless insecure networks are allowed");
    for (boolean secure : new boolean[] {false, true}) {
      TcpConfig config = secure ? TcpConfig.lan() : TcpConfig.lan().withInsecure();
      assertThatThrownBy(() -> TcpTransport.open(open, null, config, secure ? credentials : null))
          .isInstanceOf(TransportException.class)
          .hasMessageNotContaining("loopback");
    }
  }
}
