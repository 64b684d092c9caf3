package org.tutti.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeliveryRateTest {
  private static final long SECOND = 1_000_000_000;
  private static final long MILLI = 1_000_000;

  private final DeliveryRate rate = new DeliveryRate();

  @Test
  void theMostThatWasCarriedCounts() {
    assertThat(rate.bytesIn(SECOND)).as("nothing is known").isZero();
    rate.measure(0, 1000, MILLI, true);
    rate.measure(MILLI, 500, MILLI, true);
    assertThat(rate.bytesIn(SECOND)).isEqualTo(1_000_000);
    assertThat(rate.bytesIn(20 * MILLI)).isEqualTo(20_000);
    rate.measure(2 * MILLI, 1000, 0, true); // in no time
    assertThat(rate.bytesIn(SECOND)).isEqualTo(1_000_000);
  }

  @Test
  void aPathThatBecomesSlowerIsNoticedAfterSomeSeconds() {
    rate.measure(0, 1000, MILLI, true);
    rate.measure(11 * SECOND, 100, MILLI, true);
    assertThat(rate.bytesIn(SECOND)).as("it carried more in the period before").isEqualTo(1_000_000);
    rate.measure(22 * SECOND, 100, MILLI, true);
    assertThat(rate.bytesIn(SECOND)).isEqualTo(100_000);
  }

  @Test
  void aPathWithLittleToCarryIsNotTakenForASlowOne() {
    rate.measure(0, 1000, MILLI, true);
    for (int second = 1; second < 100; second++) {
      rate.measure(second * SECOND, 10, MILLI, false);
    }
    assertThat(rate.bytesIn(SECOND)).isEqualTo(1_000_000);
    rate.measure(100 * SECOND, 2000, MILLI, false);
    assertThat(rate.bytesIn(SECOND)).as("it carries as much at least").isEqualTo(2_000_000);
  }
}
