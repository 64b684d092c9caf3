package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// Datagrams in the name of an address whose answers their sender does not get. There is no key.
@Tag("socket")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class UdpForgedTest {
  private static final int HEADER_BYTES = 48;
  private static final byte HELLO = 1;
  private static final byte DATA = 3;
  private static final byte ECHO = 4;
  private static final byte BYE = 6;
  private static final long LIAR = 4242;
  private static final long PEER = 77;
  private static final long WATCHED_NANOS = Duration.ofSeconds(2).toNanos();

  private Station node;
  private DatagramChannel liar; // hears what is sent to 127.0.0.3
  private DatagramChannel named; // an address in whose name the liar speaks

  @BeforeEach
  void open() throws IOException {
    node = new Station(UdpTransport.open(new Address("127.0.0.1:0"), UdpConfig.lan()));
    liar = socket("127.0.0.3");
    named = socket("127.0.0.2");
  }

  private DatagramChannel socket(String host) throws IOException {
    DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(host, 0));
    channel.configureBlocking(false);
    int port = Station.port(node.address());
    return channel.connect(new InetSocketAddress("127.0.0.1", port));
  }

  @AfterEach
  void close() throws IOException {
    liar.close();
    named.close();
    node.close();
  }

  private static ByteBuffer datagram(int kind, long to, long from, int bytes) {
    ByteBuffer all = ByteBuffer.allocate(HEADER_BYTES + bytes);
    all.put((byte) 'T').put((byte) 'u').put((byte) 2).put((byte) kind).putLong(to).putLong(from);
    return all.putLong(20, kind == DATA ? 1 : 0).putInt(44, 1 << 20).rewind(); // its number, and a large grant
  }

  /// All of a datagram with a frame, under the short header of pieces.
  private static ByteBuffer piece(long to, long from) {
    ByteBuffer piece = ByteBuffer.allocate(23).put((byte) 'T').put((byte) 'q').put((byte) 0).put((byte) 1);
    piece.putShort((short) 3).putShort((short) 0).putInt(1).putInt((int) to).putInt((int) from);
    return piece.putShort((short) 1).put((byte) 7).flip();
  }

  /// What the node says to a greeting of this socket: its life, as this address is to know it.
  private long greet(DatagramChannel from, long life) throws IOException {
    from.write(datagram(HELLO, 0, life, 0));
    ByteBuffer answer = ByteBuffer.allocate(1 << 16);
    until("an answer", () -> read(from, answer) > 0, node);
    assertThat(answer.position()).as("bytes of the answer").isLessThanOrEqualTo(HEADER_BYTES);
    return answer.getLong(12);
  }

  private static int read(DatagramChannel from, ByteBuffer into) {
    try {
      return from.read(into);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private int drawn(DatagramChannel at) {
    int sum = 0;
    ByteBuffer any = ByteBuffer.allocate(1 << 16);
    long end = System.nanoTime() + WATCHED_NANOS;
    while (System.nanoTime() - end < 0) {
      turns(1, node);
      sum += read(at, any.clear());
    }
    return sum;
  }

  private long count(String name) {
    return Told.of(node.transport.metrics(), name);
  }

  @Test
  void aForgedDatagramDrawsNoMoreThanItIsLong() throws IOException {
    long life = greet(liar, LIAR);
    for (byte kind : new byte[] {ECHO, DATA}) {
      named.write(datagram(kind, life, LIAR, 0));
      assertThat(drawn(named)).as("bytes for kind " + kind).isLessThanOrEqualTo(HEADER_BYTES);
    }
    assertThat(count("peers.connected")).as("peers that are believed").isZero();
    assertThat(count("datagrams.dropped{reason=other-life}")).isEqualTo(2);
  }

  @Test
  void whoReceivesWhatIsSentToItsAddressIsBelieved() throws IOException {
    named.write(datagram(ECHO, greet(named, PEER), PEER, 0));
    until("believed", () -> count("peers.connected") == 1, node);
  }

  @Test
  void aForgedDatagramReplacesNoLifeAndEndsNone() throws IOException {
    long own = greet(named, PEER);
    named.write(datagram(ECHO, own, PEER, 0));
    until("believed", () -> count("peers.connected") == 1, node);
    long life = greet(liar, LIAR);
    named.write(datagram(ECHO, life, LIAR, 0));
    named.write(datagram(BYE, life, PEER, 0));
    ByteBuffer frame = datagram(DATA, life, PEER, 3).putShort(HEADER_BYTES, (short) 1);
    named.write(frame);
    named.write(piece(life, PEER));
    named.write(piece(own, LIAR));
    until("the datagrams", () -> count("datagrams.dropped{reason=other-life}") == 5, node);
    assertThat(count("peers.ended{reason=replaced}") + count("peers.ended{reason=by-peer}")).isZero();
    assertThat(node.frames).isEmpty();
  }
}
