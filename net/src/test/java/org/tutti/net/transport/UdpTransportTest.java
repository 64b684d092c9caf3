package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.TransportException;

final class UdpTransportTest extends TransportContract {
  private static final int HEADER_BYTES = 48;
  private static final int PIECE_HEADER_BYTES = 20;

  @Override
  protected UdpTransport open(Address address) throws IOException {
    return UdpTransport.open(address, UdpConfig.lan());
  }

  @Override
  protected boolean keepsOrder() {
    return false;
  }

  @Override
  protected Address unused(String name) {
    return new Address("127.0.0.1:0");
  }

  @Test
  void framesOfOneTurnShareDatagrams() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    long datagrams = counter(a, "datagrams.sent");
    int before = b.frames.size();
    for (int i = 0; i < 500; i++) {
      assertThat(a.offer(b.address(), new byte[100])).isTrue();
    }
    until("all frames", () -> b.frames.size() == before + 500, a, b);
    assertThat(counter(a, "datagrams.sent") - datagrams).isLessThanOrEqualTo(7);
  }

  @Test
  void aDatagramIsAsLargeAsTheSettingsAllow() throws IOException {
    Address anywhere = new Address("127.0.0.1:0");
    for (int most : new int[] {1472, UdpConfig.lan().datagramBytesMax()}) {
      try (Station a = new Station(UdpTransport.open(anywhere, UdpConfig.lan().withDatagramBytesMax(most)));
          Station b = new Station(open(anywhere))) {
        a.send(b.address(), new byte[most - HEADER_BYTES - 2], b);
        until("the frame", () -> b.frames.size() == 1, a, b);
        assertThat(counter(a, "path.bytes")).isEqualTo(most);
        assertThat(counter(a, "datagrams.cut")).isZero();
        a.send(b.address(), new byte[most - HEADER_BYTES - 1], b);
        until("the longer one", () -> b.frames.size() == 2, a, b);
        assertThat(counter(a, "datagrams.cut")).isEqualTo(1);
      }
    }
  }

  @Test
  void whatTheKernelGrantedIsCounted() throws IOException {
    try (UdpTransport transport = open(new Address("127.0.0.1:0"))) {
      assertThat(Told.of(transport.metrics(), "buffer.asked.bytes"))
          .isEqualTo(UdpConfig.lan().receiveBufferBytes())
          .isGreaterThanOrEqualTo(Told.of(transport.metrics(), "buffer.granted.bytes{socket=peers}"));
      assertThat(Told.of(transport.metrics(), "buffer.granted.bytes{socket=peers}")).isPositive();
    }
  }

  @Test
  void anAddressThatTheSocketDoesNotReachIsRefusedAndCounted() throws IOException {
    Station a = new Station(open(new Address("127.0.0.1:0")));
    for (String elsewhere : new String[] {"[::1]:7000", "localhost:7000", "127.0.0.1:0"}) {
      assertThat(a.offer(new Address(elsewhere), new byte[1])).isFalse();
    }
    assertThat(counter(a, "addresses.unusable")).isEqualTo(3);
    turns(1, a);
    assertThat(counter(a, "hellos.sent")).isZero();
    a.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void randomBytesAreCountedAndHarmNobody(int seed) throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    var random = new Random(seed);
    try (DatagramChannel stranger = dial(a)) {
      for (int i = 0; i < 100; i++) {
        byte[] noise = new byte[1 + random.nextInt(200)];
        random.nextBytes(noise);
        stranger.write(ByteBuffer.wrap(noise));
        turns(1, a);
      }
      until("all strange datagrams", () -> counter(a, "datagrams.dropped{reason=foreign-protocol}") == 100, a);
    }
    exchange(a, b);
  }

  @Test
  void anotherVersionIsCounted() throws IOException {
    Station a = station("a");
    try (DatagramChannel stranger = dial(a)) {
      stranger.write(header(1, 0, 5).put(2, (byte) 3));
      until("its end", () -> counter(a, "datagrams.dropped{reason=other-version}") == 1, a);
    }
  }

  /// A greeting may come from an invented address: it gets an answer that is not longer, and nothing else.
  @Test
  void aGreetingIsAnsweredAndNotKept() throws IOException {
    Station a = station("a");
    try (DatagramChannel stranger = dial(a)) {
      ByteBuffer answer = answer(stranger, header(1, 0, 5), a);
      assertThat(answer.position()).isEqualTo(HEADER_BYTES);
      assertThat(answer.get(3)).isEqualTo((byte) 2);
      assertThat(answer.getLong(4)).isEqualTo(5);
      assertThat(counter(a, "peers.connected")).isZero();
      // Only now it is known that the stranger gets what is sent to its address.
      stranger.write(header(4, answer.getLong(12), 5));
      until("to be known", () -> counter(a, "peers.connected") == 1, a);
    }
  }

  @Test
  void aDatagramForAnEarlierLifeIsAnsweredWithThePresentOne() throws IOException {
    Station a = station("a");
    try (DatagramChannel stranger = dial(a)) {
      ByteBuffer answer = answer(stranger, header(3, 77, 5), a);
      assertThat(answer.get(3)).isEqualTo((byte) 2);
      assertThat(counter(a, "datagrams.dropped{reason=other-life}")).isEqualTo(1);
      stranger.write(header(2, 77, 5));
      until("the second one", () -> counter(a, "datagrams.dropped{reason=other-life}") == 2, a);
      turns(5, a);
      assertThat(isRead(stranger, answer.clear())).as("an answer to an answer").isFalse();
    }
    assertThat(a.frames).isEmpty();
  }

  @Test
  void aLengthThatNoFrameHasEndsTheDatagram() throws IOException {
    Station a = station("a");
    try (DatagramChannel stranger = dial(a)) {
      ByteBuffer answer = answer(stranger, header(1, 0, 5), a);
      for (int length : new int[] {0, 5, 0xffff}) {
        ByteBuffer bad = ByteBuffer.allocate(HEADER_BYTES + 6).put(header(3, answer.getLong(12), 5));
        stranger.write(bad.putShort((short) length).putInt(1).flip());
      }
      until("three drops", () -> counter(a, "datagrams.dropped{reason=bad-length}") == 3, a);
    }
    assertThat(a.frames).isEmpty();
  }

  @Test
  void piecesOfAStrangerAreJoinedOrCounted() throws IOException {
    Station a = station("a");
    try (DatagramChannel stranger = dial(a)) {
      ByteBuffer answer = answer(stranger, header(1, 0, 5), a);
      long life = answer.getLong(12);
      stranger.write(piece(life, 1, 0, 2, 4, 0x0005_0102));
      until("one of nobody", () -> counter(a, "datagrams.dropped{reason=other-life}") == 1, a);
      stranger.write(header(4, life, 5)); // an ECHO
      stranger.write(piece(life, 1, 0, 2, 4, 0x0005_0102));
      stranger.write(piece(life, 9, 1, 7, 3, 0));
      stranger.write(piece(life, 1, 0, 0, 4, 0));
      stranger.write(piece(life, 1, 2, 2, 4, 0));
      stranger.write(piece(life, 2, 1, 255, 4, 0));
      stranger.write(piece(life, 2, 1, 2, 5, 0)); // another length than that of the first piece
      until("five drops", () -> counter(a, "pieces.dropped{reason=bad}") == 5, a);
      stranger.write(piece(life, 1, 0, 2, 4, 0));
      until("the one that came twice", () -> counter(a, "pieces.dropped{reason=late}") == 1, a);
      assertThat(a.frames).isEmpty();
      stranger.write(piece(life, 2, 1, 2, 4, 0x03040500).limit(PIECE_HEADER_BYTES + 3));
      until("the frame", () -> a.frames.size() == 1, a);
    }
    assertThat(a.frames.getFirst()).containsExactly(1, 2, 3, 4, 5);
    assertThat(counter(a, "pieces.joined")).isEqualTo(1);
  }

  private static ByteBuffer piece(long to, long number, int index, int count, int length, int content) {
    ByteBuffer piece = ByteBuffer.allocate(PIECE_HEADER_BYTES + 4).put((byte) 'T').put((byte) 'q');
    piece.put((byte) index).put((byte) count).putShort((short) length).putShort((short) 0).putInt((int) number);
    return piece.putInt((int) to).putInt(5).putInt(content).flip();
  }

  @Test
  void aProbeIsAnsweredWithItsLength() throws IOException {
    Station a = station("a");
    try (DatagramChannel stranger = dial(a)) {
      stranger.configureBlocking(false);
      stranger.write(header(1, 0, 5));
      ByteBuffer answer = ByteBuffer.allocate(10_000);
      until("an answer", () -> isRead(stranger, answer), a);
      stranger.write(ByteBuffer.allocate(777).put(header(5, answer.getLong(12), 5).putLong(20, 0)).clear());
      until("its length", () -> isRead(stranger, answer.clear()) && answer.get(3) == 4 && answer.getLong(20) == 777, a);
      assertThat(answer.position()).isEqualTo(HEADER_BYTES);
    }
  }

  @Test
  void aPeerThatSaysNothingMustBeGreetedAgain() throws IOException {
    UdpConfig lan = UdpConfig.lan();
    var impatient =
        new UdpConfig(
            lan.datagramBytesMax(),
            lan.receiveBufferBytes(),
            lan.sendBufferBytes(),
            lan.queueBytes(),
            lan.peersMax(),
            lan.backoffMin(),
            lan.backoffMax(),
            Duration.ofMillis(200),
            null,
            null,
            lan.trains());
    Station b = station("b");
    try (Station a = new Station(UdpTransport.open(new Address("127.0.0.1:0"), impatient))) {
      exchange(a, b);
      a.send(b.address(), bytes(3), b);
      long before = counter(a, "peers.ended{reason=silent}");
      until("its patience to end", () -> counter(a, "{reason=silent}") > before && !a.offer(b.address(), bytes(4)), a);
      exchange(a, b);
    }
  }

  @Test
  void whoHasTheKeyIsHeardAndNobodyElse() throws IOException {
    byte[] other = new byte[UdpKey.BYTES];
    other[0] = 1;
    UdpConfig sealed = UdpConfig.lan().withKey(UdpKey.of(new byte[UdpKey.BYTES]));
    UdpConfig wrong = UdpConfig.lan().withKey(UdpKey.of(other));
    Address anywhere = new Address("127.0.0.1:0");
    try (Station a = new Station(UdpTransport.open(anywhere, sealed));
        Station b = new Station(UdpTransport.open(anywhere, sealed));
        Station c = new Station(UdpTransport.open(anywhere, wrong));
        Station d = new Station(UdpTransport.open(anywhere, UdpConfig.lan()))) {
      exchange(a, b);
      assertThat(c.offer(a.address(), bytes(1))).isFalse();
      assertThat(d.offer(a.address(), bytes(1))).isFalse();
      until(
          "the greetings",
          () -> counter(a, "dropped{reason=unknown-key}") > 0 && counter(a, "dropped{reason=unsealed}") > 0,
          a,
          b,
          c,
          d);
      assertThat(counter(c, "peers.connected") + counter(d, "peers.connected")).isZero();
    }
  }

  @Test
  void withoutAKeyOnlyLoopbackIsListenedOn() {
    assertThatThrownBy(() -> UdpTransport.open(new Address("192.0.2.1:0"), UdpConfig.lan()))
        .isInstanceOf(TransportException.class)
        .hasMessageContaining("without a key");
  }

  private static DatagramChannel dial(Station to) throws IOException {
    String text = to.address().text();
    return DatagramChannel.open()
        .connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(text.substring(text.lastIndexOf(':') + 1))));
  }

  /// The wire format, spelled out once more: it must not change by accident.
  private static ByteBuffer header(int kind, long to, long from) {
    return ByteBuffer.allocate(HEADER_BYTES)
        .put((byte) 'T')
        .put((byte) 'u')
        .put((byte) 2)
        .put((byte) kind)
        .putLong(to)
        .putLong(from)
        .putLong(1)
        .putLong(0)
        .putInt(0)
        .putInt(0)
        .putInt(1 << 16)
        .flip();
  }

  /// Sends a datagram and waits for what comes back.
  private static ByteBuffer answer(DatagramChannel stranger, ByteBuffer greeting, Station at) throws IOException {
    stranger.configureBlocking(false);
    stranger.write(greeting);
    ByteBuffer answer = ByteBuffer.allocate(1000);
    until("an answer", () -> isRead(stranger, answer), at);
    return answer;
  }

  private static boolean isRead(DatagramChannel channel, ByteBuffer into) {
    try {
      return channel.read(into) > 0;
    } catch (IOException _) {
      return false;
    }
  }

  private static long counter(Station at, String name) {
    return Told.of(at.transport.metrics(), name);
  }
}
