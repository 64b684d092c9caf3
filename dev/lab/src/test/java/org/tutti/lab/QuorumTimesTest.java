package org.tutti.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// When a quorum counts as connected.
class QuorumTimesTest {
  private static final long SECOND = 1_000_000_000;

  private final Stops answers = new Stops();
  private final QuorumTimes times = new QuorumTimes();
  private final long start = System.nanoTime();

  private long longest(boolean[][] hears, int needed) {
    times.look(start, hears, needed);
    times.end(start + 10 * SECOND);
    return times.longestNanos(answers, start + 20 * SECOND) / SECOND;
  }

  private static boolean[][] hears(int... rows) {
    var hears = new boolean[rows.length][rows.length];
    for (int one = 0; one < rows.length; one++) {
      for (int other = 0; other < rows.length; other++) {
        hears[one][other] = (rows[one] >> other & 1) != 0;
      }
    }
    return hears;
  }

  @Test
  void aMajorityThatHearsEachOtherAndTheClients() {
    assertThat(longest(hears(0b011, 0b001, 0b100), 2)).isEqualTo(10);
  }

  @Test
  void noneWhenTheClientsReachOthersOnly() {
    assertThat(longest(hears(0b010, 0b001, 0b100), 2)).isZero();
  }

  @Test
  void noneInARing() {
    assertThat(longest(hears(0b10011, 0b00111, 0b01110, 0b11100, 0b11001), 3)).isZero();
  }

  @Test
  void answersEndAStop() {
    answers.delivered(start + 4 * SECOND);
    assertThat(longest(hears(0b11, 0b11), 2)).isBetween(5L, 6L);
  }
}
