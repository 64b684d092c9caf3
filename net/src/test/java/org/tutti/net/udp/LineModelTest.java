package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.net.udp.LineModel.MILLI;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Window and pace on lines of several rates with queues of several lengths.
class LineModelTest {
  private static final long SETTLING = 5_000 * MILLI;
  private static final long SECONDS = 10_000 * MILLI;
  private static final long DELAY = MILLI / 10;

  private static LineModel line(int mbit, int queueMillis, double loss, int lateMillis) {
    return new LineModel(mbit, queueMillis * MILLI, DELAY, loss, lateMillis * MILLI, 7);
  }

  private static LineModel run(LineModel line) {
    return line.run(SETTLING).reset().run(SECONDS);
  }

  @ParameterizedTest
  @CsvSource({"5,5", "5,40", "5,200", "20,5", "20,40", "20,200", "100,5", "100,40"})
  void aLineIsFullAndLittleIsLost(int mbit, int queueMillis) {
    LineModel one = run(line(mbit, queueMillis, 0, 0).senders(1));
    assertThat(one.share(SECONDS)).isGreaterThan(0.95);
    assertThat(one.lost()).isLessThan(0.02);
    LineModel four = run(line(mbit, queueMillis, 0, 0).senders(4));
    assertThat(four.share(SECONDS)).isGreaterThan(0.95);
    assertThat(four.lost()).isLessThan(0.06);
    for (int sender = 0; sender < 4; sender++) {
      assertThat(four.share(sender, SECONDS)).as("a part of %s", sender).isBetween(0.25 / 3, 0.25 * 3);
    }
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource({"100,200", "1000,5", "1000,40"})
  void aFastLineIsFullToo(int mbit, int queueMillis) {
    aLineIsFullAndLittleIsLost(mbit, queueMillis);
  }

  /// What is lost at random is repeated, and nothing else is slower for it.
  @ParameterizedTest
  @CsvSource({"5,40", "20,5", "20,40", "100,5", "100,40"})
  void randomLossDoesNotEmptyTheLine(int mbit, int queueMillis) {
    LineModel line = run(line(mbit, queueMillis, 0.02, 0).senders(2));
    assertThat(line.share(SECONDS)).isGreaterThan(0.9);
    assertThat(line.lost()).isLessThan(0.05);
  }

  /// Neither takes more than about twice of what is left to the other, whether a full queue loses whole trains or, as a
  /// switch does, only those datagrams of a train that it has no room for.
  @ParameterizedTest
  @CsvSource({
    "5,5,false", "20,5,false", "20,40,false", "100,5,false", "100,40,false",
    "5,5,true", "20,5,true", "20,40,true", "100,5,true", "100,40,true"
  })
  void aTcpBesideItHasItsPart(int mbit, int queueMillis, boolean switched) {
    LineModel line = line(mbit, queueMillis, 0, 0).senders(1).tcp();
    (switched ? line.switched() : line).run(2 * SETTLING).reset().run(2 * SECONDS);
    assertThat(line.share(2 * SECONDS)).isBetween(0.3, 0.67);
    assertThat(line.tcpShare(2 * SECONDS)).isBetween(0.33, 0.7);
  }

  /// The queue is what the line sends from while a process waits for a processor.
  @Test
  void processesThatGetTheProcessorLateFillTheLineFromItsQueue() {
    assertThat(run(line(100, 40, 0, 12).senders(2)).share(SECONDS)).isGreaterThan(0.9);
    assertThat(run(line(20, 40, 0, 40).senders(2)).share(SECONDS)).isGreaterThan(0.9);
  }
}
