package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.verify.transport.Station.turns;
import static org.tutti.verify.transport.Station.until;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.Invariant;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// What every transport promises to the layers above; each transport is a subclass that says how to open one.
abstract class TransportContract {
  private static final AtomicInteger MARKS = new AtomicInteger(); // below 0: nothing else that is sent
  private final List<Station> stations = new ArrayList<>();

  /// Opens a transport of the kind under test.
  abstract Transport open(Address address) throws IOException;

  /// An address that [#open] accepts and that no open transport has; `name` tells several apart.
  abstract Address unused(String name);

  /// Opens a station, closed after the test.
  final Station station(String name) throws IOException {
    return stationAt(unused(name));
  }

  final Station stationAt(Address address) throws IOException {
    Station station = new Station(open(address));
    stations.add(station);
    return station;
  }

  /// An address at which nobody is, but somebody could be.
  final Address absent() throws IOException {
    Transport transport = open(unused("absent"));
    transport.close();
    return transport.address();
  }

  @AfterEach
  void closeStations() {
    stations.forEach(Station::close);
  }

  @Test
  void framesOfEverySizeArriveUnchanged() throws IOException {
    Station a = station("a");
    Station b = station("b");
    int most = a.transport.traits().frameBytesMax();
    Random random = new Random(7);
    List<byte[]> sent = new ArrayList<>();
    int[] sizes = {1, 2, 3, 4, 5, 100, 511, 512, 1400, 4096, 9000, most / 2, most - 4, most - 1, most};
    for (int size : IntStream.of(sizes).filter(size -> size <= most).toArray()) {
      byte[] frame = new byte[size];
      random.nextBytes(frame);
      sent.add(frame);
      a.send(b.address(), frame, b);
    }
    until("all sizes", () -> b.frames.size() == sent.size(), a, b);
    assertThat(b.frames).containsExactlyElementsOf(sent);
  }

  @Test
  void aClaimLendsExactlyTheRoomAskedForAndAnAbandonedClaimSendsNothing() throws IOException {
    Station a = station("a");
    Station b = station("b");
    a.send(b.address(), bytes(1), b);
    ByteBuffer abandoned = a.transport.claim(b.address(), 100);
    assertThat(abandoned).isNotNull();
    assertThat(abandoned.remaining()).isEqualTo(100);
    abandoned.put(new byte[100]);
    a.send(b.address(), bytes(2), b);
    a.transport.commit();
    ByteBuffer forgotten = a.transport.claim(b.address(), 5);
    assertThat(forgotten).isNotNull();
    turns(3, a, b);
    a.send(b.address(), bytes(3), b);
    until("three frames", () -> b.frames.size() == 3, a, b);
    turns(3, a, b);
    assertThat(b.frames).containsExactly(bytes(1), bytes(2), bytes(3));
  }

  @Test
  void aCommitAfterARefusedClaimSendsNothing() throws IOException {
    Station a = station("a");
    Station b = station("b");
    Address absent = absent();
    exchange(a, b);
    quiet(a, b);
    int before = b.frames.size();
    assertThat(a.transport.claim(b.address(), 4)).isNotNull();
    assertThat(a.transport.claim(absent, 4)).isNull();
    a.transport.commit();
    a.send(b.address(), bytes(9), b);
    until("the frame", () -> b.frames.size() > before, a, b);
    assertThat(b.frames.getLast()).isEqualTo(bytes(9));
    assertThat(b.frames).hasSize(before + 1);
  }

  @Test
  void aFrameLongerThanPromisedIsABugOfTheCaller() throws IOException {
    Station a = station("a");
    int most = a.transport.traits().frameBytesMax();
    assertThatThrownBy(() -> a.transport.claim(a.address(), most + 1)).isInstanceOf(Invariant.Broken.class);
    assertThatThrownBy(() -> a.transport.claim(a.address(), 0)).isInstanceOf(Invariant.Broken.class);
  }

  @Test
  void aSlowReceiverMakesClaimsFailAndOnReadyFollows() throws IOException {
    Station a = station("a");
    Station b = station("b");
    a.send(b.address(), bytes(0), b);
    a.ready.clear();
    byte[] big = new byte[a.transport.traits().frameBytesMax()];
    int accepted = 1;
    int refusedInARow = 0;
    while (refusedInARow < 20) {
      if (a.offer(b.address(), numbered(big, accepted))) {
        accepted++;
        refusedInARow = 0;
      } else {
        turns(1, a);
        refusedInARow = a.ready.isEmpty() ? refusedInARow + 1 : 0;
        a.ready.clear();
      }
      assertThat((long) accepted * big.length).as("bytes taken for one silent peer").isLessThan(64L << 20);
    }
    until("room again", () -> !a.ready.isEmpty(), b, a);
    assertThat(a.ready).containsExactly(b.address());
    assertThat(a.offer(b.address(), numbered(big, accepted))).as("a claim after onReady").isTrue();
    int count = accepted + 1;
    until("everything", () -> b.frames.size() == count, a, b);
    for (int i = 1; i < count; i++) {
      assertThat(ByteBuffer.wrap(b.frames.get(i)).getInt()).isEqualTo(i);
    }
  }

  @Test
  void aRefusedSenderIsToldWhenThePeerIsThereAgain() throws IOException {
    Station a = station("a");
    Station b = station("b");
    a.send(b.address(), bytes(0), b);
    byte[] big = new byte[a.transport.traits().frameBytesMax()];
    until("a refusal", () -> !a.offer(b.address(), big) && !a.offer(b.address(), big), a);
    a.ready.clear();
    b.close();
    Station again = stationAt(b.address());
    until("ready", () -> a.ready.contains(b.address()), a, again);
    exchange(a, again);
  }

  @Test
  void anAbsentPeerRefusesFramesUntilItIsThere() throws IOException {
    Station a = station("a");
    Address absent = absent();
    for (int i = 0; i < 20; i++) {
      assertThat(a.offer(absent, bytes(i))).isFalse();
      turns(1, a);
    }
    assertThat(a.ready).isEmpty();
    Station b = stationAt(absent);
    a.send(absent, bytes(99), b);
    until("the frame", () -> b.frames.size() == 1, a, b);
    assertThat(a.ready).contains(absent);
  }

  @Test
  void aPeerThatDiesHarmsNobodyAndIsReachedWhenItComesBack() throws IOException {
    Station a = station("a");
    Station b = station("b");
    Address home = b.address();
    exchange(a, b);
    for (int round = 0; round < 3; round++) {
      b.close();
      for (int i = 0; i < 20; i++) {
        a.offer(home, new byte[Math.min(2000, a.transport.traits().frameBytesMax())]);
        turns(1, a);
      }
      until("a frame to the dead is refused", () -> !a.offer(home, bytes(1)), a);
      b = stationAt(home);
      exchange(a, b);
    }
  }

  @Test
  void aPeerThatCameBackIsAnsweredOnItsOwnConnection() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    b.close();
    Station again = stationAt(b.address());
    again.send(a.address(), bytes(1), a);
    until("the first word", () -> !a.frames.isEmpty(), a, again);
    exchange(a, again);
  }

  @Test
  void bothDirectionsCarryFramesAtTheSameTime() throws IOException {
    Station a = station("a");
    Station b = station("b");
    for (int i = 0; i < 500; i++) {
      a.send(b.address(), bytes(i), b);
      b.send(a.address(), bytes(-i), a);
    }
    until("all frames", () -> a.frames.size() == 500 && b.frames.size() == 500, a, b);
  }

  @Test
  void peersThatConnectAtTheSameTimeKeepTheAbilityToSend() throws IOException {
    for (int round = 0; round < 10; round++) {
      Station a = station("a" + round);
      Station b = station("b" + round);
      a.offer(b.address(), bytes(1));
      b.offer(a.address(), bytes(1));
      for (int i = 0; i < 20; i++) {
        exchange(a, b);
      }
      a.close();
      b.close();
    }
  }

  @Test
  void aNodeReachesItself() throws IOException {
    Station a = station("a");
    a.send(a.address(), bytes(5));
    until("the frame", () -> a.frames.size() == 1, a);
  }

  @Test
  void aReceiverMayAnswerFromWithinOnFrame() throws IOException {
    Station a = station("a");
    Station b = station("b");
    // A transport may need a connection of its own for each direction.
    exchange(a, b);
    a.reaction = () -> a.offer(b.address(), bytes(a.frames.size()));
    b.reaction = () -> b.offer(a.address(), bytes(b.frames.size()));
    b.send(a.address(), bytes(0), a);
    until("a hundred answers", () -> b.frames.size() >= 100, a, b);
  }

  @Test
  void manyFramesKeepTheirOrder() throws IOException {
    Station a = station("a");
    Station b = station("b");
    a.send(b.address(), bytes(0), b);
    int count = 20_000;
    for (int i = 1; i < count; i++) {
      a.send(b.address(), numbered(new byte[4 + i % 300], i), b);
    }
    until("all frames", () -> b.frames.size() == count, a, b);
    for (int i = 0; i < count; i++) {
      assertThat(ByteBuffer.wrap(b.frames.get(i)).getInt()).isEqualTo(i);
    }
  }

  @Test
  void framesToSeveralPeersDoNotMix() throws IOException {
    Station hub = station("hub");
    List<Station> peers = List.of(station("p0"), station("p1"), station("p2"));
    for (int i = 0; i < 300; i++) {
      Station peer = peers.get(i % 3);
      hub.send(peer.address(), bytes(i), peer);
    }
    for (int p = 0; p < 3; p++) {
      Station peer = peers.get(p);
      until("its frames", () -> peer.frames.size() == 100, hub, peer);
      for (int i = 0; i < 100; i++) {
        assertThat(peer.frames.get(i)).isEqualTo(bytes(3 * i + p));
      }
    }
  }

  @Test
  void aWakeupEndsAWaitingPoll() throws Exception {
    Station a = station("a");
    turns(1, a);
    CountDownLatch begun = new CountDownLatch(1);
    Thread engine =
        new Thread(() -> {
          begun.countDown();
          a.transport.poll(Duration.ofMinutes(2).toNanos());
        });
    engine.start();
    begun.await();
    a.transport.wakeup();
    engine.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(engine.isAlive()).isFalse();
  }

  @Test
  void aWakeupBeforeAPollEndsThatPoll() throws IOException {
    Station a = station("a");
    turns(1, a);
    a.transport.wakeup();
    long start = System.nanoTime();
    a.transport.poll(Duration.ofMinutes(2).toNanos());
    assertThat(System.nanoTime() - start).isLessThan(Duration.ofSeconds(20).toNanos());
  }

  @Test
  void aPollWithoutInputWaitsAsLongAsAllowedAndNotMuchLonger() throws IOException {
    Station a = station("a");
    turns(1, a);
    long start = System.nanoTime();
    a.transport.poll(Duration.ofMillis(30).toNanos());
    long waited = System.nanoTime() - start;
    assertThat(waited).isBetween(Duration.ofMillis(25).toNanos(), Duration.ofSeconds(10).toNanos());
  }

  @Test
  void closeIsIdempotentAndFreesTheAddress() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    b.close();
    b.close();
    assertThat(b.offer(a.address(), bytes(1))).isFalse();
    b.transport.commit();
    b.transport.poll(0);
    b.transport.wakeup();
    Station next = stationAt(b.address());
    assertThat(next.address()).isEqualTo(b.address());
    exchange(a, next);
  }

  @Test
  void closeByAnotherThreadEndsAWaitingPoll() throws Exception {
    Station a = station("a");
    turns(1, a);
    CountDownLatch begun = new CountDownLatch(1);
    Thread engine =
        new Thread(() -> {
          begun.countDown();
          a.transport.poll(Duration.ofMinutes(2).toNanos());
        });
    engine.start();
    begun.await();
    a.close();
    engine.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(engine.isAlive()).isFalse();
    stationAt(a.address());
  }

  @Test
  void aReceiverMayCloseItsOwnTransport() throws IOException {
    Station a = station("a");
    Station b = station("b");
    b.reaction = b::close;
    a.send(b.address(), bytes(1), b);
    until("the frame", () -> !b.frames.isEmpty(), a, b);
    stationAt(b.address());
  }

  @Test
  void whatWasCommittedBeforeCloseIsStillWritten() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    quiet(a, b);
    int before = b.frames.size();
    assertThat(a.offer(b.address(), bytes(77))).isTrue();
    a.close();
    until("the last frame", () -> b.frames.size() == before + 1, b);
  }

  /// Sends one new frame each way and waits for both; either may have to be repeated while a connection changes.
  static void exchange(Station a, Station b) {
    int seenByA = a.frames.size();
    int seenByB = b.frames.size();
    until(
        "a frame each way",
        () -> {
          if (b.frames.size() == seenByB) {
            a.offer(b.address(), bytes(1));
          }
          if (a.frames.size() == seenByA) {
            b.offer(a.address(), bytes(2));
          }
          return a.frames.size() > seenByA && b.frames.size() > seenByB;
        },
        a,
        b);
    turns(3, a, b);
  }

  /// Waits for what an exchange that was repeated has left on its way: frames keep their order.
  static void quiet(Station a, Station b) {
    last(a, b);
    last(b, a);
  }

  private static void last(Station from, Station to) {
    byte[] mark = bytes(MARKS.decrementAndGet());
    from.send(to.address(), mark, to);
    until("what was sent before", () -> !to.frames.isEmpty() && Arrays.equals(to.frames.getLast(), mark), from, to);
  }

  static byte[] bytes(int number) {
    return numbered(new byte[4], number);
  }

  private static byte[] numbered(byte[] frame, int number) {
    ByteBuffer.wrap(frame).putInt(number);
    return frame;
  }
}
