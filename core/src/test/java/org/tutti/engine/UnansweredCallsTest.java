package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.transport.Address;

/// When a connection is replaced because calls over it are not answered.
class UnansweredCallsTest {
  private static final long SUSPECT = 1000;
  private static final Address THERE = new Address("n1:1");
  private final UnansweredCalls calls = new UnansweredCalls(SUSPECT);

  private List<Long> due(long from, long to) {
    List<Long> due = new ArrayList<>();
    for (long now = from; now < to; now += 100) {
      if (calls.call(now, THERE)) {
        due.add(now);
      }
    }
    return due;
  }

  @Test
  void firstAfterHalfATimeOfSuspicionAndThenLessAndLessOften() {
    List<Long> due = due(0, 100_000);
    assertThat(due.getFirst()).isEqualTo(SUSPECT / 2);
    assertThat(due).hasSizeBetween(20, 60);
    for (int i = 1; i < due.size(); i++) {
      assertThat(due.get(i) - due.get(i - 1)).isBetween(due.get(i) / 8, due.get(i) / 8 + 100);
    }
  }

  @Test
  void notWhereSomethingIsHeard() {
    for (long now = 0; now < 10_000; now += 100) {
      assertThat(calls.call(now, THERE)).isFalse();
      if (now % 400 == 0) {
        calls.heard(THERE);
      }
    }
  }

  @Test
  void whoWasNotCalledForLongIsCalledAsForTheFirstTime() {
    due(0, 5_000);
    assertThat(calls.call(5_000 + 2 * SUSPECT, THERE)).isFalse();
    calls.expire(10_000);
    assertThat(due(10_000, 11_000)).first().isEqualTo(10_000 + SUSPECT / 2);
  }
}
