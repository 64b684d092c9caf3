package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;
import org.tutti.transport.Transport;

/// Whoever is not taken in learns why, over TCP and UDP.
@Tag("socket")
final class RefusedTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Address HERE = new Address("127.0.0.1:0");
  private static final byte[] FRAME = {1};
  private static final int GREETING_BYTES = 48;

  @TempDir static Path directory;
  private static Authority authority;
  private static Credentials member;

  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void certify() throws IOException {
    authority = Authority.in(directory.resolve("ca"));
    member = Credentials.load(authority.issue("n", "tutti", DAY));
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
  }

  private Station station(Transport transport) {
    var station = new Station(transport);
    open.add(station);
    return station;
  }

  private Station tcp(Credentials credentials) throws IOException {
    TcpConfig config = TcpConfig.lan().withSocketDirectory(null);
    return station(TcpTransport.open(HERE, null, config, credentials));
  }

  private Station udp(UdpKey key) throws IOException {
    return station(UdpTransport.open(HERE, key == null ? UdpConfig.lan() : UdpConfig.lan().withKey(key)));
  }

  private static UdpKey key(int value) {
    var secret = new byte[32];
    secret[0] = (byte) value;
    return UdpKey.of(secret);
  }

  /// Lets one speak to the other until it is told why it may not.
  private static Refused refusal(Station who, Address by, Station... others) {
    var all = new ArrayList<>(List.of(others));
    all.add(who);
    until(
        "a refusal",
        () -> {
          assertThat(who.offer(by, FRAME)).isFalse();
          return !who.refused.isEmpty();
        },
        all.toArray(Station[]::new));
    assertThat(who.refused.getFirst().by()).isEqualTo(by);
    return who.refused.getFirst();
  }

  private static void tells(Refused refused, Reason reason, String words) {
    assertThat(refused.reason()).as("%s", refused).isEqualTo(reason);
    assertThat(refused.words()).contains(words);
  }

  // ---- TCP ---------------------------------------------------------------------------------------------------------

  @Test
  void whoSpeaksNoTlsIsToldSo() throws IOException {
    Station inside = tcp(member);
    tells(refusal(tcp(null), inside.address(), inside), Reason.IS_TLS, "it speaks TLS, this node does not");
  }

  @Test
  void whoSpeaksTlsToANodeThatDoesNotIsToldSo() throws IOException {
    Station plain = tcp(null);
    tells(refusal(tcp(member), plain.address(), plain), Reason.NOT_TLS, "it does not speak TLS, this node does");
  }

  @Test
  void aCertificateOfAnotherAuthorityIsNamed() throws IOException {
    Path other = Authority.in(directory.resolve("other")).issue("n", "tutti", DAY);
    Station inside = tcp(member);
    tells(
        refusal(tcp(Credentials.load(other)), inside.address(), inside),
        Reason.ITS_CERTIFICATE,
        "its certificate is refused here: ");
  }

  @Test
  void anExpiredCertificateOfThePeerIsNamed() throws IOException {
    Instant now = Instant.now();
    Path expired = authority.issue("expired", "tutti", now.minus(DAY), now.minusSeconds(60));
    Station old = tcp(Credentials.load(expired));
    tells(refusal(tcp(member), old.address(), old), Reason.ITS_CERTIFICATE, "it has expired (NotAfter: ");
  }

  @Test
  void whoseOwnCertificateHasExpiredIsToldSo() throws IOException {
    Instant end = Instant.now().minusSeconds(60);
    Path expired = authority.issue("old", "tutti", end.minus(DAY), end);
    Station inside = tcp(member);
    tells(
        refusal(tcp(Credentials.load(expired)), inside.address(), inside),
        Reason.OWN_CERTIFICATE,
        "it refuses this node's certificate, which was valid until ");
  }

  @Test
  void aCertificateForAnotherClusterIsNamed() throws IOException {
    Credentials other = Credentials.load(authority.issue("elsewhere", "other", DAY));
    Station inside = tcp(member);
    tells(
        refusal(tcp(other), inside.address(), inside),
        Reason.OTHER_CLUSTER,
        "the certificate is for cluster tutti, not for other");
  }

  @Test
  void aCertificateForAnotherRoleIsNamed() throws IOException {
    Credentials client = Credentials.load(authority.issue("client", "tutti", List.of("client"), DAY));
    Station inside = tcp(client);
    tells(
        refusal(tcp(member), inside.address(), inside),
        Reason.ITS_CERTIFICATE,
        "its certificate is refused here: the certificate is for the role client, not member");
  }

  @Test
  void anotherVersionIsAnsweredAndUnderstood() throws IOException {
    Station inside = tcp(null);
    byte[] strange = {'T', 'u', 't', 't', 9, 1, 1, 'a', 'b'};
    try (SocketChannel newer = SocketChannel.open(socket(inside.address()))) {
      newer.write(ByteBuffer.wrap(strange));
      newer.configureBlocking(false);
      ByteBuffer answer = ByteBuffer.allocate(1024);
      until("an answer and the end", () -> read(newer, answer) < 0, inside);
      assertThat(answer.flip().getInt()).isEqualTo(0x54757474);
      assertThat(answer.get()).as("the version spoken there").isEqualTo((byte) 1);
    }
    try (var newer = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      newer.configureBlocking(false);
      var at = new Address("127.0.0.1:" + newer.socket().getLocalPort());
      var taken = new ArrayList<SocketChannel>();
      Station older = tcp(null);
      until(
          "a refusal",
          () -> {
            older.offer(at, FRAME);
            answer(newer, taken, strange);
            return !older.refused.isEmpty();
          },
          older);
      tells(older.refused.getFirst(), Reason.OTHER_VERSION, "it speaks version 9 of the protocol, this node version 1");
      for (SocketChannel one : taken) {
        one.close();
      }
    }
  }

  private static int read(SocketChannel from, ByteBuffer into) {
    try {
      return from.read(into);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(ServerSocketChannel server, List<SocketChannel> taken, byte[] words) {
    try {
      SocketChannel one = server.accept();
      if (one != null) {
        taken.add(one);
        one.write(ByteBuffer.wrap(words));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aNodeThatCallsItselfByAnotherAddressIsNamed() throws IOException {
    Address shown = new Address("127.0.0.1:9");
    Address real;
    try (var free = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      real = new Address("127.0.0.1:" + free.socket().getLocalPort());
    }
    Station inside = station(TcpTransport.open(real, shown, TcpConfig.lan()));
    String words = "a node answers there that calls itself 127.0.0.1:9";
    tells(refusal(tcp(null), real, inside), Reason.OTHER_ADDRESS, words);
  }

  @Test
  void somethingElseThatAnswersIsNoNode() throws IOException {
    try (var foreign = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      foreign.configureBlocking(false);
      var at = new Address("127.0.0.1:" + foreign.socket().getLocalPort());
      var taken = new ArrayList<SocketChannel>();
      Station node = tcp(null);
      until(
          "a refusal",
          () -> {
            node.offer(at, FRAME);
            answer(foreign, taken, "SSH-2.0-Elsewhere\r\n".getBytes(StandardCharsets.US_ASCII));
            return !node.refused.isEmpty();
          },
          node);
      tells(node.refused.getFirst(), Reason.FOREIGN, "not that of a node");
      for (SocketChannel one : taken) {
        one.close();
      }
    }
  }

  // ---- UDP ---------------------------------------------------------------------------------------------------------

  @Test
  void whoHasAnotherKeyIsToldSo() throws IOException {
    Station inside = udp(key(1));
    String words = "it does not have the key with which this node encrypts";
    tells(refusal(udp(key(2)), inside.address(), inside), Reason.OTHER_KEY, words);
  }

  @Test
  void whoHasNoKeyIsToldSo() throws IOException {
    Station inside = udp(key(1));
    String words = "it accepts only encrypted datagrams, this node has no key";
    tells(refusal(udp(null), inside.address(), inside), Reason.OTHER_KEY, words);
  }

  @Test
  void whoHasAKeyAmongThoseWithoutIsToldSo() throws IOException {
    Station inside = udp(null);
    tells(refusal(udp(key(1)), inside.address(), inside), Reason.OTHER_KEY, "it has no key, and this node encrypts");
  }

  @Test
  void datagramsOfAnotherVersionAreAnsweredAndRefusalsNeedALifeThatWasSaid() throws IOException {
    Station inside = udp(null);
    try (DatagramChannel newer = DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      newer.configureBlocking(false);
      var greeting = ByteBuffer.allocate(GREETING_BYTES).putShort(0, (short) ('T' << 8 | 'u')).put(2, (byte) 9);
      greeting.put(3, (byte) 1).putLong(12, 77);
      newer.send(greeting, socket(inside.address()));
      ByteBuffer answer = receive(newer, inside);
      assertThat(answer.remaining()).as("less than came").isEqualTo(13);
      assertThat(answer.getLong(4)).isEqualTo(77);

      // The same the other way round: a node greets here, and is told with its life, or with an invented one.
      var here = new Address("127.0.0.1:" + newer.socket().getLocalPort());
      inside.offer(here, FRAME);
      ByteBuffer hello = receive(newer, inside);
      long life = hello.getLong(12);
      newer.send(answer.duplicate().putLong(4, life + 1), socket(inside.address()));
      until("dropped", () -> counted(inside, "datagrams.dropped{reason=unasked}") == 1, inside);
      assertThat(inside.refused).isEmpty();
      newer.send(answer.duplicate().putLong(4, life).put(12, (byte) 9), socket(inside.address()));
      until("told", () -> !inside.refused.isEmpty(), inside);
      tells(inside.refused.getFirst(), Reason.OTHER_VERSION, "it speaks version 9 of datagrams, this node version 2");
    }
  }

  @Test
  void aFloodThatCannotBeReadIsAnsweredTenTimesASecond() throws IOException {
    Station inside = udp(key(1));
    try (DatagramChannel stranger = DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      var greeting = ByteBuffer.allocate(GREETING_BYTES).putShort(0, (short) ('T' << 8 | 'u')).put(2, (byte) 2);
      long began = System.nanoTime();
      for (int i = 0; i < 200; i++) {
        stranger.send(greeting.duplicate(), socket(inside.address()));
        inside.transport.poll(0);
      }
      until("all read", () -> counted(inside, "datagrams.dropped{reason=unsealed}") == 200, inside);
      long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds() + 1;
      assertThat(counted(inside, "refusals.sent")).isBetween(10L, 10 * (seconds + 1));
    }
  }

  private static long counted(Station station, String name) {
    return Told.of(station.transport.metrics(), name);
  }

  private static ByteBuffer receive(DatagramChannel at, Station... others) {
    ByteBuffer into = ByteBuffer.allocate(2048);
    until(
        "a datagram",
        () -> {
          try {
            return at.receive(into) != null;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        others);
    return into.flip();
  }

  private static InetSocketAddress socket(Address address) {
    String text = address.text();
    int colon = text.lastIndexOf(':');
    return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }
}
