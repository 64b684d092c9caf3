package org.tutti.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.Metric;
import org.tutti.effect.Count;
import org.tutti.link.LossyPair.Medium;
import org.tutti.transport.Address;
import org.tutti.transport.Traits;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.Versions;
import org.tutti.wire.WireWriter;

class LinkTest {
  private static final int VERSION = Versions.OWN.oldest();

  private static Packet.Speaker speaker(MemberId self) {
    return new Packet.Speaker(self, LossyPair.CLUSTER, Versions.OWN);
  }

  private static final Medium QUIET = new Medium(0, 0, 0, 0, false);
  private static final Medium ROUGH = new Medium(0.3, 0.2, 0.1, 5 * LossyPair.RETRANSMIT_NANOS, false);
  private static final int STEPS_MAX = 1_000_000;
  private static final int SEEDS = 40;

  static List<Medium> media() {
    long slow = 3 * LossyPair.RETRANSMIT_NANOS;
    return List.of(
        QUIET,
        new Medium(0.4, 0, 0, 1000, false),
        new Medium(0, 0.4, 0, 1000, false),
        new Medium(0, 0, 0.5, 1000, false),
        new Medium(0, 0, 0, slow, false),
        new Medium(0.2, 0.1, 0.1, slow, true),
        ROUGH);
  }

  private static List<Long> upTo(long end) {
    return LongStream.range(0, end).boxed().toList();
  }

  @ParameterizedTest
  @MethodSource("media")
  void everyMessageArrivesOnceAndInOrderBothWays(Medium medium) {
    for (long seed = 0; seed < SEEDS; seed++) {
      var pair = new LossyPair(medium, seed);
      for (int i = 0; i < 60; i++) {
        pair.a.send(pair.random().nextInt(40));
        pair.b.send(pair.random().nextInt(8) == 0 ? pair.random().nextInt(5000) : 3);
        for (int steps = pair.random().nextInt(6); steps > 0; steps--) {
          pair.step();
        }
      }
      assertThat(pair.quiet(STEPS_MAX)).as("seed " + seed).isTrue();
      assertThat(pair.b.received).as("seed " + seed).isEqualTo(upTo(pair.a.sent()));
      assertThat(pair.a.received).as("seed " + seed).isEqualTo(upTo(pair.b.sent()));
      assertThat(pair.a.links.isBusy(pair.b.self)).isFalse();
    }
  }

  /// A message that is longer is sent in as many frames as it takes.
  @ParameterizedTest
  @MethodSource("media")
  void framesAreAsLongAsTheTransportWantsThemNow(Medium medium) {
    var pair = new LossyPair(medium, 1);
    for (int i = 0; i < 20; i++) {
      pair.a.frameBytes = i < 10 ? Traits.FRAME_BYTES_MIN : LossyPair.FRAME_BYTES_MAX;
      pair.a.send(5000);
      pair.step();
      assertThat(pair.quiet(STEPS_MAX)).isTrue();
      assertThat(pair.a.longest).isLessThanOrEqualTo(pair.a.frameBytes).isGreaterThan(pair.a.frameBytes - 64);
    }
    assertThat(pair.b.received).isEqualTo(upTo(pair.a.sent()));
  }

  @ParameterizedTest
  @MethodSource("media")
  void bulkArrivesOnceAndInOrderAndSoDoesWhatOvertakesIt(Medium medium) {
    for (long seed = 0; seed < SEEDS; seed++) {
      var pair = new LossyPair(medium, seed);
      for (int i = 0; i < 60; i++) {
        pair.a.sendBulk(pair.random().nextInt(3) == 0 ? pair.random().nextInt(5000) : 9);
        pair.a.send(pair.random().nextInt(5) == 0 ? pair.random().nextInt(2000) : 3);
        for (int steps = pair.random().nextInt(6); steps > 0; steps--) {
          pair.step();
        }
        pair.a.links.check();
      }
      assertThat(pair.quiet(STEPS_MAX)).as("seed " + seed).isTrue();
      assertThat(pair.b.received.stream().filter(one -> one < LossyPair.BULK)).isEqualTo(upTo(pair.a.sent()));
      assertThat(pair.b.received.stream().filter(one -> one >= LossyPair.BULK))
          .as("seed " + seed)
          .isEqualTo(LongStream.range(LossyPair.BULK, pair.a.sentBulk()).boxed().toList());
    }
  }

  /// The connection has ended with all that was on it.
  @Test
  void whatWasOnTheWayGoesAgainOverAnotherConnection() {
    assertThat(untilItHasCome(false)).isGreaterThanOrEqualTo(LossyPair.RETRANSMIT_NANOS);
    assertThat(untilItHasCome(true)).isLessThan(LossyPair.RETRANSMIT_NANOS / 2);
  }

  private static long untilItHasCome(boolean reconnects) {
    var pair = new LossyPair(QUIET, 1);
    pair.a.send(9);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    pair.cut(true);
    long start = pair.nowNanos();
    pair.a.send(9);
    pair.pass(1);
    pair.cut(false);
    if (reconnects) {
      pair.a.links.reconnected(pair.nowNanos(), pair.b.self.address());
    }
    while (pair.b.received.size() < 2) {
      pair.step();
    }
    pair.a.links.check();
    return pair.nowNanos() - start;
  }

  /// Otherwise who wants to go would wait for an acknowledgement that waits for more to acknowledge.
  @Test
  void whoSaysNothingMoreIsAcknowledgedAtOnce() {
    assertThat(untilAcknowledged(false)).isGreaterThan(LossyPair.RETRANSMIT_NANOS / 10);
    assertThat(untilAcknowledged(true)).isLessThan(LossyPair.RETRANSMIT_NANOS / 10);
  }

  /// How long somebody who has said two things waits, the second of which arrives when the other side is in a hurry.
  private static long untilAcknowledged(boolean hurries) {
    var pair = new LossyPair(QUIET, 1);
    pair.a.send(9);
    while (pair.b.received.isEmpty()) {
      pair.step();
    }
    if (hurries) {
      pair.b.links.hurry(pair.nowNanos(), pair.a.self);
    }
    pair.a.send(9);
    long begun = pair.nowNanos();
    while (pair.a.links.isBusy(pair.b.self)) {
      pair.step();
    }
    return pair.nowNanos() - begun;
  }

  @Test
  void aMessageOvertakesTheBulkThatWaits() {
    var pair = new LossyPair(QUIET, 1);
    pair.a.sendBulk(5000);
    pair.a.sendBulk(5000);
    pair.a.send(9);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, LossyPair.BULK, LossyPair.BULK + 1);
  }

  @Test
  void whatIsPassedOnTakesTurnsWithItsOwn() {
    var pair = new LossyPair(QUIET, 1);
    for (int i = 0; i < 4; i++) {
      pair.a.sendBulk(400);
    }
    pair.a.sendBulk(400, Members.C);
    pair.a.sendBulk(400, Members.C);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    long first = LossyPair.BULK;
    assertThat(pair.b.received).containsExactly(first, first + 4, first + 1, first + 5, first + 2, first + 3);
  }

  @Test
  void onAThinLineAMessageWaitsForLittleBulk() {
    long millisecond = 1_000_000;
    var pair = new LossyPair(QUIET, 1);
    pair.retransmitAfter(1000 * millisecond);
    pair.narrow(1600); // nanoseconds a byte: 5 Mbit/s
    for (int i = 0; i < 200; i++) {
      pair.a.sendBulk(1000); // 0.3 s of the line
    }
    while (pair.nowNanos() < 100 * millisecond) {
      assertThat(pair.step()).isTrue();
    }
    pair.a.send(9);
    while (!pair.b.received.contains(0L)) {
      assertThat(pair.step()).isTrue();
    }
    assertThat(pair.nowNanos()).as("twice 20 ms and the message").isLessThan(150 * millisecond);
    while (pair.b.received.size() < 201) {
      assertThat(pair.step()).isTrue();
    }
    assertThat(pair.nowNanos()).as("the line was never idle").isLessThan(400 * millisecond);
  }

  @Test
  void bulkIsHeldBackWhileWhatIsOnTheWayIsLate() {
    long late = 50_000_000;
    var pair = new LossyPair(QUIET, 1);
    pair.a.send(9);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    pair.lengthen(late);
    pair.a.sendBulk(150_000);
    pair.pass(late / 2);
    pair.a.sendBulk(1000); // waits for the first one's acknowledgement
    pair.a.send(9);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, LossyPair.BULK, 1L, LossyPair.BULK + 1);
  }

  @ParameterizedTest
  @MethodSource("media")
  void nothingIsMissingOrRepeatedAfterTheReceiverClosed(Medium medium) {
    afterMishaps(medium, LossyPair.End::forget, LinkTest::hasAllOnce);
  }

  /// What the receiver once said to have beyond a gap counts for nothing when it has forgotten it.
  @ParameterizedTest
  @MethodSource("media")
  void nothingIsMissingAfterTheReceiverLostItsMemory(Medium medium) {
    afterMishaps(medium, LossyPair.End::loseMemory, LinkTest::hasNoGap);
  }

  private interface Arrival {
    void check(List<Long> received, long sent, long seed);
  }

  private static void afterMishaps(Medium medium, Consumer<LossyPair.End> mishap, Arrival arrival) {
    for (long seed = 0; seed < SEEDS; seed++) {
      var pair = new LossyPair(medium, seed);
      for (int i = 0; i < 80; i++) {
        pair.a.send(pair.random().nextInt(4) == 0 ? pair.random().nextInt(3000) : 5);
        for (int steps = pair.random().nextInt(8); steps > 0; steps--) {
          pair.step();
        }
        if (pair.random().nextInt(10) == 0) {
          mishap.accept(pair.b);
        }
        pair.a.call();
      }
      for (int calls = 0; calls < 20; calls++) {
        pair.a.call();
        pair.step();
      }
      assertThat(pair.quiet(STEPS_MAX)).as("seed " + seed).isTrue();
      arrival.check(pair.b.received, pair.a.sent(), seed);
    }
  }

  private static void hasAllOnce(List<Long> received, long sent, long seed) {
    assertThat(received.stream().filter(one -> one >= 0)).as("seed " + seed).isEqualTo(upTo(sent));
  }

  /// The acknowledgement is lost with the link: the packet comes again, the message must not.
  @Test
  void whatWasTakenBeforeTheReceiverClosedDoesNotComeAgain() {
    var pair = new LossyPair(QUIET, 1);
    pair.a.send(5);
    while (pair.b.received.isEmpty()) {
      pair.step();
    }
    pair.b.forget();
    pair.a.send(5);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, 1L);
  }

  @Test
  void aMessageThatWasHalfThereIsRepeatedOnce() {
    var pair = new LossyPair(QUIET, 1);
    pair.a.send(1_000_000); // more than a window
    for (int steps = 0; steps < 100; steps++) {
      pair.step();
    }
    pair.b.forget();
    pair.a.send(1);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, 1L);
  }

  /// Repetitions are allowed, gaps are not.
  private static void hasNoGap(List<Long> received, long sent, long seed) {
    long next = 0;
    for (long number : received.stream().filter(one -> one >= 0).toList()) {
      assertThat(number).as("seed " + seed + " after " + next + " messages").isLessThanOrEqualTo(next);
      next = Math.max(next, number + 1);
    }
    assertThat(next).as("seed " + seed).isEqualTo(sent);
  }

  @Test
  void whenTheSenderForgetsWhatItSendsLaterArrivesInOrder() {
    for (long seed = 0; seed < SEEDS; seed++) {
      var pair = new LossyPair(ROUGH, seed);
      for (int i = 0; i < 40; i++) {
        pair.a.send(100);
        pair.step();
      }
      pair.a.forget();
      long first = pair.a.sent();
      for (int i = 0; i < 40; i++) {
        pair.a.send(100);
        pair.step();
      }
      assertThat(pair.quiet(STEPS_MAX)).as("seed " + seed).isTrue();
      List<Long> received = pair.b.received;
      int begin = received.indexOf(first);
      assertThat(received.subList(begin, received.size())).isEqualTo(upTo(80).subList((int) first, 80));
      assertThat(received.subList(0, begin)).as("a part from the beginning").isEqualTo(upTo(begin));
    }
  }

  @Test
  void aMessageOfManyFramesIsPutTogether() {
    var pair = new LossyPair(ROUGH, 1);
    pair.a.send(200_000);
    pair.a.send(0);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, 1L);
  }

  @Test
  void smallMessagesShareAFrame() {
    var pair = new LossyPair(QUIET, 1);
    for (int i = 0; i < 20; i++) {
      pair.a.send(0);
    }
    int steps = 0;
    while (pair.b.received.size() < 20) {
      pair.step();
      steps++;
    }
    assertThat(steps).isLessThanOrEqualTo(2);
  }

  @Test
  void moreThanAWindowOfPacketsWaitsForAcknowledgements() {
    var pair = new LossyPair(QUIET, 1);
    for (int i = 0; i < 3000; i++) {
      pair.a.send(550);
    }
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).isEqualTo(upTo(3000));
  }

  @Test
  void aPathThatCarriesAgainCarriesAllThatWasLostWithinAFewRoundTrips() {
    var pair = new LossyPair(QUIET, 1);
    pair.lengthen(LossyPair.RETRANSMIT_NANOS / 10);
    pair.a.send(9);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    pair.cut(true);
    for (int i = 0; i < 400; i++) {
      pair.a.send(550);
    }
    pair.pass(0);
    pair.cut(false);
    long begun = pair.nowNanos();
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).isEqualTo(upTo(401));
    assertThat(pair.nowNanos() - begun)
        .as("one timeout, not one for every sixteen packets")
        .isLessThan(4 * LossyPair.RETRANSMIT_NANOS);
  }

  /// A loss that a later packet shows, on a line that takes longer for what was lost than any timeout.
  @Test
  void aThinLineIsNotFilledWithCopiesOfWhatIsInItsQueue() {
    int lost = 400;
    var pair = new LossyPair(QUIET, 1);
    pair.narrow(LossyPair.RETRANSMIT_NANOS / 4000); // 60 times of retransmission for all that is lost
    for (int i = 0; i < 20; i++) {
      pair.a.send(9);
      assertThat(pair.quiet(STEPS_MAX)).isTrue();
    }
    pair.cut(true);
    for (int i = 0; i < lost; i++) {
      pair.a.send(400);
    }
    pair.pass(0);
    pair.cut(false);
    long begun = pair.nowNanos();
    pair.a.send(9);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).isEqualTo(upTo(20 + lost + 1));
    long repeated = pair.a.counters.get(Count.PACKETS_REPEATED);
    assertThat(repeated).as("once each, and a few").isLessThan(lost + lost / 4);
    assertThat(pair.a.links.repeated(pair.b.self)).isEqualTo(repeated);
    assertThat(pair.nowNanos() - begun).isLessThan(100 * LossyPair.RETRANSMIT_NANOS);
  }

  @Test
  void aQuietLinkHasNoDeadline() {
    var pair = new LossyPair(QUIET, 1);
    pair.a.send(10);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.a.links.deadline()).isEqualTo(Long.MAX_VALUE);
    assertThat(pair.b.links.deadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aDatagramPassesByTheStream() {
    var pair = new LossyPair(QUIET, 1);
    pair.a.links.datagram(0, pair.b.self, new Encoded(ByteBuffer.allocate(Long.BYTES), Codec.NOTHING));
    pair.quiet(STEPS_MAX);
    assertThat(pair.b.received).containsExactly(-1L);
    assertThat(pair.b.links.open()).isEmpty();
  }

  @Test
  void aPeerIsNewOnce() {
    var pair = new LossyPair(ROUGH, 3);
    for (int i = 0; i < 50; i++) {
      pair.a.send(10);
    }
    pair.quiet(STEPS_MAX);
    assertThat(pair.b.heardFirst).containsExactly(pair.a.self);
    assertThat(pair.b.links.open()).containsExactly(pair.a.self);
  }

  @Test
  void whatTheMediumSpoilsIsCounted() {
    var pair = new LossyPair(new Medium(0, 0, 0, 1000, true), 1);
    for (int i = 0; i < 200; i++) {
      pair.a.send(100);
    }
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(Metric.sum(pair.b.counters.metrics(), "link.packets.damaged")).isPositive();
    assertThat(pair.b.received).isEqualTo(upTo(200));
  }

  /// What others said of a peer, wrongly, is kept against what the peer says of itself.
  @Test
  void aPeerIsBelievedAgainstHearsay() {
    var pair = new LossyPair(QUIET, 1);
    var hearsay = new MemberId(pair.b.self.name(), new Address("elsewhere:1"), pair.b.self.incarnation());
    pair.a.links.datagram(0, hearsay, new Encoded(ByteBuffer.allocate(Long.BYTES), Codec.NOTHING));
    pair.b.send(10);
    pair.quiet(1000);
    assertThat(Metric.byKey(pair.a.counters.metrics()))
        .containsEntry("link.packets.dropped{reason=identity-changed}", 0L);
    assertThat(pair.a.received).containsExactly(0L);
  }

  /// Of what comes beyond a gap not all is kept for a stranger, but it is sent again.
  @ParameterizedTest
  @MethodSource("media")
  void aStrangerIsHeardToo(Medium medium) {
    for (long seed = 0; seed < SEEDS; seed++) {
      var pair = new LossyPair(medium, seed);
      pair.b.needed.clear();
      for (int i = 0; i < 60; i++) {
        pair.a.send(pair.random().nextInt(8) == 0 ? pair.random().nextInt(100_000) : 3);
        for (int steps = pair.random().nextInt(6); steps > 0; steps--) {
          pair.step();
        }
      }
      assertThat(pair.quiet(STEPS_MAX)).as("seed " + seed).isTrue();
      assertThat(pair.b.received).as("seed " + seed).isEqualTo(upTo(pair.a.sent()));
    }
  }

  @Test
  void aLongMessageOfAStrangerIsTaken() {
    var pair = new LossyPair(ROUGH, 1);
    pair.b.needed.clear();
    pair.a.send(1_000_000);
    pair.a.send(0);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, 1L);
  }

  @Test
  void aLongMessageOfAStrangerWaitsWhileMuchIsKeptForOthers() {
    var pair = new LossyPair(ROUGH, 1);
    pair.b.needed.clear();
    pair.a.send(100_000);
    pair.a.send(1_000_000);
    WireWriter half = Packet.begin(VERSION, Packet.DATA, speaker(Members.C), pair.b.self.incarnation(), true, false);
    data(half, 1);
    half.count((long) InStream.MESSAGE_BYTES_MAX << 2 | 1);
    half.raw(ByteBuffer.allocate(InStream.MESSAGE_BYTES_MAX));
    pair.b.links.arrived(0, said(half, 1));
    assertThat(pair.quiet(20_000)).isFalse();
    assertThat(Metric.byKey(pair.b.counters.metrics()).get("link.packets.dropped{reason=too-much-of-a-stranger}"))
        .isPositive();
    assertThat(pair.b.received).containsExactly(0L);
    pair.b.needed.add(pair.a.self);
    assertThat(pair.quiet(STEPS_MAX)).isTrue();
    assertThat(pair.b.received).containsExactly(0L, 1L);
  }

  @Test
  void theOldestStrangersAreShutButNobodyWhoIsNeeded() {
    var pair = new LossyPair(QUIET, 1);
    pair.b.needed.remove(pair.b.self);
    pair.a.send(10);
    assertThat(pair.quiet(100)).isTrue();
    List<MemberId> strangers =
        LongStream.range(100, 1400).mapToObj(one -> new MemberId("x", new Address("far:" + one), one)).toList();
    for (MemberId stranger : strangers) {
      WireWriter packet = Packet.begin(VERSION, Packet.DATA, speaker(stranger), pair.b.self.incarnation(), true, false);
      data(packet, 1);
      pair.b.links.arrived(0, said(packet, 1));
    }
    assertThat(pair.b.links.open()).startsWith(pair.a.self).endsWith(strangers.getLast()).hasSize(1025);
    assertThat(Metric.byKey(pair.b.counters.metrics())).containsEntry("link.strangers.closed", 1300L - 1024);
  }

  @Test
  void aNameThatLeavesNoRoomInAFrameIsRefused() {
    var pair = new LossyPair(QUIET, 1);
    var self = new MemberId("n".repeat(255), new Address("a".repeat(250)), 5);
    assertThatThrownBy(() -> new Links(self, LossyPair.CLUSTER, pair.a, pair.a.counters, pair.a))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("name and address are too long for frames of 600 bytes");
  }

  /// The rest of the first packet of a stream, which carries and acknowledges nothing.
  private static void data(WireWriter packet, long stream) {
    packet.count(stream);
    for (int i = 0; i < 5; i++) {
      packet.count(0);
    }
    packet.fixed(0);
  }

  /// A packet is filled once, but the acknowledgement in it may be longer when it is sent again.
  @Test
  void aRepeatedPacketFitsItsFrameAlthoughTheAcknowledgementHasGrown() {
    var pair = new LossyPair(new Medium(1, 0, 0, 0, false), 1);
    pair.a.links.arrived(0, said(packet(pair, Packet.DATAGRAM), 1)); // from now on no introduction is needed
    pair.a.send(5 * LossyPair.FRAME_BYTES_MAX);
    pair.step();
    WireWriter packet = packet(pair, Packet.DATA);
    data(packet, 1L << 50); // a number that no member reaches, but the format allows
    pair.a.links.arrived(0, said(packet, 1));
    assertThatCode(() -> pair.quiet(100)).doesNotThrowAnyException();
  }

  /// Each packet says how long its sender has lived, whatever it is for.
  @Test
  void aPacketSaysTheHeartbeatAtWhichItWasSent() {
    var pair = new LossyPair(QUIET, 1);
    pair.a.beat = 41;
    pair.a.send(10);
    assertThat(pair.quiet(100)).isTrue();
    assertThat(pair.b.heardBeat).isEqualTo(41);
    pair.a.beat = 42;
    pair.a.call();
    assertThat(pair.quiet(100)).isTrue();
    assertThat(pair.b.heardBeat).isEqualTo(42);
  }

  @Test
  void aPacketOfNoHeartbeatIsMalformed() {
    var pair = new LossyPair(QUIET, 1);
    for (long beat : new long[] {0, -1, Packet.BEAT_MAX + 1}) {
      pair.a.links.arrived(0, said(packet(pair, Packet.DATAGRAM), beat));
    }
    assertThat(Metric.byKey(pair.a.counters.metrics())).containsEntry("link.packets.damaged{reason=heartbeat}", 3L);
    assertThat(pair.a.heardFirst).isEmpty();
    pair.a.links.arrived(0, said(packet(pair, Packet.DATAGRAM), Packet.BEAT_MAX));
    assertThat(pair.a.heardFirst).containsExactly(pair.b.self);
  }

  private static ByteBuffer said(WireWriter packet, long beat) {
    ByteBuffer frame = packet.copy();
    Packet.seal(frame, frame.position(), frame.limit(), beat, false);
    return frame;
  }

  private static WireWriter packet(LossyPair pair, int kind) {
    return Packet.begin(VERSION, kind, speaker(pair.b.self), pair.a.self.incarnation(), true, false);
  }
}
