package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.certs.Authority;
import org.tutti.fixture.Station;
import org.tutti.middleware.Middleware;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Whoever is not taken in learns why, over each middleware, too.
@Tag("socket")
@ParameterizedClass
@ValueSource(strings = {"rmi", "grpc", "iiop"})
final class MiddlewareRefusedTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Address HERE = new Address("127.0.0.1:0");
  private static final byte[] FRAME = {1};

  @TempDir static Path directory;
  private static Authority authority;
  private static Path member;

  @Parameter String transport;

  private final List<Station> open = new ArrayList<>();

  @BeforeAll
  static void certify() throws IOException {
    authority = Authority.in(directory.resolve("ca"));
    member = authority.issue("n", "tutti", DAY);
  }

  @AfterEach
  void close() {
    open.reversed().forEach(Station::close);
  }

  private Station station(@Nullable Path tls) throws IOException {
    TransportSettings settings = TransportSettings.at(HERE);
    TransportProvider provider = TransportProvider.installed().get(transport);
    assumeThat(provider).as("a build with %s", transport).isNotNull();
    open.add(new Station(provider.open(tls == null ? settings : settings.withTls(tls, false))));
    return open.getLast();
  }

  /// Lets one speak to the other until it is told why it may not.
  private static void tells(Station who, Address by, Reason reason, String words, Station... others) {
    var all = new ArrayList<>(List.of(others));
    all.add(who);
    until(
        "a refusal",
        () -> {
          assertThat(who.offer(by, FRAME)).isFalse();
          // A first attempt that a busy machine makes too slowly has another reason.
          return who.refused.stream().anyMatch(it -> it.reason() == reason && it.words().contains(words));
        },
        all.toArray(Station[]::new));
    assertThat(who.refused).extracting(Refused::by).containsOnly(by);
  }

  @Test
  void whoSpeaksNoTlsIsToldSo() throws IOException {
    Station inside = station(member);
    // gRPC's port hangs up on who speaks no TLS; the others say so in TLS.
    String words = transport.equals("grpc") ? "it seems to speak TLS" : "it speaks TLS";
    tells(station(null), inside.address(), Reason.IS_TLS, words + ", this node does not", inside);
  }

  @Test
  void whoSpeaksTlsToANodeThatDoesNotIsToldSo() throws IOException {
    Station plain = station(null);
    // gRPC's port says something that is no TLS; the others hang up.
    String words = transport.equals("grpc") ? "it does not speak TLS" : "it seems not to speak TLS";
    tells(station(member), plain.address(), Reason.NOT_TLS, words + ", this node does", plain);
  }

  @Test
  void aCertificateOfAnotherAuthorityIsNamed() throws IOException {
    Path other = Authority.in(directory.resolve("other")).issue("n", "tutti", DAY);
    Station inside = station(member);
    tells(station(other), inside.address(), Reason.ITS_CERTIFICATE, "its certificate is refused here: ", inside);
  }

  @Test
  void anExpiredCertificateOfThePeerIsNamed() throws IOException {
    Instant now = Instant.now();
    Station old = station(authority.issue("expired", "tutti", now.minus(DAY), now.minusSeconds(60)));
    tells(station(member), old.address(), Reason.ITS_CERTIFICATE, "NotAfter: ", old);
  }

  @Test
  void whoseOwnCertificateHasExpiredIsToldSo() throws IOException {
    Instant end = Instant.now().minusSeconds(60);
    Path expired = authority.issue("old", "tutti", end.minus(DAY), end);
    Station inside = station(member);
    String words = "it refuses this node's certificate, which was valid until ";
    tells(station(expired), inside.address(), Reason.OWN_CERTIFICATE, words, inside);
  }

  @Test
  void aCertificateForAnotherClusterIsNamed() throws IOException {
    Path other = authority.issue("elsewhere", "other", DAY);
    Station inside = station(member);
    String words = "the certificate is for cluster tutti, not for other";
    tells(station(other), inside.address(), Reason.OTHER_CLUSTER, words, inside);
  }

  @Test
  void anotherVersionOfBatchesIsNamedOnBothSides() throws IOException {
    Station inside = station(null);
    Station newer = new Station(new MiddlewareTransport(new OtherVersion(inner(provider())), MiddlewareConfig.lan()));
    open.add(newer);
    until(
        "a refusal",
        () -> {
          newer.offer(inside.address(), FRAME);
          return !newer.refused.isEmpty();
        },
        newer,
        inside);
    // To whoever speaks another version, its own is the right one.
    tells(
        newer.refused.getFirst(),
        inside.address(),
        "it speaks version 9 of the batches of frames, this node version 1");
    assertThat(inside.refused).as("of whom it has not spoken to").isEmpty();
    until(
        "a refusal of the other side",
        () -> {
          inside.offer(newer.address(), FRAME);
          return !inside.refused.isEmpty();
        },
        newer,
        inside);
    tells(
        inside.refused.getFirst(),
        newer.address(),
        "it speaks version 9 of the batches of frames, this node version 1");
    assertThat(newer.frames).isEmpty();
    assertThat(inside.frames).isEmpty();
  }

  private static void tells(Refused refused, Address by, String words) {
    assertThat(refused).isEqualTo(new Refused(by, Reason.OTHER_VERSION, words));
  }

  private Transport provider() {
    return TransportProvider.installed().get(transport).open(TransportSettings.at(HERE));
  }

  /// What a transport that was not started speaks over.
  private static Middleware inner(Transport opened) {
    try {
      Field field = MiddlewareTransport.class.getDeclaredField("middleware");
      field.setAccessible(true);
      return (Middleware) field.get(opened);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /// A middleware whose node speaks version 9, and takes version 1 for 9: as two releases that differ in nothing else.
  private record OtherVersion(Middleware inner) implements Middleware {
    private static final int AT = 4;
    private static final byte OURS = 1;
    private static final byte OTHER = 9;

    private static byte[] exchanged(byte[] batch) {
      byte[] copy = batch.clone();
      copy[AT] = copy[AT] == OURS ? OTHER : copy[AT] == OTHER ? OURS : copy[AT];
      return copy;
    }

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public Address address() {
      return inner.address();
    }

    @Override
    public void start(Arrivals arrivals) {
      inner.start(batch -> arrivals.take(exchanged(batch)));
    }

    @Override
    public Call dial(Address peer) throws IOException {
      Call call = inner.dial(peer);
      return new Call() {
        @Override
        public void send(byte[] batch) throws IOException {
          call.send(exchanged(batch));
        }

        @Override
        public void close() {
          call.close();
        }
      };
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  @Test
  void somethingElseThatAnswersIsNoNode() throws IOException {
    try (var foreign = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> greet(foreign));
      var at = new Address("127.0.0.1:" + foreign.getLocalPort());
      tells(station(null), at, Reason.FOREIGN, "not that of a node");
    }
  }

  private static void greet(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket one = server.accept()) {
        one.getOutputStream().write("SSH-2.0-Elsewhere\r\n".getBytes(StandardCharsets.US_ASCII));
        one.getInputStream().readAllBytes();
      } catch (IOException gone) {
        // The caller, or the test, has ended.
      }
    }
  }
}
