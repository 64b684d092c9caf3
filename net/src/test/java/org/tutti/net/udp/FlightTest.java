package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlightTest {
  private static final long MILLI = 1_000_000;
  private static final int GRANT = 1 << 20;

  private final Flight flight = new Flight(100, new Congestion(4 << 20));

  @Test
  void noMoreIsOnTheWayThanIsGranted() {
    flight.echoed(0, 0, 0, 0, 10_000);
    int sent = 0;
    while (flight.hasRoom(1000)) {
      flight.sent(0, 1000);
      sent++;
    }
    assertThat(sent).isEqualTo(10_000 / (1000 + Flight.OVERHEAD_BYTES));
    assertThat(flight.asks()).isTrue();
    flight.echoed(MILLI, 100 + sent, sent, 0, 10_000);
    assertThat(flight.isEmpty()).isTrue();
    assertThat(flight.hasRoom(1000)).isTrue();
  }

  /// Not each of those that leave while the line is busy, and not only the last one, which may be lost.
  @Test
  void fromTheMiddleOnOneInFourAsks() {
    var slow = new Flight(0, new Congestion(4 << 20));
    slow.sent(0, 1);
    slow.echoed(40 * MILLI, 1, 1, 0, GRANT);
    assertThat(asking(slow)).containsExactly(32, 36, 40, 44, 48, 52, 56, 60);
    slow.echoed(80 * MILLI, 11, 11, 0, GRANT);
    assertThat(slow.asks()).as("as much is on the way as before").isFalse();
    slow.sent(0, 1, true);
    assertThat(slow.asks()).as("another one has asked this peer, too").isFalse();
  }

  @Test
  void onALineThatTakesManyInAMillisecondOneInAnEighthOfTheWindowAsks() {
    var fast = new Flight(0, new Congestion(4 << 20));
    fast.echoed(0, 0, 0, 0, GRANT);
    assertThat(asking(fast)).containsExactly(32, 40, 48, 56);
  }

  /// Which of a window of datagrams ask.
  private static List<Integer> asking(Flight flight) {
    var asking = new ArrayList<Integer>();
    for (int i = 0; flight.hasRoom(1); i++) {
      if (flight.asks()) {
        asking.add(i);
      }
      flight.sent(0, 1);
    }
    return asking;
  }

  @Test
  void whatIsLostTakesNoRoom() {
    for (int i = 0; i < 5; i++) {
      flight.sent(0, 1000);
    }
    assertThat(flight.echoed(MILLI, 105, 1, 0, GRANT)).isTrue();
    assertThat(flight.isEmpty()).isTrue();
  }

  @Test
  void anEchoOfWhatWasNeverSentCountsForNothing() {
    flight.sent(0, 1000);
    flight.echoed(MILLI, 102, 2, 0, GRANT);
    assertThat(flight.isEmpty()).isFalse();
    flight.echoed(MILLI, 7, 2, 0, GRANT);
    assertThat(flight.isEmpty()).isFalse();
  }

  @Test
  void theRoundTripLeavesOutHowLongThePeerWaited() {
    for (int i = 0; i < 100; i++) {
      long number = flight.sent(i * 100 * MILLI, 1000);
      flight.echoed(i * 100 * MILLI + 12 * MILLI, number, i + 1, 10 * MILLI, GRANT);
    }
    assertThat(flight.roundTripNanos()).isBetween(MILLI, 3 * MILLI);
  }

  /// All of a flight was lost, as on a path that has become narrow: the answer came because of the question.
  @Test
  void anAnswerToAQuestionSaysNothingOfTheRoundTrip() {
    long first = flight.sent(0, 1000);
    flight.echoed(2 * MILLI, first, 1, 0, GRANT);
    for (int i = 1; i <= 50; i++) {
      long sentAt = i * 1000 * MILLI;
      flight.sent(sentAt, 1000);
      long asked = flight.ask();
      assertThat(flight.echoed(sentAt + 500 * MILLI, asked, 1, 0, GRANT)).isTrue();
    }
    assertThat(flight.roundTripNanos()).isEqualTo(2 * MILLI);
    flight.sent(60_000 * MILLI, 1000);
    long later = flight.sent(60_000 * MILLI, 1000);
    flight.echoed(60_010 * MILLI, later, 3, 0, GRANT);
    assertThat(flight.roundTripNanos()).as("measured by what nobody asked about").isEqualTo(3 * MILLI);
  }

  @Test
  void aBurstIsSpreadOverTheRoundTrip() {
    flight.sent(0, 1000);
    flight.echoed(100 * MILLI, 101, 1, 0, GRANT);
    long now = 200 * MILLI;
    while (flight.pauseNanos(now) <= 0 && flight.hasRoom(1000)) {
      flight.sent(now, 1000);
    }
    assertThat(flight.hasRoom(1000)).as("it is not the window that stops it").isTrue();
    assertThat(flight.pauseNanos(now)).isPositive();
    assertThat(flight.pauseNanos(now + 100 * MILLI)).isNegative();
  }
}
