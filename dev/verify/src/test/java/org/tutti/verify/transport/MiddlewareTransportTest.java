package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// What every transport over a middleware does by itself, shown with one that is a method call.
final class MiddlewareTransportTest extends TransportContract {
  private final InMemoryMiddleware board = new InMemoryMiddleware();

  @Override
  protected Transport open(Address address) throws IOException {
    return open(address, config -> config.withBackoff(Duration.ofMillis(10), Duration.ofMillis(50)));
  }

  private Transport open(Address address, UnaryOperator<MiddlewareConfig> change) throws IOException {
    return new MiddlewareTransport(board.at(address), change.apply(MiddlewareConfig.lan()));
  }

  @Override
  protected Address unused(String name) {
    return new Address(name);
  }

  @Test
  void framesOfOneTurnLeaveAsOneBatch() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    quiet(a, b);
    until("500 frames of one turn in one batch", () -> leaveAsOneBatch(a, b), a, b);
  }

  /// Not while the lane is still about an earlier batch.
  private static boolean leaveAsOneBatch(Station a, Station b) {
    long before = counter(b, "batches.received");
    int frames = b.frames.size();
    for (int i = 0; i < 500; i++) {
      assertThat(a.offer(b.address(), new byte[100])).isTrue();
    }
    until("all frames", () -> b.frames.size() == frames + 500, a, b);
    return counter(b, "batches.received") == before + 1;
  }

  @Test
  void whatIsNoBatchIsDroppedAndCountedWithTheReason() throws IOException {
    Station a = station("a");
    byte[] right = batch("x", "a", frame(3));
    refused(a, new byte[0], "batches.dropped{reason=foreign-protocol}", 1);
    refused(a, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII), "dropped{reason=foreign-protocol}", 2);
    refused(a, changed(right, 4, 2), "batches.dropped{reason=other-version}", 1);
    refused(a, changed(right, 5, 0), "batches.dropped{reason=bad-preamble}", 1);
    refused(a, changed(right, 6, 0), "batches.dropped{reason=bad-preamble}", 2);
    refused(a, changed(right, 6, 255), "batches.dropped{reason=bad-preamble}", 3);
    refused(a, batch("x", "b", frame(3)), "batches.dropped{reason=wrong-identity}", 1);
    assertThat(board.send(a.address(), right)).isTrue();
    until("the frame", () -> a.frames.size() == 1, a);
    assertThat(a.frames.getFirst()).hasSize(3);
  }

  @Test
  void aBatchOfAnotherVersionIsAnsweredOnceForMany() throws IOException {
    Station a = station("a");
    Station b = station("b");
    byte[] strange = changed(batch("b", "a", frame(3)), 4, 2);
    for (int i = 0; i < 100; i++) {
      board.send(a.address(), strange);
    }
    until("an answer", () -> counter(b, "batches.received") > 0, a, b);
    turns(20, a, b);
    assertThat(counter(b, "batches.received")).as("of 100, in a moment").isLessThan(10);
    assertThat(counter(b, "bytes.received")).as("no more than headers").isEqualTo(9 * counter(b, "batches.received"));
    assertThat(b.frames).isEmpty();
    assertThat(a.refused).as("by whom it has not spoken to").isEmpty();
  }

  @Test
  void anAnswerIsNotAnsweredAndTellsOnlyWhoHasSpoken() throws IOException {
    Station a = station("a");
    Station b = station("b");
    byte[] bare = changed(batch("b", "a"), 4, 2);
    board.send(a.address(), bare);
    turns(20, a, b);
    assertThat(a.refused).isEmpty();
    exchange(a, b);
    long before = counter(b, "batches.received");
    board.send(a.address(), bare);
    until("told", () -> !a.refused.isEmpty(), a, b);
    turns(20, a, b);
    assertThat(a.refused.getFirst().by()).isEqualTo(b.address());
    assertThat(counter(b, "batches.received")).isEqualTo(before);
    // Not for this node, cut off, of nobody.
    board.send(a.address(), changed(batch("b", "c"), 4, 2));
    board.send(a.address(), changed(changed(batch("b", "a"), 4, 2), 6, 200));
    board.send(a.address(), changed(batch("", "a"), 4, 2));
    turns(20, a, b);
    assertThat(a.refused).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, (1 << 17) + 1, 4})
  void aBatchWithALengthThatNoFrameHasIsDroppedAsAWhole(int length) throws IOException {
    Station a = station("a");
    byte[] wrong = ByteBuffer.allocate(7).putInt(length).put(new byte[3]).array();
    refused(a, batch("x", "a", frame(3), wrong), "batches.dropped{reason=bad-length}", 1);
    refused(a, batch("x", "a", frame(3), new byte[2]), "batches.dropped{reason=bad-length}", 2);
    turns(3, a);
    assertThat(a.frames).isEmpty();
  }

  @Test
  void anEngineThatDoesNotKeepUpLosesWhatHasWaitedForTooLong() throws Exception {
    Transport slow = open(unused("slow"), config -> config.withInboxWait(Duration.ofMillis(20)));
    try (Station a = new Station(slow)) {
      byte[] large = batch("x", "slow", frame(100_000));
      int fit = MiddlewareConfig.lan().inboxBytes() / large.length;
      for (int i = 0; i < fit; i++) {
        assertThat(board.send(a.address(), large)).isTrue();
      }
      refused(a, large, "batches.dropped{reason=inbox-full}", 1);
      until("the rest", () -> a.frames.size() == fit, a);
      assertThat(board.send(a.address(), large)).isTrue();
    }
  }

  @Test
  void theThreadThatBringsTooMuchWaitsUntilTheEngineHasTakenIt() throws Exception {
    Station a = station("a");
    byte[] large = batch("x", "a", frame(100_000));
    int fit = MiddlewareConfig.lan().inboxBytes() / large.length;
    Thread source =
        Thread.ofVirtual()
            .start(() -> {
              for (int i = 0; i < 3 * fit; i++) {
                board.send(a.address(), large);
              }
            });
    until("all that was sent", () -> a.frames.size() == 3 * fit, a);
    source.join();
    assertThat(counter(a, "batches.dropped{reason=inbox-full}")).isZero();
  }

  @Test
  void anAddressThatCannotBeDialledIsCounted() throws IOException {
    Station a = station("a");
    until("counted", () -> !a.offer(new Address("?"), bytes(1)) && counter(a, "addresses.unusable") > 0, a);
  }

  @Test
  void addressesThatCannotBeReachedAreForgotten() throws IOException {
    Station a = station("a");
    for (int i = 0; i < 3000; i++) {
      a.offer(new Address("nobody" + i), bytes(1));
    }
    assertThat(counter(a, "addresses.forgotten")).isEqualTo(3000 - MiddlewareConfig.lan().peersMax());
    exchange(a, station("b"));
  }

  @Test
  void callsAreClosedWithTheTransport() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    assertThat(board.open.get()).isEqualTo(2);
    assertThat(counter(a, "peers.connected")).isEqualTo(1);
    a.close();
    b.close();
    assertThat(board.open.get()).isZero();
  }

  @Test
  void aBugOfTheMiddlewareStopsTheEngine() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    board.bug = new IllegalArgumentException("a bug");
    a.offer(b.address(), bytes(1));
    assertThatIllegalStateException()
        .isThrownBy(() -> until("never", () -> false, a))
        .withCauseInstanceOf(IllegalArgumentException.class);
    board.bug = null;
  }

  private void refused(Station at, byte[] batch, String reason, long count) {
    assertThat(board.send(at.address(), batch)).isFalse();
    assertThat(counter(at, reason)).as(reason).isEqualTo(count);
  }

  static long counter(Station at, String name) {
    return Told.of(at.transport.metrics(), name);
  }

  private static byte[] changed(byte[] batch, int at, int value) {
    byte[] copy = batch.clone();
    copy[at] = (byte) value;
    return copy;
  }

  private static byte[] frame(int length) {
    return ByteBuffer.allocate(4 + length).putInt(length).array();
  }

  /// The wire format, spelled out once more: it must not change by accident.
  static byte[] batch(String from, String to, byte[]... parts) {
    ByteBuffer bytes = ByteBuffer.allocate(1 << 18);
    bytes.put("Tutt".getBytes(StandardCharsets.US_ASCII)).put((byte) 1).put((byte) from.length());
    bytes.put((byte) to.length()).put(from.getBytes()).put(to.getBytes());
    for (byte[] part : parts) {
      bytes.put(part);
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
