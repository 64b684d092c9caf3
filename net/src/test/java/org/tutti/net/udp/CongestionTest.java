package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CongestionTest {
  private static final long MOST = 4 << 20;
  private static final int DATAGRAM = 2000;
  private static final long ROUND_TRIP = 10_000_000;

  /// Rounds of a sender that always has something to say; the loss depends on the window.
  private static void run(Congestion congestion, int rounds, DoubleBinaryOperator loss) {
    var random = new SplittableRandom(3);
    long number = 0;
    for (int round = 0; round < rounds; round++) {
      long now = round * ROUND_TRIP;
      int count = (int) (congestion.window() / DATAGRAM);
      double share = loss.applyAsDouble(congestion.window(), round);
      int gone = 0;
      for (int i = 0; i < count; i++) {
        gone += random.nextDouble() < share ? 1 : 0;
      }
      congestion.limited();
      number += count;
      congestion.settle(now, ROUND_TRIP, number, count, gone, (long) count * DATAGRAM, number + count);
    }
  }

  @Test
  void withoutLossTheWindowGrowsToItsLimit() {
    var congestion = new Congestion(MOST);
    run(congestion, 20, (window, round) -> 0);
    assertThat(congestion.window()).isEqualTo(MOST);
  }

  @Test
  void aWindowThatIsNotUsedUpDoesNotGrow() {
    var congestion = new Congestion(MOST);
    for (int i = 1; i < 100; i++) {
      congestion.settle(i * ROUND_TRIP, ROUND_TRIP, 40L * i, 40, 0, 40 * DATAGRAM, 40L * i);
    }
    assertThat(congestion.window()).isLessThan(MOST);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.05, 0.2})
  void lossThatDoesNotDependOnTheWindowDoesNotKeepItSmall(double loss) {
    var congestion = new Congestion(MOST);
    run(congestion, 1000, (window, round) -> loss);
    assertThat(congestion.window()).isGreaterThan(MOST / 4);
    assertThat(congestion.medium()).isLessThan(loss + 0.1);
  }

  @Test
  void aQueueThatOverflowsIsRelieved() {
    var congestion = new Congestion(MOST);
    long room = 300_000;
    run(congestion, 200, (window, round) -> window > room ? (window - room) / window : 0);
    assertThat(congestion.window()).isBetween(room / 2, room * 3 / 2);
  }

  /// Others fill the queue as well, so that few are lost; and an echo that came late says nothing of the queue.
  @Test
  void aFullQueueIsRelievedWhenFewAreLost() {
    var congestion = new Congestion(MOST);
    long room = 1_000_000;
    long now = 0;
    long number = 0;
    for (int round = 0; round < 2000; round++) {
      int count = (int) (congestion.window() / DATAGRAM);
      boolean full = congestion.window() > room;
      long roundTrip = full ? 4 * ROUND_TRIP : ROUND_TRIP + 3 * ROUND_TRIP * congestion.window() / room;
      now += roundTrip;
      number += count;
      long last = number + count;
      congestion.limited();
      if (round % 50 == 0) {
        congestion.settle(now, 10 * ROUND_TRIP, number - 1, 1, 0, DATAGRAM, last);
      }
      congestion.settle(now, roundTrip, number, count, full ? 1 : 0, (long) count * DATAGRAM, last);
    }
    assertThat(congestion.window()).isLessThan(room * 5 / 4);
    assertThat(congestion.medium()).isLessThan(0.001);
  }

  @Test
  void whatWasUsualIsForgottenWhenItGetsBetter() {
    var congestion = new Congestion(MOST);
    run(congestion, 100, (window, round) -> 0.2);
    assertThat(congestion.lossRate()).isBetween(0.1, 0.3);
    run(congestion, 300, (window, round) -> 0);
    assertThat(congestion.medium()).isLessThan(0.01);
    assertThat(congestion.lossRate()).isLessThan(0.01);
  }
}
