package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// What a transport over TCP says of a process that ended, and how it replaces a connection that says nothing.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TcpRenewalTest {
  private static final Duration BACKOFF_MAX = Duration.ofMillis(50);
  private static final TcpConfig CONFIG =
      TcpConfig.lan().withSocketDirectory(null).withBackoff(Duration.ofMillis(10), BACKOFF_MAX);
  private static final Address ANY = new Address("127.0.0.1:0");

  private static Station station(Address at) throws Exception {
    return new Station(TcpTransport.open(at, CONFIG));
  }

  private static long count(Station station, String name) {
    return Told.of(station.transport.metrics(), name);
  }

  /// Exchanges frames until a connection has lasted.
  private static void settle(Station a, Station b) {
    a.send(b.address(), new byte[] {1}, b);
    until("a frame", () -> !b.frames.isEmpty(), a, b);
    long end = System.nanoTime() + BACKOFF_MAX.multipliedBy(2).toNanos();
    until("the connection lasts", () -> System.nanoTime() - end > 0, a, b);
  }

  @Test
  void aProcessThatEndedIsGoneWhenItsHostRefusesTwice() throws Exception {
    try (Station a = station(ANY);
        Station b = station(ANY)) {
      settle(a, b);
      b.transport.close();
      until("word of it", () -> !a.gone.isEmpty(), a);
      assertThat(a.gone).containsExactly(b.address());
      assertThat(count(a, "dials.failed")).isEqualTo(2);
    }
  }

  @Test
  void aProcessThatEndedSoonIsGone() throws Exception {
    try (Station a = station(ANY);
        Station b = station(ANY)) {
      a.send(b.address(), new byte[] {1}, b);
      until("a frame", () -> !b.frames.isEmpty(), a, b);
      b.transport.close();
      until("word of it", () -> !a.gone.isEmpty(), a);
      assertThat(a.gone).containsExactly(b.address());
    }
  }

  @Test
  void aProcessThatIsStartedAgainIsNotGone() throws Exception {
    try (Station a = station(ANY);
        Station b = station(ANY)) {
      settle(a, b);
      b.transport.close();
      try (Station again = station(b.address())) {
        until("another connection", () -> count(a, "peers.connected{over=tcp}") == 2, a, again);
        a.send(b.address(), new byte[] {2}, again);
        until("a frame", () -> !again.frames.isEmpty(), a, again);
        assertThat(a.gone).isEmpty();
        assertThat(a.reconnected).as("what was on the way is lost").endsWith(b.address());
      }
    }
  }

  @Test
  void whoNeverAnsweredIsNotGone() throws Exception {
    try (Station a = station(ANY);
        Station b = station(ANY)) {
      b.transport.close();
      until("refusals", () -> !a.offer(b.address(), new byte[] {1}) && count(a, "dials.failed") > 3, a);
      assertThat(a.gone).isEmpty();
    }
  }

  @Test
  void aConnectionThatSaysNothingIsReplacedByAnotherOne() throws Exception {
    try (Station a = station(ANY);
        Station b = station(ANY)) {
      settle(a, b);
      a.reconnected.clear();
      a.transport.renew(b.address());
      until("another connection", () -> count(a, "peers.connected{over=tcp}") == 2, a, b);
      a.transport.renew(b.address());
      b.frames.clear();
      a.send(b.address(), new byte[] {2}, b);
      until("a frame", () -> !b.frames.isEmpty(), a, b);
      assertThat(b.frames).containsExactly(new byte[] {2});
      assertThat(count(a, "peers.connected{over=tcp}")).as("not again and again").isEqualTo(2);
      assertThat(a.reconnected).containsExactly(b.address());
      assertThat(a.gone).isEmpty();
    }
  }

  @Test
  void whatAProcessThatStandsStillIsSentMeanwhileReachesItAfterwards() throws Exception {
    try (Station a = station(ANY);
        Station b = station(ANY)) {
      settle(a, b);
      b.frames.clear();
      a.transport.renew(b.address()); // completes when b goes on
      for (byte i = 0; i < 5; i++) {
        assertThat(a.offer(b.address(), new byte[] {i})).as("the old connection is still in use").isTrue();
        Station.turns(1, a);
      }
      until("all frames", () -> b.frames.size() == 5, a, b);
      assertThat(b.frames).containsExactlyElementsOf(List.of(b(0), b(1), b(2), b(3), b(4)));
    }
  }

  private static byte[] b(int value) {
    return new byte[] {(byte) value};
  }
}
