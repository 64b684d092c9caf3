package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fixture.RawPackets;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// What a transport over stream sockets promises besides: strangers at its port are counted and harm nobody.
abstract class SocketContract extends TransportContract {
  private static final int ACCEPTED_MAX = 16;
  private static final int HANDSHAKES_MAX = 4;
  private static final Address STRANGER = new Address("127.0.0.1:9");

  private final List<SocketChannel> strangers = new ArrayList<>();

  /// Where the Unix domain sockets of the transports under test meet, or null for TCP only.
  abstract @Nullable Path socketDirectory();

  /// Connects to a transport as a stranger would, blocking.
  abstract SocketChannel dial(Address address) throws IOException;

  @Override
  protected final TcpTransport open(Address address) throws IOException {
    TcpConfig lan = TcpConfig.lan();
    TcpConfig strict =
        new TcpConfig(
            lan.frameBytesMax(),
            lan.sendBufferBytes(),
            lan.receiveBufferBytes(),
            ACCEPTED_MAX,
            HANDSHAKES_MAX,
            Duration.ofMillis(300),
            Duration.ofMillis(10),
            Duration.ofMillis(50),
            lan.silenceMax(),
            socketDirectory(),
            false);
    return TcpTransport.open(address, strict);
  }

  @Override
  protected final Address unused(String name) {
    return new Address("127.0.0.1:0");
  }

  @AfterEach
  void closeStrangers() throws IOException {
    for (SocketChannel stranger : strangers) {
      stranger.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void randomBytesAreCountedAndTheConnectionIsClosed(int seed) throws IOException {
    Station a = station("a");
    byte[] noise = new byte[100_000];
    new Random(seed).nextBytes(noise);
    stranger(a, noise);
    untilCounted(a, "closed{reason=foreign-protocol}", 1);
    stillServes(a);
  }

  @Test
  void anHttpRequestIsCountedAndTheConnectionIsClosed() throws IOException {
    Station a = station("a");
    SocketChannel browser = stranger(a, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    untilCounted(a, "closed{reason=foreign-protocol}", 1);
    assertThat(isEnded(browser)).isTrue();
    stillServes(a);
  }

  @Test
  void anotherVersionAndAMalformedPreambleAreToldApart() throws IOException {
    Station a = station("a");
    byte[] future = preamble(a.address());
    future[4] = 2;
    stranger(a, future);
    untilCounted(a, "closed{reason=other-version}", 1);
    byte[] nameless = preamble(a.address());
    nameless[5] = 0;
    stranger(a, nameless);
    untilCounted(a, "closed{reason=bad-preamble}", 1);
    byte[] garbled = preamble(a.address());
    garbled[8] = (byte) 0xff;
    stranger(a, garbled);
    untilCounted(a, "closed{reason=bad-preamble}", 2);
    stillServes(a);
  }

  @Test
  void aPreambleForSomebodyElseIsRefused() throws IOException {
    Station a = station("a");
    stranger(a, preamble(new Address("127.0.0.1:1")));
    untilCounted(a, "closed{reason=wrong-identity}", 1);
    stillServes(a);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 17) + 1})
  void aLengthThatNoFrameHasEndsTheConnection(int length) throws IOException {
    Station a = station("a");
    byte[] greeting = preamble(a.address());
    SocketChannel liar = stranger(a, ByteBuffer.allocate(greeting.length + 4).put(greeting).putInt(length).array());
    untilCounted(a, "closed{reason=bad-length}", 1);
    assertThat(isEnded(liar)).isTrue();
    assertThat(a.frames).isEmpty();
    stillServes(a);
  }

  /// A kilobyte at a time, as a slow line brings it.
  @Test
  void aLongFrameThatComesSlowlyDoesNotHoldUpOthers() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    byte[] frame = new byte[100 << 10];
    new Random(1).nextBytes(frame);
    byte[] greeting = preamble(a.address());
    ByteBuffer stream = ByteBuffer.allocate(greeting.length + 4 + frame.length).put(greeting);
    stream.putInt(frame.length).put(frame).flip();
    SocketChannel slow = stranger(a, Arrays.copyOf(stream.array(), 1 << 10));
    int others = a.frames.size();
    for (int at = 1 << 10; at < stream.limit(); at += 1 << 10) {
      ByteBuffer part = stream.slice(at, Math.min(1 << 10, stream.limit() - at));
      until("a part", () -> isWritten(slow, part), a);
      b.send(a.address(), bytes(1), a);
      turns(1, b, a);
    }
    until("the long frame", () -> a.frames.stream().anyMatch(each -> Arrays.equals(each, frame)), a);
    assertThat(a.frames).as("and those of b").hasSizeGreaterThan(others + 50);
    assertThat(counter(a, "reads.deferred")).isPositive();
    stillServes(a);
  }

  @Test
  void halfAPreambleAndSilenceEndByTimeout() throws IOException {
    Station a = station("a");
    stranger(a, new byte[0]);
    stranger(a, Arrays.copyOf(preamble(a.address()), 9));
    untilCounted(a, "closed{reason=preamble-timeout}", 2);
    stillServes(a);
  }

  @Test
  void aStrangerThatHangsUpIsForgotten() throws IOException {
    Station a = station("a");
    stranger(a, Arrays.copyOf(preamble(a.address()), 3)).close();
    untilCounted(a, "closed{reason=by-peer}", 1);
    stillServes(a);
  }

  @Test
  void aFloodOfSilentConnectionsCrowdsOutItselfOnly() throws IOException {
    Station a = station("a");
    for (int i = 0; i < 100; i++) {
      stranger(a, new byte[0]);
    }
    untilCounted(a, "closed{reason=crowded-out}", 100 - HANDSHAKES_MAX);
    stillServes(a);
  }

  @Test
  void aFloodOfGreetedConnectionsIsBoundedInNumberAndMemory() throws IOException {
    Station a = station("a");
    long before = directBytes();
    for (int i = 0; i < 60; i++) {
      byte[] greeting = preamble(new Address("10.0.0." + i + ":1"), a.address());
      // Announces the largest frame and never finishes it.
      byte[] begun = ByteBuffer.allocate(greeting.length + 5).put(greeting).putInt(1 << 16).put((byte) 1).array();
      stranger(a, begun);
      turns(2, a);
    }
    untilCounted(a, "closed{reason=too-many}", 60 - ACCEPTED_MAX);
    assertThat(directBytes() - before).isLessThan((ACCEPTED_MAX + 2L) * TcpConfig.lan().receiveBufferBytes());
    closeStrangers();
    // A close with our preamble unread is a reset.
    until("their end", () -> counter(a, "{reason=by-peer}") + counter(a, "{reason=broken}") >= ACCEPTED_MAX, a);
    stillServes(a);
  }

  @Test
  void theMemoryOfClosedConnectionsIsUsedAgain() throws IOException {
    Station a = station("a");
    long before = directBytes();
    for (int wave = 1; wave <= 4; wave++) {
      for (int i = 0; i < ACCEPTED_MAX; i++) {
        byte[] greeting = preamble(new Address("10.0.0." + i + ":1"), a.address());
        stranger(a, ByteBuffer.allocate(greeting.length + 4).put(greeting).putInt(1 << 16).array());
        turns(2, a);
      }
      closeStrangers();
      long ended = (long) wave * ACCEPTED_MAX;
      until("their end", () -> counter(a, "closed{reason=by-peer}") + counter(a, "closed{reason=broken}") >= ended, a);
    }
    assertThat(directBytes() - before).isLessThan((ACCEPTED_MAX + 2L) * TcpConfig.lan().receiveBufferBytes());
  }

  @Test
  void aConnectionThatComesAfterALongWaitHasItsFullTime() throws Exception {
    Station a = station("a");
    Station b = station("b");
    turns(1, a);
    Thread engine = new Thread(() -> until("a frame", () -> !a.frames.isEmpty() || isPolledFor(a, 60), a));
    engine.start();
    // Longer than the handshake may last; the other thread waits in one poll all the while.
    b.transport.poll(Duration.ofMillis(600).toNanos());
    b.send(a.address(), bytes(1));
    until("written", () -> !engine.isAlive(), b);
    assertThat(a.frames).hasSize(1);
    assertThat(counter(a, "closed{reason=preamble-timeout}")).isZero();
  }

  private static boolean isPolledFor(Station station, int seconds) {
    station.transport.poll(Duration.ofSeconds(seconds).toNanos());
    return false;
  }

  @Test
  void oneTurnMaySayMoreThanABufferHoldsWhileTheSocketIsIdle() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    int before = b.frames.size();
    int count = TcpConfig.lan().sendBufferBytes() / 1000 + 20;
    for (int i = 0; i < count; i++) {
      assertThat(a.offer(b.address(), new byte[1000])).isTrue();
    }
    until("all frames", () -> b.frames.size() == before + count, a, b);
  }

  @Test
  void aNewConnectionOfAPeerReplacesItsOldOne() throws IOException {
    Station a = station("a");
    SocketChannel old = stranger(a, preamble(a.address()));
    turns(5, a);
    stranger(a, preamble(a.address()));
    untilCounted(a, "closed{reason=replaced}", 1);
    assertThat(isEnded(old)).isTrue();
  }

  @Test
  void framesOfOneTurnLeaveWithOneWrite() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    long writes = counter(a, "writes.made");
    int before = b.frames.size();
    for (int i = 0; i < 500; i++) {
      assertThat(a.offer(b.address(), new byte[100])).isTrue();
    }
    until("all frames", () -> b.frames.size() == before + 500, a, b);
    assertThat(counter(a, "writes.made") - writes).isEqualTo(1);
    assertThat(counter(a, "frames.sent")).isGreaterThanOrEqualTo(500);
  }

  private SocketChannel stranger(Station at, byte[] bytes) throws IOException {
    SocketChannel channel = dial(at.address());
    strangers.add(channel);
    channel.configureBlocking(false);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    until("a stranger's bytes", () -> isWritten(channel, buffer), at);
    return channel;
  }

  private static boolean isWritten(SocketChannel channel, ByteBuffer bytes) {
    try {
      channel.write(bytes);
      return !bytes.hasRemaining();
    } catch (IOException _) {
      return true;
    }
  }

  /// Whether the other side hung up, after at most its own preamble.
  private static boolean isEnded(SocketChannel channel) {
    try {
      channel.configureBlocking(true);
      ByteBuffer sink = ByteBuffer.allocate(1 << 10);
      while (channel.read(sink) >= 0) {
        sink.clear();
      }
      return true;
    } catch (IOException _) {
      return true;
    }
  }

  private void stillServes(Station a) throws IOException {
    exchange(a, station("honest"));
  }

  static void untilCounted(Station at, String reason, long count) {
    until(reason + " of " + at.transport, () -> counter(at, reason) >= count, at);
    assertThat(counter(at, reason)).isEqualTo(count);
  }

  static long counter(Station at, String name) {
    return Told.of(((TcpTransport) at.transport).metrics(), name);
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  static byte[] preamble(Address from, Address to) {
    return RawPackets.preamble(from, to);
  }

  private static byte[] preamble(Address to) {
    return RawPackets.preamble(STRANGER, to);
  }
}
