package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.Station.turns;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.Station;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.TransportException;

final class TcpTransportTest extends SocketContract {
  @Override
  @Nullable Path socketDirectory() {
    return null;
  }

  @Override
  SocketChannel dial(Address address) throws IOException {
    return SocketChannel.open(new InetSocketAddress("127.0.0.1", Station.port(address)));
  }

  @Test
  void aTakenPortIsNamedInOneLine() throws IOException {
    Station a = station("a");
    assertThatThrownBy(() -> open(a.address()))
        .isInstanceOf(TransportException.class)
        .hasMessage("cannot listen on " + a.address() + ": address already in use");
  }

  @Test
  void addressesThatCannotBeListenedOnAreNamedInOneLine() {
    assertThatThrownBy(() -> open(new Address("0.0.0.0:0")))
        .hasMessage("cannot listen on 0.0.0.0:0: peers need the address of one interface");
    assertThatThrownBy(() -> open(new Address("nonsense")))
        .hasMessage("cannot listen on nonsense: not of the form host:port");
    assertThatThrownBy(() -> open(new Address("127.0.0.1:65536")))
        .hasMessage("cannot listen on 127.0.0.1:65536: not of the form host:port");
  }

  @Test
  void aNameIsReplacedByTheHostItStandsFor() throws IOException {
    Station a = stationAt(new Address("localhost:0"));
    assertThat(a.address().text()).matches("127\\.0\\.0\\.1:[1-9][0-9]*");
  }

  /// What passes connections on is here an alias of the host: the node does not listen under the name that peers use.
  @Test
  void connectionsAreToldAtDebugWithWhyTheyEnd() throws Exception {
    Logger logger = Logger.getLogger(TcpTransport.class.getName());
    Station a = station("a");
    Station b = station("b");
    logger.setLevel(Level.FINE);
    try (var log = new LogRecords(TcpTransport.class.getName())) {
      exchange(a, b);
      log.next("TCP at " + a.address() + ": the connection to " + b.address() + " is complete");
      b.close();
      until("the end", () -> counter(a, "closed{reason=by-peer}") > 0, a);
      log.next(
          "TCP at " + a.address() + ": the connection (to|from) " + b.address() + " is closed: The peer closed .*");
    } finally {
      logger.setLevel(null);
    }
  }

  @Test
  void peersReachANodeByTheAddressThatItAdvertises() throws IOException {
    Station a = station("a");
    Address listen = new Address("127.0.0.1:" + freePort());
    Address advertised = new Address("[::ffff:127.0.0.1]:" + Station.port(listen));
    try (Station b = new Station(TcpTransport.open(listen, advertised, TcpConfig.lan().withSocketDirectory(null)))) {
      assertThat(b.address()).isEqualTo(advertised);
      exchange(a, b);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocketChannel probe = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      return probe.socket().getLocalPort();
    }
  }

  @Test
  void anAddressThatCannotBeAdvertisedIsNamedInOneLine() {
    Address here = new Address("127.0.0.1:0");
    assertThatThrownBy(() -> TcpTransport.open(here, here, TcpConfig.lan()))
        .isInstanceOf(TransportException.class)
        .hasMessage("cannot advertise 127.0.0.1:0: not a literal host:port");
  }

  @Test
  void aPeerThatCallsItselfOtherwiseIsNotUsed() throws IOException {
    Station a = station("a");
    Station b = station("b");
    Address alias = new Address("[::ffff:127.0.0.1]:" + Station.port(b.address()));
    until("a refusal", () -> !a.offer(alias, bytes(1)) && counter(b, "closed{reason=wrong-identity}") > 0, a, b);
    assertThat(b.frames).isEmpty();
    exchange(a, b);
  }

  @Test
  void anAnswerFromSomebodyElseIsNotUsed() throws IOException {
    Station a = station("a");
    try (ServerSocketChannel other = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      other.configureBlocking(false);
      Address wanted = new Address("127.0.0.1:" + other.socket().getLocalPort());
      Address actual = new Address("127.0.0.2:" + other.socket().getLocalPort());
      SocketChannel[] accepted = new SocketChannel[1];
      until(
          "a refusal",
          () -> {
            assertThat(a.offer(wanted, bytes(1))).isFalse();
            answer(other, accepted, a.address(), actual);
            return counter(a, "closed{reason=wrong-identity}") == 1;
          },
          a);
      accepted[0].close();
    }
  }

  @Test
  void anAddressThatIsNoLiteralIsRefusedAndCounted() throws IOException {
    Station a = station("a");
    until("count", () -> !a.offer(new Address("host.invalid:1"), bytes(1)) && counter(a, "addresses.unusable") > 0, a);
  }

  @Test
  void anAcceptorThatNeverAnswersIsGivenUpAndTriedAgain() throws IOException {
    Station a = station("a");
    try (ServerSocketChannel mute = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      Address address = new Address("127.0.0.1:" + mute.socket().getLocalPort());
      until("two attempts", () -> !a.offer(address, bytes(1)) && counter(a, "dials.failed") >= 2, a);
      assertThat(counter(a, "closed{reason=preamble-timeout}")).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void attemptsToConnectAreBoundedInNumber() throws IOException {
    // Attempts that are given up make room for others: none is, however slow the machine.
    TcpConfig patient =
        TcpConfig.lan().withSocketDirectory(null).withTimeouts(Duration.ofMinutes(1), Duration.ofMinutes(1));
    try (Station a = new Station(TcpTransport.open(new Address("127.0.0.1:0"), null, patient));
        ServerSocketChannel mute = ServerSocketChannel.open().bind(new InetSocketAddress("0.0.0.0", 0), 4096)) {
      mute.configureBlocking(false);
      for (int i = 0; i < 600; i++) {
        a.offer(new Address("127.1." + i / 200 + "." + (1 + i % 200) + ":" + mute.socket().getLocalPort()), bytes(1));
      }
      turns(2, a);
      int dialed = 0;
      for (SocketChannel one = mute.accept(); one != null; one = mute.accept()) {
        one.close();
        dialed++;
      }
      assertThat(dialed).isPositive().isLessThanOrEqualTo(256);
    }
  }

  @Test
  void addressesThatCannotBeReachedAreForgotten() throws IOException {
    Station a = station("a");
    for (int i = 0; i < 5000; i++) {
      a.offer(new Address("host" + i + ".invalid:1"), bytes(1));
    }
    untilCounted(a, "addresses.forgotten", 5000 - 1024);
    exchange(a, station("b"));
  }

  @Test
  void aPeerIsAnsweredOnTheConnectionItMadeLast() throws IOException {
    Station a = station("a");
    try (ServerSocketChannel half = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      half.configureBlocking(false);
      Address peer = new Address("127.0.0.1:" + half.socket().getLocalPort());
      // The peer answers once, then crashes without a farewell: for us the connection stays up.
      SocketChannel[] lost = new SocketChannel[1];
      until("a room", () -> a.offer(peer, bytes(1)) || answer(half, lost, a.address(), peer), a);
      try (SocketChannel fresh = dial(a.address())) {
        fresh.write(ByteBuffer.wrap(preamble(peer, a.address())));
        until("its greeting", () -> counter(a, "connections.accepted{over=tcp}") == 1, a);
        assertThat(a.offer(peer, bytes(2))).isTrue();
        turns(1, a);
        ByteBuffer reply = ByteBuffer.allocate(preamble(a.address(), peer).length + 8);
        while (reply.hasRemaining() && fresh.read(reply) >= 0) {}
        assertThat(reply.getInt(reply.capacity() - 4)).isEqualTo(2);
      }
      lost[0].close();
    }
  }

  private static boolean answer(ServerSocketChannel at, SocketChannel[] accepted, Address to, Address self) {
    try {
      if (accepted[0] == null) {
        accepted[0] = at.accept();
        if (accepted[0] != null) {
          accepted[0].write(ByteBuffer.wrap(preamble(self, to)));
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aConnectionOnWhichNothingIsHeardIsGivenUp() throws IOException {
    TcpConfig impatient =
        TcpConfig.lan().withSocketDirectory(null).withTimeouts(Duration.ofSeconds(2), Duration.ofMillis(100));
    Station b = station("b");
    try (Station a = new Station(TcpTransport.open(unused("a"), impatient))) {
      a.send(b.address(), bytes(1), b);
      until(
          "given up",
          () -> {
            a.offer(b.address(), bytes(2));
            return counter(a, "closed{reason=silent}") > 0;
          },
          a,
          b);
      exchange(a, b);
    }
  }

  @Test
  void countersMayBeReadByAnyThread() throws Exception {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    long[] seen = new long[1];
    Thread reader = new Thread(() -> seen[0] = counter(a, "frames.sent"));
    reader.start();
    reader.join();
    assertThat(seen[0]).isPositive();
    assertThat(counter(a, "peers.connected{over=tcp}") + counter(a, "connections.accepted{over=tcp}")).isPositive();
  }
}
