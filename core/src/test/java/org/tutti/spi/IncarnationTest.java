package org.tutti.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IncarnationTest {
  private static final int LIVES = 100_000; // many in a microsecond

  @Test
  void laterLivesHaveLargerNumbersAndNoneComesTwice() {
    long[] each = IntStream.range(0, LIVES).mapToLong(_ -> Incarnation.next()).toArray();
    assertThat(each).isSorted().doesNotHaveDuplicates();
    assertThat(each[0]).isPositive();
  }

  @Test
  void noneComesTwiceToSeveralThreads() {
    List<Long> all = IntStream.range(0, LIVES).parallel().mapToObj(_ -> Incarnation.next()).toList();
    assertThat(all).doesNotHaveDuplicates();
  }
}
