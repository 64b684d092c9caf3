package org.tutti.dissemination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.primary;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.Dissemination;
import org.tutti.MemberId;
import org.tutti.View;

/// Star or chain, at A in a view of four.
class BottleneckDetectorTest {
  private static final View VIEW = primary(1, A, B, C, D);
  private static final long FULL = BottleneckDetector.QUEUEING_NANOS;
  private static final int STEP = 1000; // bytes that A multicasts in an interval

  private final Map<MemberId, Long> queueing = new HashMap<>();
  private final Map<MemberId, Long> acknowledged = new HashMap<>();
  private final Map<MemberId, Long> queued = new HashMap<>();
  private final Map<MemberId, Long> waiting = new HashMap<>();
  private boolean multicasts; // to all but D
  private long now;
  private final BottleneckDetector.Lines lines =
      new BottleneckDetector.Lines() {
        @Override
        public long queueingNanos(long now, MemberId peer) {
          return queueing.getOrDefault(peer, 0L);
        }

        @Override
        public boolean isMulticast(MemberId peer) {
          return multicasts && peer != D;
        }

        @Override
        public long acknowledgedBytes(MemberId peer) {
          return acknowledged.getOrDefault(peer, 0L);
        }

        @Override
        public long queuedBytes(MemberId peer) {
          return queued.getOrDefault(peer, 0L);
        }

        @Override
        public long waitingBytes(MemberId peer) {
          return waiting.getOrDefault(peer, 0L);
        }
      };
  private final BottleneckDetector detector = detector(Dissemination.AUTO, A);

  private BottleneckDetector detector(Dissemination wanted, MemberId self) {
    return new BottleneckDetector(wanted, self, () -> VIEW, () -> now, lines);
  }

  private void wait(long b, long c, long d) {
    queueing.put(B, b);
    queueing.put(C, c);
    queueing.put(D, d);
  }

  /// One interval passes, in which a member acknowledges so much, and A multicasts so much.
  private boolean after(int bytes, MemberId by, int own) {
    now += BottleneckDetector.INTERVAL_NANOS;
    acknowledged.merge(by, (long) bytes, Long::sum);
    return detector.way(own) == Transmission.Way.CHAIN;
  }

  @Test
  void aStarIsTheBeginningAndLastsWhileALineIsFree() {
    assertThat(after(0, B, STEP)).isFalse();
    assertThat(after(3 * STEP, B, STEP)).isFalse();
    wait(FULL, FULL, FULL - 1);
    assertThat(after(3 * STEP, B, STEP)).as("D is reached in time").isFalse();
  }

  @Test
  void aChainBeginsWhenEverybodyWaitsForTheLine() {
    after(0, B, STEP);
    wait(FULL, FULL, FULL);
    now++;
    assertThat(detector.way(STEP)).as("looks once in an interval").isEqualTo(Transmission.Way.STAR);
    assertThat(after(3 * STEP, B, STEP)).isTrue();
  }

  @Test
  void aChainLastsWhileItsOwnLineIsFull() {
    after(0, B, STEP);
    wait(FULL, FULL, FULL);
    after(3 * STEP, B, STEP);
    wait(FULL, 0, 0);
    assertThat(after(3 * STEP, B, 3 * STEP)).isTrue();
    assertThat(after(3 * STEP, B, 3 * STEP)).isTrue();
  }

  @Test
  void aStarIsBackWhenItTakesHalfOfTheLine() {
    after(0, B, STEP);
    wait(FULL, FULL, FULL);
    after(12 * STEP, B, 12 * STEP);
    wait(0, 0, 0);
    assertThat(after(4 * STEP, B, 4 * STEP)).as("a star would fill the line").isTrue();
    assertThat(after(2 * STEP, B, 2 * STEP)).as("that has been asked for since").isTrue();
    assertThat(after(STEP, B, 2 * STEP)).as("less than half of it").isFalse();
  }

  /// For long one member sends and others have so much come.
  private void for20Intervals(int own, int others) {
    for (int interval = 0; interval < 20; interval++) {
      detector.came(others);
      after(3 * own, B, own);
    }
  }

  @Test
  void aSenderThatMulticastsStaysWithTheStarWhenItsLineIsFull() {
    multicasts = true;
    wait(FULL, FULL, FULL);
    for20Intervals(STEP, STEP / 2 - 100);
    assertThat(detector.way(STEP)).isEqualTo(Transmission.Way.STAR);
  }

  @Test
  void sendersWhoseMulticastsMeetMakeChainsWhenLinesAreFull() {
    multicasts = true;
    for20Intervals(STEP, STEP);
    assertThat(detector.way(STEP)).as("nothing waits").isEqualTo(Transmission.Way.STAR);
    wait(FULL, FULL, FULL);
    for20Intervals(STEP, STEP);
    assertThat(detector.way(STEP)).isEqualTo(Transmission.Way.CHAIN);
    for20Intervals(STEP, 0);
    assertThat(detector.way(STEP)).as("the only one left").isEqualTo(Transmission.Way.STAR);
  }

  @Test
  void afterAPauseOnlyTheLineCounts() {
    after(0, B, STEP);
    wait(FULL, FULL, FULL);
    assertThat(after(STEP, B, STEP)).isTrue();
    now += 10 * BottleneckDetector.INTERVAL_NANOS;
    wait(0, 0, 0);
    assertThat(after(0, B, STEP)).isFalse();
  }

  private void queue(long b, long c, long d) {
    queued.put(B, b);
    queued.put(C, c);
    queued.put(D, d);
  }

  @Test
  void aStarWaitsWhileMoreIsQueuedForEverybodyThanLinesCarry() {
    after(0, B, STEP);
    queue(1 << 20, 1 << 20, 1 << 20);
    assertThat(detector.isReady(B)).isFalse();
    queue(1 << 20, 0, 1 << 20);
    assertThat(detector.isReady(B)).as("C waits for more").isTrue();

    queue(1 << 20, 1 << 20, 1 << 20);
    after(6 << 20, B, STEP);
    assertThat(detector.isReady(B)).as("lines have carried two MiB each in an interval").isTrue();
    for (int interval = 0; interval < 20; interval++) {
      after(0, B, STEP);
    }
    assertThat(detector.isReady(B)).as("and do not any more").isFalse();
  }

  @Test
  void theRoomIsSixtyFourKibibytesAsLongAsNothingIsKnown() {
    after(0, B, STEP);
    queue(64 << 10, 1 << 20, 1 << 20);
    assertThat(detector.isReady(B)).isTrue();
    queue((64 << 10) + 1, 1 << 20, 1 << 20);
    assertThat(detector.isReady(B)).isFalse();
  }

  @Test
  void theRoomIsWhatALineHasCarriedAndShrinksByATenthInAnInterval() {
    after(0, B, STEP);
    after(3_000_000, B, STEP); // a million over each of three lines
    for (long room = 1_000_000; room > 64 << 10; room = room * 9 / 10) {
      queue(room, 1 << 20, 1 << 20);
      assertThat(detector.isReady(B)).isTrue();
      queue(room + 1, 1 << 20, 1 << 20);
      assertThat(detector.isReady(B)).isFalse();
      after(0, B, STEP);
    }
    queue(64 << 10, 1 << 20, 1 << 20);
    assertThat(detector.isReady(B)).as("and never below what it is at first").isTrue();
  }

  @Test
  void theRoomIsThatOfOneIntervalHoweverLongNobodyAsked() {
    after(0, B, STEP);
    now += 9 * BottleneckDetector.INTERVAL_NANOS;
    after(30_000_000, B, STEP);
    queue(1_000_000, 1 << 20, 1 << 20);
    assertThat(detector.isReady(B)).isTrue();
    queue(1_000_001, 1 << 20, 1 << 20);
    assertThat(detector.isReady(B)).isFalse();
  }

  @Test
  void whoStandsStillHoldsNobodyUpUnlessAllDo() {
    after(0, B, STEP);
    queue(4 << 20, 4 << 20, 0);
    for (int interval = 0; interval < 20; interval++) {
      after(0, B, STEP);
      assertThat(detector.isReady(B)).as("D reads").isTrue();
    }
    queue(4 << 20, 4 << 20, 4 << 20);
    assertThat(detector.isReady(B)).isFalse();
  }

  @Test
  void aChainDoesNotWaitForWhatIsNotOnesOwn() {
    wait(FULL, FULL, FULL);
    assertThat(after(0, B, STEP)).isTrue();
    queue(4 << 20, 4 << 20, 4 << 20);
    assertThat(detector.isReady(B)).isTrue();
  }

  @Test
  void aStarThatWaitsBecomesAChainWhenTheLineIsFull() {
    after(0, B, STEP);
    queue(1 << 20, 1 << 20, 1 << 20);
    wait(FULL, FULL, FULL);
    assertThat(detector.isReady(B)).isFalse();
    now += BottleneckDetector.INTERVAL_NANOS;
    assertThat(detector.isReady(B)).as("the line is found full").isTrue();
    assertThat(detector.way(STEP)).isEqualTo(Transmission.Way.CHAIN);
  }

  @Test
  void ofAChainOnlyWhatIsOnesOwnAndNotOnTheWayIsWaitedFor() {
    BottleneckDetector chains = detector(Dissemination.CHAIN, A);
    assertThat(chains.way(STEP)).isEqualTo(Transmission.Way.CHAIN);
    queue(1 << 20, 1 << 20, 1 << 20);
    waiting.put(C, 1L << 20);
    assertThat(chains.isReady(B)).as("B's line takes more").isTrue();
    waiting.put(B, 1L << 20);
    assertThat(chains.isReady(B)).isFalse();
  }

  @Test
  void theRelayIsWaitedForAndByItselfItWaitsForAStar() {
    BottleneckDetector relayed = detector(Dissemination.RELAY, B);
    assertThat(relayed.way(STEP)).isEqualTo(Transmission.Way.RELAY);
    queue(1 << 20, 1 << 20, 1 << 20);
    assertThat(relayed.isReady(C)).isTrue();
    waiting.put(A, 1L << 20);
    assertThat(relayed.isReady(C)).isFalse();

    BottleneckDetector relay = detector(Dissemination.RELAY, A);
    assertThat(relay.isReady(B)).as("all wait for the line").isFalse();
    queue(1 << 20, 0, 1 << 20);
    assertThat(relay.isReady(B)).isTrue();
  }

  @Test
  void aStarThatIsWantedStaysOne() {
    BottleneckDetector stars = detector(Dissemination.STAR, A);
    stars.way(STEP);
    wait(FULL, FULL, FULL);
    now += BottleneckDetector.INTERVAL_NANOS;
    assertThat(stars.way(STEP)).isEqualTo(Transmission.Way.STAR);
    queue(1 << 20, 1 << 20, 1 << 20);
    assertThat(stars.isReady(B)).isFalse();
  }
}
