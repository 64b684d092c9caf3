package org.tutti.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoundTripTest {
  private static final long MILLI = 1_000_000;

  private final RoundTrip roundTrip = new RoundTrip(20 * MILLI);

  private void measure(int times, long nanos) {
    for (int i = 0; i < times; i++) {
      roundTrip.measure(i, nanos);
    }
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
