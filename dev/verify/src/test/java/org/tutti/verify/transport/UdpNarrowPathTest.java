package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;

/// Two transports with something between that swallows long datagrams and says nothing.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpNarrowPathTest {
  private static final int GRAIN = 16;

  private LossyNetwork network;
  private Station a;
  private Station b;

  private void begin(UdpConfig config, double loss, int bytes) throws IOException {
    network = new LossyNetwork(1, loss);
    network.narrow(bytes);
    a = new Station(network.open(config));
    b = new Station(network.open(config));
    TransportContract.exchange(a, b);
  }

  @AfterEach
  void end() throws IOException {
    a.close();
    b.close();
    network.close();
  }

  private static long counter(Station at, String name) {
    return Told.of(at.transport.metrics(), name);
  }

  private void untilMeasured(int bytes) {
    for (Station one : new Station[] {a, b}) {
      until(
          "the size " + bytes,
          () -> {
            long found = counter(one, "path.bytes");
            return found > bytes - GRAIN && found <= bytes;
          },
          a,
          b);
    }
  }

  /// Polls until nothing arrives any more. What is lost or comes late here has no order, so no frame is the last one.
  private void quiet() {
    int seen = -1;
    while (seen != a.frames.size() + b.frames.size()) {
      seen = a.frames.size() + b.frames.size();
      Station.turns(100, a, b);
    }
  }

  /// Frames of all sizes up to the largest, both ways; none is lost.
  private void exchangeAllSizes() {
    exchangeSizesTo(a.transport.traits().frameBytesMax());
  }

  private void exchangeSizesTo(int most) {
    var random = new Random(7);
    quiet();
    a.frames.clear();
    b.frames.clear();
    int count = 300;
    byte[][] frames = new byte[count][];
    for (int i = 0; i < count; i++) {
      frames[i] = new byte[i % 3 == 0 ? most : 1 + random.nextInt(most)];
      random.nextBytes(frames[i]);
      a.send(b.address(), frames[i], b);
      b.send(a.address(), frames[i], a);
      // The network between is a thread and two sockets: what comes faster than it runs would be lost.
      int both = i + 1;
      until("frame " + i, () -> a.frames.size() == both && b.frames.size() == both, a, b);
    }
    assertThat(a.frames).containsExactly(frames);
    assertThat(b.frames).containsExactly(frames);
  }

  @ParameterizedTest
  @ValueSource(ints = {600, 1000, 1252, 1472, 4000})
  void framesOfEverySizePass(int bytes) throws IOException {
    begin(UdpConfig.lan(), 0, bytes);
    untilMeasured(bytes);
    exchangeAllSizes();
    assertThat(counter(a, "datagrams.cut")).isPositive();
    assertThat(counter(b, "pieces.joined")).isPositive().isLessThanOrEqualTo(counter(a, "datagrams.cut"));
    assertThat(counter(b, "pieces.received")).isLessThanOrEqualTo(counter(a, "pieces.sent"));
    assertThat(counter(a, "datagrams.dropped{reason=incomplete}")).isZero();
  }

  @Test
  void sealedFramesPassToo() throws IOException {
    begin(UdpConfig.lan().withKey(UdpKey.of(new byte[UdpKey.BYTES])), 0, 1252);
    untilMeasured(1252 - 36);
    exchangeAllSizes();
  }

  @Test
  void whatFitsIsNotCut() throws IOException {
    begin(UdpConfig.lan(), 0, 1400);
    untilMeasured(1400);
    long cut = counter(a, "datagrams.cut");
    int before = b.frames.size();
    for (int i = 0; i < 1000; i++) {
      a.send(b.address(), new byte[100 + i], b);
      int all = before + i + 1;
      until("frame " + i, () -> b.frames.size() == all, a, b);
    }
    assertThat(counter(a, "datagrams.cut")).isEqualTo(cut);
  }

  @Test
  void anOrdinaryPathCostsOneProbe() throws IOException {
    long start = System.nanoTime();
    begin(UdpConfig.lan(), 0, 1 << 16);
    untilMeasured(8192);
    long tries = 5 + Duration.ofNanos(System.nanoTime() - start).toMillis() / 30; // asked again as long as it takes
    exchangeSizesTo(8192 - 50); // what one datagram takes
    for (Station one : new Station[] {a, b}) {
      assertThat(counter(one, "datagrams.cut")).isZero();
      assertThat(counter(one, "probes.sent{kind=size}")).isLessThanOrEqualTo(2 * tries);
    }
  }

  @Test
  void aLossyPathIsNotTakenForANarrowOne() throws IOException {
    begin(UdpConfig.lan(), 0.2, 1 << 16);
    untilMeasured(8192);
    long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    byte[] frame = new byte[a.transport.traits().frameBytesMax()];
    while (System.nanoTime() - end < 0) {
      a.offer(b.address(), frame);
      Station.turns(1, a, b);
      assertThat(counter(a, "path.bytes")).isEqualTo(8192);
    }
    assertThat(network.lost()).isGreaterThan(100);
    assertThat(counter(a, "probes.sent{kind=size}")).isLessThan(100);
  }

  @Test
  void aPathThatGetsNarrowDuringTrafficCarriesSoonAgain() throws IOException {
    begin(UdpConfig.lan(), 0, 1 << 16);
    untilMeasured(8192);
    exchangeAllSizes();
    for (int bytes : new int[] {1472, 1300, 700}) {
      network.narrow(bytes);
      long begin = System.nanoTime();
      byte[] frame = new byte[a.transport.traits().frameBytesMax()];
      int before = b.frames.size();
      until(
          "frames again",
          () -> {
            a.offer(b.address(), frame);
            return b.frames.size() > before + 100;
          },
          a,
          b);
      long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
      System.out.println("narrowed to " + bytes + ": 100 frames later after " + millis + " ms");
      assertThat(millis).isLessThan(10_000);
      until("the size", () -> counter(a, "path.bytes") <= bytes, a, b);
    }
  }
}
