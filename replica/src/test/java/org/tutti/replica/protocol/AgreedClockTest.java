package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgreedClockTest {
  private static final long MILLI = 1_000_000;

  private long steady = 77 * MILLI;
  private long wall = 1_000_000;
  private final AgreedClock clock = new AgreedClock(() -> steady, () -> wall);

  @Test
  void whoHasHeardNoStampSaysWhatTheWallClockSays() {
    clock.heard(0); // a message without a stamp
    assertThat(clock.stamp(0)).isEqualTo(1_000_000);
  }

  @Test
  void theTimeThatWasHeardGoesOnWithTheSteadyClock() {
    clock.heard(500);
    wall = 9_000_000; // set by somebody
    steady += 20 * MILLI;
    assertThat(clock.stamp(500)).isEqualTo(520);
  }

  @Test
  void whoIsAheadIsFollowed() {
    clock.heard(500);
    clock.heard(900);
    steady += 10 * MILLI;
    clock.heard(905); // it was on its way for five
    assertThat(clock.stamp(905)).isEqualTo(910);
  }

  @Test
  void aStampIsNeverBeforeTheAgreedTime() {
    clock.heard(500);
    assertThat(clock.stamp(600)).isEqualTo(600);
  }
}
