package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class ConsumerLagTest {
  private static final long MILLI = 1_000_000;
  private static final int SELF = 1;

  private final ConsumerLag lag = new ConsumerLag(Duration.ofMillis(1000));

  /// Of three ranks two are a quorum.
  private static boolean isQuorum(IntPredicate ranks) {
    return (ranks.test(0) ? 1 : 0) + (ranks.test(1) ? 1 : 0) + (ranks.test(2) ? 1 : 0) >= 2;
  }

  private Duration look(long millis, long delivered, long... consumed) {
    return lag.look(millis * MILLI, delivered, SELF, consumed, ConsumerLagTest::isQuorum);
  }

  @Test
  void whoTakesNothingIsTooFarBehindAfterTheTime() {
    look(0, 5, 5, 5, 5);
    look(100, 6, 6, 5, 6);
    for (int millis = 200; millis < 1100; millis += 100) {
      assertThat(look(millis, 6 + millis, 6 + millis, 5, 6 + millis)).as(millis + " ms").isZero();
    }
    assertThat(look(1100, 9999, 9999, 5, 9999)).isEqualTo(Duration.ofMillis(1000));
  }

  @Test
  void whoTakesTooLittleIsTooFarBehindToo() {
    long behindFrom = -1;
    for (int millis = 0; millis < 10_000; millis += 50) {
      if (!look(millis, millis, millis, millis / 2, millis).isZero() && behindFrom < 0) {
        behindFrom = millis;
      }
    }
    assertThat(behindFrom).as("half of 2 s is a second").isBetween(2000L, 2200L);
  }

  @Test
  void whoIsSlowButKeepsUpIsNot() {
    for (int millis = 0; millis < 10_000; millis += 50) {
      assertThat(look(millis, millis, millis, Math.max(0, millis - 900), millis)).isZero();
    }
  }

  @Test
  void whereNothingIsDeliveredNobodyIsBehind() {
    for (int millis = 0; millis < 10_000; millis += 500) {
      assertThat(look(millis, 7, 7, 7, 7)).isZero();
    }
  }

  @Test
  void nobodyIsTooFarBehindWhileNoQuorumOfTheOthersKeepsUp() {
    for (int millis = 0; millis < 5000; millis += 100) {
      assertThat(look(millis, 10 + millis, 10 + millis, 5, Math.max(0, 10 + millis - 600))).isZero();
    }
    assertThat(look(5000, 5010, 5010, 5, 5010)).isBetween(Duration.ofMillis(1000), Duration.ofMillis(1200));
  }

  @Test
  void afterARestartNothingIsKnownOfWhatWasDeliveredBefore() {
    look(0, 5, 5, 5, 5);
    look(100, 6, 6, 5, 6);
    lag.restart();
    assertThat(look(1500, 6, 6, 5, 6)).isZero();
    assertThat(look(2500, 6, 6, 5, 6)).isEqualTo(Duration.ofMillis(1000));
  }

  @Test
  void zeroIsAnyTime() {
    var any = new ConsumerLag(Duration.ZERO);
    for (int second = 0; second < 100; second++) {
      long[] consumed = {second + 5, 0, second + 5};
      assertThat(any.look(second * 1000 * MILLI, second + 5, SELF, consumed, ConsumerLagTest::isQuorum)).isZero();
    }
  }
}
