package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameLengthTest {
  private static final int PATH = 1472;

  @Test
  void framesTakeFewerDatagramsTheMoreOfThemAreLost() {
    assertThat(FrameLength.alone(0, PATH)).isGreaterThan(32 << 10);
    assertThat(FrameLength.alone(0.001, PATH)).isBetween(7 * PATH, 8 * PATH);
    assertThat(FrameLength.common(0, PATH)).isGreaterThan(32 << 10);
    assertThat(FrameLength.common(0.02, PATH)).isBetween(4 * PATH, 5 * PATH);
    assertThat(FrameLength.common(0.05, PATH)).isBetween(PATH, 2 * PATH);
    for (double lost : new double[] {0.1, 0.5, 1}) {
      assertThat(FrameLength.alone(lost, PATH)).isBetween(PATH - 150, PATH - OutgoingDatagram.frameAt());
      assertThat(FrameLength.common(lost, PATH)).isBetween(PATH - 100, PATH - OutgoingDatagram.frameAt());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {PATH, 8192})
  void aFrameForOnePeerIsAsLongAsCostsLeast(int path) {
    for (double lost : new double[] {0.0003, 0.001, 0.003, 0.01, 0.03}) {
      double least = Double.POSITIVE_INFINITY;
      for (int datagrams = 1; datagrams <= 40; datagrams++) {
        least = Math.min(least, cost(datagrams, path, lost));
      }
      int datagrams = Math.ceilDiv(FrameLength.alone(lost, path), path - UnicastPiece.HEADER_BYTES);
      assertThat(cost(datagrams, path, lost)).isLessThan(1.1 * least);
    }
  }

  /// What is sent besides messages: a link's header, and all of a frame again with each datagram of it that is lost.
  private static double cost(int datagrams, int path, double lost) {
    return 85.0 / path / datagrams + datagrams * lost;
  }

  @Test
  void theLongestOneHasAtMostFortyDatagrams() {
    assertThat(FrameLength.bufferBytes(PATH)).isBetween(32 << 10, 33 << 10);
    assertThat(FrameLength.bufferBytes(576)).isBetween(40 * 500, 40 * 576);
    assertThat(FrameLength.bufferBytes(65_507)).isEqualTo(65_507);
  }
}
