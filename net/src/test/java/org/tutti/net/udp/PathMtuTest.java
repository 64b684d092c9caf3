package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A path that a test describes, and a clock that it drives: what a [PathMtu] makes of it.
class PathMtuTest {
  private static final int FULL = 8192;
  private static final int HEADERS = 28;
  private static final long STEP = TimeUnit.MILLISECONDS.toNanos(1);

  private record Answer(long at, int length) {}

  private static final class Way {
    final PathMtu mtu = new PathMtu(FULL, HEADERS, 0);
    final SplittableRandom random;
    final PriorityQueue<Answer> answers = new PriorityQueue<>((a, b) -> Long.compare(a.at, b.at));
    final double loss;
    final long roundTrip;
    int takes;
    boolean cut;
    long now = -5 * STEP;
    int probes;

    Way(int takes, double loss, int roundTripMillis, long seed) {
      this.takes = takes;
      this.loss = loss;
      this.roundTrip = roundTripMillis * STEP;
      this.random = new SplittableRandom(seed);
      mtu.begin(now);
    }

    void send(int length) {
      probes++;
      if (!cut && length <= takes && random.nextDouble() >= loss && random.nextDouble() >= loss) {
        answers.add(new Answer(now + roundTrip, length));
      }
    }

    void step() {
      now += STEP;
      while (!answers.isEmpty() && answers.peek().at <= now) {
        mtu.answered(answers.poll().length, now);
      }
      int length = mtu.probe(now);
      if (length > 0) {
        send(length);
        int beside = mtu.shortProbe();
        if (beside > 0) {
          send(beside);
        }
      }
    }

    void run(long millis) {
      for (long i = 0; i < millis; i++) {
        step();
      }
    }

    long millisUntilRest() {
      long from = now;
      while (mtu.isAsking()) {
        step();
        assertThat(now - from).as("time to find out").isLessThan(TimeUnit.MINUTES.toNanos(2));
      }
      return (now - from) / STEP;
    }
  }

  @Test
  void aWidePathTakesOneProbe() {
    var way = new Way(FULL, 0, 1, 1);
    assertThat(way.mtu.size()).isEqualTo(PathMtu.BASE);
    assertThat(way.mtu.isHopeful(way.now)).isTrue();
    way.run(5);
    assertThat(way.mtu.size()).isEqualTo(FULL);
    assertThat(way.mtu.isAsking()).isFalse();
    assertThat(way.probes).isEqualTo(1);
    way.run(100_000);
    assertThat(way.probes).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {548, 600, 1000, 1200, 1252, 1372, 1444, 1472, 1480, 4000, 8191})
  void aBlackHoleIsMeasured(int takes) {
    for (int roundTrip : new int[] {0, 1, 83, 400}) {
      var way = new Way(takes, 0, roundTrip, 1);
      long millis = way.millisUntilRest();
      assertThat(way.mtu.size()).isBetween(takes - 15, takes);
      assertThat(way.mtu.isHopeful(way.now)).isFalse();
      assertThat(millis).as("round trip " + roundTrip).isLessThan(5000 + 15L * roundTrip);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.05, 0.2})
  void aLossyPathIsNotTakenForANarrowOne(double loss) {
    for (int seed = 0; seed < 2000; seed++) {
      var way = new Way(FULL, loss, 20, seed);
      way.millisUntilRest();
      for (int i = 0; i < 3; i++) {
        way.run(1001);
        way.mtu.lost(FULL, way.now);
        way.millisUntilRest();
      }
      assertThat(way.mtu.size()).as("seed " + seed).isEqualTo(FULL);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.05, 0.2})
  void aNarrowPathIsMeasuredAlthoughItLoses(double loss) {
    for (int seed = 0; seed < 200; seed++) {
      var way = new Way(1472, loss, 20, seed);
      way.millisUntilRest();
      assertThat(way.mtu.size()).as("seed " + seed).isBetween(1472 - 15, 1472);
    }
  }

  @Test
  void aPeerThatStandsStillIsNotNarrow() {
    var way = new Way(FULL, 0, 1, 1);
    way.cut = true;
    way.run(60_000);
    assertThat(way.mtu.size()).isEqualTo(PathMtu.BASE);
    assertThat(way.probes).as("about one a second, with a short one").isLessThan(200);
    way.cut = false;
    way.run(1000);
    assertThat(way.mtu.size()).isEqualTo(FULL);
  }

  @Test
  void aPathThatGetsNarrowIsNoticedByItsLosses() {
    var way = new Way(FULL, 0, 1, 1);
    way.run(2000);
    way.takes = 1372;
    way.run(10);
    assertThat(way.mtu.isAsking()).isFalse();
    way.mtu.lost(FULL, way.now);
    way.run(400);
    assertThat(way.mtu.size()).as("what carries at once").isBetween(PathMtu.BASE, 1372);
    way.millisUntilRest();
    assertThat(way.mtu.size()).isBetween(1372 - 15, 1372);
    way.takes = 600;
    way.run(2000);
    way.mtu.lost(1300, way.now);
    way.millisUntilRest();
    assertThat(way.mtu.size()).isBetween(600 - 15, 600);
  }

  @Test
  void shortDatagramsThatAreLostSayNothing() {
    var way = new Way(FULL, 0, 1, 1);
    way.run(2000);
    way.mtu.lost(PathMtu.BASE, way.now);
    assertThat(way.mtu.isAsking()).isFalse();
  }

  @Test
  void aLossWhileItSearchesUpwardIsAskedAboutNext() {
    var way = new Way(1472, 0, 1, 1);
    way.millisUntilRest();
    way.run(TimeUnit.MINUTES.toMillis(10) - 1);
    assertThat(way.mtu.isAsking()).isFalse();
    way.run(20);
    assertThat(way.mtu.isAsking()).as("tries the full size again").isTrue();
    way.takes = 1300;
    way.mtu.lost(1400, way.now);
    way.run(800);
    assertThat(way.mtu.size()).isLessThanOrEqualTo(1300);
  }

  @Test
  void aPathThatGetsWideIsNoticedAfterTenMinutes() {
    var way = new Way(1252, 0, 1, 1);
    way.millisUntilRest();
    way.takes = FULL;
    int before = way.probes;
    way.run(TimeUnit.MINUTES.toMillis(11));
    assertThat(way.mtu.size()).isEqualTo(FULL);
    assertThat(way.probes - before).isEqualTo(1);
  }

  @Test
  void whatTheKernelRefusesNeedsNoProbes() {
    var way = new Way(FULL, 0, 1, 1);
    way.run(2000);
    way.takes = 1372;
    way.mtu.refused(FULL, way.now);
    assertThat(way.mtu.size()).isEqualTo(PathMtu.BASE);
    for (int length = way.mtu.probe(way.now); length > way.takes; length = way.mtu.probe(way.now)) {
      way.mtu.refused(length, way.now);
    }
    way.run(5);
    assertThat(way.mtu.size()).as("the base is there").isGreaterThanOrEqualTo(PathMtu.BASE);
  }

  @Test
  void nothingFitsAndItEnds() {
    var mtu = new PathMtu(FULL, HEADERS, 36);
    mtu.begin(0);
    int refusals = 0;
    for (int length = mtu.probe(0); length > 0; length = mtu.probe(0)) {
      mtu.refused(length, 0);
      assertThat(refusals++).isLessThan(100);
    }
    assertThat(mtu.size()).isEqualTo(PathMtu.LEAST - 36);
    mtu.refused(mtu.size(), 0);
    assertThat(mtu.size()).isEqualTo(PathMtu.LEAST - 36);
  }

  @ParameterizedTest
  @ValueSource(ints = {540, 576, 1199, 1200, 1201, 1216})
  void smallDatagramsAreAskedAboutOnce(int full) {
    var mtu = new PathMtu(full, HEADERS, 0);
    mtu.begin(0);
    assertThat(mtu.probe(0)).isEqualTo(full);
    mtu.answered(full, 1);
    assertThat(mtu.size()).isEqualTo(full);
    assertThat(mtu.isAsking()).isFalse();
  }

  /// Answers that nobody asked for, of a peer that lies or is late.
  @Test
  void inventedAnswersDoNoHarm() {
    var random = new SplittableRandom(9);
    for (int round = 0; round < 1000; round++) {
      var way = new Way(FULL, 0.1, 30, round);
      for (int i = 0; i < 1000; i++) {
        way.step();
        way.mtu.answered(random.nextInt(-10, 100_000), way.now);
        assertThat(way.mtu.size()).isBetween(PathMtu.LEAST, FULL);
      }
    }
  }
}
