package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.fixture.Station.until;
import static org.tutti.verify.transport.MiddlewareTransportTest.batch;
import static org.tutti.verify.transport.MiddlewareTransportTest.counter;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.corba.IiopConfig;
import org.tutti.corba.IiopMiddleware;
import org.tutti.corba.IiopTransport;
import org.tutti.fixture.Station;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportSettings;

/// The transport over IIOP, and what strangers at its port can do to it: nothing.
final class IiopTransportTest extends MiddlewareContract {
  static final MiddlewareConfig CONFIG =
      MiddlewareConfig.lan().withBackoff(Duration.ofMillis(10), Duration.ofMillis(50));
  private static final int ACCEPTED_MAX = 16;

  private final List<SocketChannel> strangers = new ArrayList<>();

  @Override
  Transport open(Address listen, @Nullable Address advertised, @Nullable Credentials tls) {
    IiopConfig plain = strict();
    return new MiddlewareTransport(
        IiopMiddleware.open(listen, advertised, tls == null ? plain : plain.withTls(tls)), CONFIG);
  }

  @Override
  String strangersCountedAs() {
    return "closed{reason=foreign-protocol}";
  }

  /// Settings under which strangers are refused before a test has become boring.
  static IiopConfig strict() {
    IiopConfig lan = IiopConfig.lan(CONFIG.batchBytesMax());
    return new IiopConfig(
        lan.messageBytesMax(),
        ACCEPTED_MAX,
        Duration.ofSeconds(4), // and no stranger of a busy machine too soon
        lan.connectTimeout(),
        lan.replyTimeout(),
        lan.writeTimeout(),
        null);
  }

  @AfterEach
  void closeStrangers() throws IOException {
    for (SocketChannel stranger : strangers) {
      stranger.close();
    }
    strangers.clear();
  }

  @Test
  void withoutWordOfTheNetworkOnlyLoopbackIsListenedOn() {
    TransportSettings elsewhere = TransportSettings.at(new Address("192.0.2.1:0"));
    assertThatExceptionOfType(TransportException.class)
        .isThrownBy(() -> IiopTransport.open(elsewhere, CONFIG))
        .withMessageContaining("on loopback only");
    // Tried then, and refused by the kernel: no interface has that address.
    assertThatExceptionOfType(TransportException.class)
        .isThrownBy(() -> IiopTransport.open(elsewhere.withTls(null, true), CONFIG))
        .withMessage("cannot listen on 192.0.2.1:0: cannot assign requested address");
    assertThatExceptionOfType(TransportException.class)
        .isThrownBy(() -> IiopTransport.open(elsewhere.withTls(Path.of("certificates"), false), CONFIG))
        .withMessageStartingWith("no TLS: no file certificates");
  }

  /// JacORB has one thread for all requests and does not replace it: without it a node would be deaf and not know.
  @Test
  void aNodeWhoseOrbHasLostTheThreadForRequestsStopsAndSaysWhy() throws IOException {
    Station a = station("a");
    exchange(a, station("b")); // so that there is such a thread
    List<Thread> workers =
        Thread.getAllStackTraces().keySet().stream()
            .filter(one -> one.getThreadGroup() != null && one.getThreadGroup().getName().equals("tutti-iiop"))
            .filter(one -> one.getName().startsWith("RequestProcessor"))
            .toList();
    assertThat(workers).isNotEmpty();
    // What the JVM does when a thread ends by an exception; there is no request left that brings it about.
    workers.forEach(one -> one.getThreadGroup().uncaughtException(one, new IllegalArgumentException("a bug")));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> a.transport.poll(0))
        .withMessageContaining("the ORB's RequestProcessor")
        .withRootCauseInstanceOf(IllegalArgumentException.class);
    assertThat(counter(a, "threads.ended")).isPositive();
  }

  /// One that reads a connection takes only that with it.
  @Test
  void aNodeWhoseOrbHasLostAnotherThreadGoesOn() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    ThreadGroup group =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getThreadGroup)
            .filter(one -> one != null && one.getName().equals("tutti-iiop"))
            .findFirst()
            .orElseThrow();
    group.uncaughtException(new Thread(() -> {}), new IllegalArgumentException("a bug"));
    exchange(a, b);
  }

  @Test
  void otherVersionsAndTypesOfMessagesAreCounted() throws IOException {
    Station a = station("a");
    byte[] future = IiopRequest.header(0, IiopRequest.REQUEST, 100);
    future[5] = 3;
    isClosedAndCounted(a, "closed{reason=other-version}", future);
    byte[] other = IiopRequest.header(0, IiopRequest.REQUEST, 100);
    other[4] = 2;
    isClosedAndCounted(a, "closed{reason=other-version}", other);
    isClosedAndCounted(a, "closed{reason=bad-message}", IiopRequest.header(0, 8, 100));
    isClosedAndCounted(a, "closed{reason=bad-message}", IiopRequest.header(0, IiopRequest.REPLY, 100));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 21})
  void aMessageLongerThanAnyIsRefusedBeforeItIsThere(int length) throws IOException {
    Station a = station("a");
    isClosedAndCounted(a, "closed{reason=bad-length}", IiopRequest.header(0, IiopRequest.REQUEST, length));
    byte[] littleEndian = IiopRequest.header(1, IiopRequest.REQUEST, 0);
    ByteBuffer.wrap(littleEndian).order(ByteOrder.LITTLE_ENDIAN).putInt(8, length);
    isClosedAndCounted(a, "closed{reason=bad-length}", littleEndian);
  }

  @Test
  void fragmentsWithoutEndAreRefusedWhenTheyAreTooMuch() throws IOException {
    Station a = station("a");
    SocketChannel stranger = stranger(a);
    stranger.write(ByteBuffer.wrap(fragment(IiopRequest.REQUEST, 100)));
    try {
      for (int i = 0; i < 1000; i++) {
        stranger.write(ByteBuffer.wrap(fragment(IiopRequest.FRAGMENT, 10_000)));
      }
    } catch (IOException _) {
      // It has been closed.
    }
    until("counted", () -> counter(a, "closed{reason=bad-length}") == 1, a);
    stillServes(a);
  }

  @Test
  void aBatchShorterThanItSaysIsNeitherAllocatedNorTaken() throws IOException {
    Station a = station("a");
    int wrong = 0;
    for (int claimed : new int[] {Integer.MAX_VALUE, -1, 1 << 24}) {
      stranger(a).write(ByteBuffer.wrap(IiopRequest.frames(claimed, new byte[0])));
      stranger(a).write(ByteBuffer.wrap(IiopRequest.frames(claimed, new byte[100])));
      wrong += 2;
    }
    int all = wrong;
    until("counted", () -> counter(a, "requests.dropped{reason=bad-sequence}") == all, a);
    stillServes(a);
  }

  /// JacORB's only thread for this servant would end by an exception, or wait for years.
  @Test
  void requestsThatWouldEndTheOrbAreRefused() throws IOException {
    Station a = station("a");
    byte[] flags = IiopRequest.frames(new byte[50]);
    flags[16] = 2;
    isClosedAndCounted(a, "closed{reason=bad-message}", flags);
    isClosedAndCounted(a, "closed{reason=bad-message}", IiopRequest.withContext(7, new byte[64]));
    stranger(a).write(ByteBuffer.wrap(IiopRequest.withContext(1, new byte[12])));
    until("another context is fine", () -> counter(a, "batches.dropped{reason=foreign-protocol}") == 1, a);
  }

  @Test
  void whatIsNoBatchAndWhatIsNoOperationIsCounted() throws IOException {
    Station a = station("a");
    stranger(a).write(ByteBuffer.wrap(IiopRequest.frames("hello".getBytes(StandardCharsets.US_ASCII))));
    until("counted", () -> counter(a, "batches.dropped{reason=foreign-protocol}") == 1, a);
    stranger(a).write(ByteBuffer.wrap(IiopRequest.asking("shutdown")));
    until("counted", () -> counter(a, "requests.dropped{reason=unknown-operation}") == 1, a);
    stillServes(a);
  }

  @Test
  void aRequestWrittenByHandIsTaken() throws IOException {
    Station a = station("a");
    byte[] frame = {0, 0, 0, 3, 7, 8, 9};
    stranger(a).write(ByteBuffer.wrap(IiopRequest.frames(batch("127.0.0.1:9", a.address().text(), frame))));
    until("the frame", () -> a.frames.size() == 1, a);
    assertThat(a.frames.getFirst()).containsExactly(7, 8, 9);
  }

  /// Right but for some bytes: whatever the ORB makes of them, it goes on.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void garbledRequestsHarmOnlyTheirConnection(int seed) throws IOException {
    Station a = station("a");
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      byte[] request = i % 2 == 0 ? IiopRequest.frames(new byte[50]) : IiopRequest.isA("IDL:tutti.org/Tutti/Peer:1.0");
      for (int k = 0; k <= random.nextInt(3); k++) {
        request[12 + random.nextInt(request.length - 12)] = (byte) random.nextInt();
      }
      try (SocketChannel stranger = SocketChannel.open(socketOf(a))) {
        stranger.write(ByteBuffer.wrap(request));
      }
      a.transport.poll(0);
    }
    stillServes(a);
    assertThat(counter(a, "threads.ended")).isZero();
  }

  @Test
  void silenceAndHalfAMessageEndByTimeout() throws IOException {
    Station a = station("a");
    stranger(a);
    stranger(a).write(ByteBuffer.wrap(IiopRequest.header(0, IiopRequest.REQUEST, 100)).limit(9));
    stranger(a).write(ByteBuffer.wrap(IiopRequest.header(0, IiopRequest.REQUEST, 100)));
    until("counted", () -> counter(a, "closed{reason=greeting-timeout}") == 3, a);
    stillServes(a);
  }

  @Test
  void aFloodOfSilentConnectionsCrowdsOutItselfOnly() throws IOException {
    Station a = station("a");
    for (int i = 0; i < 100; i++) {
      stranger(a);
    }
    stillServes(a);
    until(
        "the others to be closed",
        () -> counter(a, "{reason=crowded-out}") + counter(a, "{reason=greeting-timeout}") >= 100 - ACCEPTED_MAX,
        a);
  }

  @Test
  void aFloodOfConnectionsThatSaySomethingIsBounded() throws IOException {
    Station a = station("a");
    for (int i = 0; i < ACCEPTED_MAX; i++) {
      SocketChannel stranger = stranger(a);
      stranger.write(ByteBuffer.wrap(IiopRequest.asking("_non_existent")));
      assertThat(stranger.read(ByteBuffer.allocate(12))).as("an answer").isEqualTo(12);
    }
    SocketChannel oneMore = stranger(a);
    assertThat(isEnded(oneMore)).isTrue();
    assertThat(counter(a, "closed{reason=too-many}")).isEqualTo(1);
    closeStrangers();
    stillServes(a);
  }

  @Test
  void aStrangerThatReadsNoRepliesHoldsNobodyUpForLong() throws IOException {
    Station a = station("a");
    SocketChannel deaf = stranger(a);
    deaf.configureBlocking(false);
    byte[] question = IiopRequest.isA("IDL:tutti.org/Tutti/Peer:1.0");
    ByteBuffer questions = ByteBuffer.allocateDirect(1000 * question.length); // is not copied for each attempt
    for (int i = 0; i < 1000; i++) {
      questions.put(question);
    }
    // Until the node does not read any more, because it cannot write.
    int idle = 0;
    while (idle < 100_000) {
      idle = write(deaf, questions.rewind()) == 0 ? idle + 1 : 0;
    }
    stillServes(a);
  }

  private static int write(SocketChannel to, ByteBuffer bytes) {
    try {
      return to.write(bytes);
    } catch (IOException _) {
      return 0; // closed already
    }
  }

  private static byte[] fragment(int type, int bytes) {
    byte[] header = IiopRequest.header(IiopRequest.MORE_FRAGMENTS, type, bytes);
    return ByteBuffer.allocate(header.length + bytes).put(header).putInt(5).array();
  }

  private void isClosedAndCounted(Station a, String reason, byte[] bytes) throws IOException {
    long before = counter(a, reason);
    SocketChannel stranger = stranger(a);
    stranger.write(ByteBuffer.wrap(bytes));
    assertThat(isEnded(stranger)).isTrue();
    assertThat(counter(a, reason)).as(reason).isEqualTo(before + 1);
    stillServes(a);
  }

  private void stillServes(Station a) throws IOException {
    try (Station b = new Station(open(unused("b")))) {
      exchange(a, b);
    }
  }

  private SocketChannel stranger(Station at) throws IOException {
    SocketChannel channel = SocketChannel.open(socketOf(at));
    strangers.add(channel);
    return channel;
  }

  private static InetSocketAddress socketOf(Station at) {
    Endpoint endpoint = Endpoint.ofLiteral(at.address());
    assertThat(endpoint).isNotNull();
    return endpoint.socket();
  }

  /// Waits until the other side has closed.
  private static boolean isEnded(SocketChannel channel) {
    try {
      return channel.read(ByteBuffer.allocate(1)) == -1;
    } catch (IOException _) {
      return true; // reset, as something was not read
    }
  }
}
