package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// How far an application is behind is told a little too short, and never too long.
class ApplicationLagTest {
  private static final long MILLI = 1_000_000;
  private static final int LOOK_MILLIS = 100;

  private final ApplicationLag backlog = new ApplicationLag();

  private void look(long millis, long delivered, long taken) {
    backlog.look(millis * MILLI, delivered, taken);
  }

  private Duration behind(long millis, long taken) {
    return backlog.behind(millis * MILLI, taken);
  }

  @Test
  void whoHasTakenAllIsNotBehind() {
    assertThat(behind(0, 0)).isZero();
    look(0, 0, 0);
    look(100, 7, 7);
    assertThat(behind(99_999, 7)).isZero();
  }

  @Test
  void whoTakesNothingIsBehindSinceTheFirstLookThatFindsSomething() {
    look(0, 3, 3);
    look(100, 4, 3);
    look(200, 9, 3);
    assertThat(behind(250, 3)).isEqualTo(Duration.ofMillis(150));
    assertThat(behind(1000, 3)).isEqualTo(Duration.ofMillis(900));
    assertThat(behind(1000, 4)).as("the rest came a look later").isEqualTo(Duration.ofMillis(800));
    assertThat(behind(1000, 9)).isZero();
    look(1100, 10, 9);
    assertThat(behind(1200, 9)).as("it is behind anew").isEqualTo(Duration.ofMillis(100));
  }

  /// One batch a millisecond comes, and none is taken for so long; then ten a millisecond are taken.
  @Test
  void aLagIsToldToAThirtySecondPartWhileItIsMadeUp() {
    long stood = 3_600_000;
    for (long millis = 0; millis <= stood; millis += LOOK_MILLIS) {
      look(millis, millis, 0);
      assertThat(behind(millis, 0))
          .isBetween(Duration.ofMillis(Math.max(0, millis - LOOK_MILLIS)), Duration.ofMillis(millis));
    }
    long taken = 0;
    for (long millis = stood; taken < millis; millis += LOOK_MILLIS) {
      look(millis, millis, taken);
      long lag = millis - taken;
      assertThat(behind(millis, taken))
          .isBetween(Duration.ofMillis(Math.max(0, lag - stood / 31 - LOOK_MILLIS)), Duration.ofMillis(lag));
      taken += 10 * LOOK_MILLIS;
    }
  }
}
