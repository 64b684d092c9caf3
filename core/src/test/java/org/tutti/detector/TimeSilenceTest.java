package org.tutti.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimeSilenceTest {
  private static final long CHECK = 10;
  private static final long SUSPECT = 50;

  private final TimeSilence detector = new TimeSilence(SUSPECT, CHECK);
  private long now;

  @BeforeEach
  void watchTwo() {
    detector.watch(now, List.of(A, B));
    detector.check(now);
  }

  /// Lets time pass in the announced pace.
  ///
  /// @return whether a check found somebody
  private boolean until(long time) {
    boolean found = false;
    while (now < time) {
      now = Math.min(time, now + CHECK);
      found |= detector.check(now);
    }
    return found;
  }

  @Test
  void suspectsAfterTheTimeAndNotBefore() {
    assertThat(until(SUSPECT - 1)).isFalse();
    assertThat(detector.suspects(A)).isFalse();
    assertThat(until(SUSPECT)).isTrue();
    assertThat(detector.suspects(A)).isTrue();
  }

  @Test
  void whoIsHeardIsNotSuspected() {
    until(40);
    detector.heard(now, A, 1);
    until(60);
    assertThat(detector.suspects(A)).isFalse();
    assertThat(detector.suspects(B)).isTrue();
  }

  @Test
  void theLatestHeartbeatIsKeptWhateverComesLate() {
    assertThat(detector.beat(A)).as("nothing heard").isZero();
    detector.heard(now, A, 7);
    detector.heard(now, A, 5);
    assertThat(detector.beat(A)).isEqualTo(7);
    until(SUSPECT);
    assertThat(detector.beat(A)).as("silent").isEqualTo(7);
    detector.watch(now, List.of(B));
    assertThat(detector.beat(A)).as("not watched").isZero();
  }

  @Test
  void newsOfASuspicionComesOnce() {
    assertThat(until(SUSPECT)).isTrue();
    assertThat(until(2 * SUSPECT)).isFalse();
  }

  @Test
  void hearingEndsASuspicionAndSaysSo() {
    until(SUSPECT);
    assertThat(detector.heard(now, A, 1)).isTrue();
    assertThat(detector.suspects(A)).isFalse();
    assertThat(detector.heard(now, A, 1)).isFalse();
  }

  @Test
  void whoIsNotWatchedIsNeverSuspected() {
    assertThat(detector.heard(now, C, 1)).isFalse();
    assertThat(detector.suspect(now, C)).isFalse();
    until(10 * SUSPECT);
    assertThat(detector.suspects(C)).isFalse();
  }

  @Test
  void whoIsNewlyWatchedCountsAsJustHeard() {
    until(SUSPECT);
    detector.watch(now, List.of(A, C));
    assertThat(detector.suspects(A)).as("stays suspected").isTrue();
    assertThat(until(2 * SUSPECT - 1)).isFalse();
    assertThat(until(2 * SUSPECT)).isTrue();
    assertThat(detector.suspects(C)).isTrue();
    assertThat(detector.suspects(B)).as("no longer watched").isFalse();
  }

  @Test
  void aSuspicionByHearsayHoldsUntilThePeerIsHeard() {
    assertThat(detector.suspect(now, A)).isTrue();
    assertThat(detector.suspect(now, A)).isFalse();
    until(20);
    assertThat(detector.suspects(A)).isTrue();
    detector.heard(now, A, 1);
    until(40);
    assertThat(detector.suspects(A)).isFalse();
  }

  @Test
  void theTimeThatThisProcessSleptDoesNotCount() {
    until(30);
    now += 1000; // stopped for longer than the suspicion
    assertThat(detector.check(now)).isFalse();
    assertThat(detector.suspects(A)).isFalse();
    assertThat(until(now + SUSPECT)).as("silence goes on counting afterwards").isTrue();
  }

  @Test
  void aSleepDoesNotMakeAnybodyHeardInTheFuture() {
    detector.heard(now, A, 1);
    now += 1000;
    detector.check(now);
    long woken = now;
    assertThat(until(woken + SUSPECT - CHECK - 1)).isFalse();
    assertThat(until(woken + SUSPECT)).isTrue();
  }

  @Test
  void aLittleDelayOfTheCheckIsNoSleep() {
    until(40);
    now += 2 * CHECK;
    assertThat(detector.check(now)).isTrue();
  }
}
