package org.tutti.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoundTripTest {
  private static final long MILLI = 1_000_000;

  private final RoundTrip roundTrip = new RoundTrip(20 * MILLI);

  private void measure(int times, long nanos) {
    for (int i = 0; i < times; i++) {
      roundTrip.measure(i, nanos, true);
    }
  }

  @Test
  void onlyUnloadedPacketsSayWhatTheFastestTake() {
    roundTrip.measure(0, 90 * MILLI, false);
    assertThat(roundTrip.beyondBest(100 * MILLI)).as("nothing is known").isZero();
    assertThat(roundTrip.bestNanos()).isZero();
    roundTrip.measure(1, 10 * MILLI, true);
    roundTrip.measure(2, 5 * MILLI, false);
    assertThat(roundTrip.beyondBest(100 * MILLI)).isEqualTo(90 * MILLI);
    assertThat(roundTrip.beyondBest(3 * MILLI)).isZero();
    roundTrip.measure(30_000 * MILLI, 40 * MILLI, true); // the route has become longer; the period before counts, too
    assertThat(roundTrip.beyondBest(100 * MILLI)).isEqualTo(90 * MILLI);
    roundTrip.measure(60_000 * MILLI, 40 * MILLI, true);
    assertThat(roundTrip.beyondBest(100 * MILLI)).isEqualTo(60 * MILLI);
  }

  @Test
  void shortRoundTripsFindHolesSoonAndKeepTheLeastTimeout() {
    assertThat(roundTrip.holeNanos()).isEqualTo(5 * MILLI);
    measure(100, MILLI / 5);
    assertThat(roundTrip.holeNanos()).isLessThan(MILLI);
    assertThat(roundTrip.timeoutNanos(0)).isEqualTo(20 * MILLI);
  }

  @Test
  void longRoundTripsDoNotCauseRepetitions() {
    measure(100, 80 * MILLI);
    assertThat(roundTrip.holeNanos()).isGreaterThan(80 * MILLI);
    assertThat(roundTrip.timeoutNanos(0)).isGreaterThanOrEqualTo(80 * MILLI);
  }

  @Test
  void timeoutsDoubleUpToALimit() {
    measure(1, 30 * MILLI);
    assertThat(roundTrip.timeoutNanos(1)).isEqualTo(2 * roundTrip.timeoutNanos(0));
    assertThat(roundTrip.timeoutNanos(4)).isEqualTo(16 * 20 * MILLI);
    measure(10, 10_000 * MILLI);
    assertThat(roundTrip.timeoutNanos(0)).isEqualTo(16 * 20 * MILLI);
  }
}
