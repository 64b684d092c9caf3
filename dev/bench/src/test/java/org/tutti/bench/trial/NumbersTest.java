package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumbersTest {
  private static Numbers of(double... values) {
    var numbers = new Numbers();
    for (double value : values) {
      numbers.add(value);
    }
    return numbers;
  }

  @Test
  void theMedianOfAnOddNumberOfRoundsIsTheMiddleOne() {
    assertThat(of(9, 1, 5).median()).isEqualTo(5);
  }

  @Test
  void theMedianOfAnEvenNumberOfRoundsLiesBetween() {
    assertThat(of(9, 1, 5, 6).median()).isEqualTo(5.5);
  }

  @Test
  void theSpreadIsShownBesideTheMedian() {
    assertThat(of(9_000, 1_000, 5_000).show(Numbers::micros)).isEqualTo("5 [1..9]");
  }

  @Test
  void withoutRoundsThereIsADash() {
    assertThat(of().show(Numbers::micros)).isEqualTo("-");
  }
}
