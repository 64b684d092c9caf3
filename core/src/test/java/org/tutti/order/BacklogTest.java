package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final long OVERHEAD = 64;

  @Test
  void tellsHowMuchWasDeliveredFromAnIndexOn() {
    var backlog = new Backlog(10);
    assertThat(backlog.from(10)).isZero();
    backlog.delivered(100);
    backlog.delivered(0);
    backlog.delivered(7);
    assertThat(backlog.from(0)).as("what is before the view does not count").isEqualTo(107 + 3 * OVERHEAD);
    assertThat(backlog.from(11)).isEqualTo(7 + 2 * OVERHEAD);
    assertThat(backlog.from(12)).isEqualTo(7 + OVERHEAD);
    assertThat(backlog.from(13)).isZero();
  }

  @Test
  void forgetsWhatEverybodyHas() {
    var backlog = new Backlog(0);
    backlog.delivered(1);
    backlog.delivered(2);
    backlog.dropBefore(1);
    assertThat(backlog.from(1)).isEqualTo(2 + OVERHEAD);
    backlog.dropBefore(Long.MAX_VALUE);
    assertThat(backlog.from(2)).isZero();
    backlog.delivered(5);
    assertThat(backlog.from(2)).isEqualTo(5 + OVERHEAD);
  }
}
