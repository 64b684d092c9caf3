package org.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Percentiles are bounds that so many did not exceed.
class LatencyHistogramTest {
  private static final int BOUNDS = LatencyHistogram.bounds().size();

  private final List<Long> counts = new ArrayList<>(Collections.nCopies(BOUNDS + 1, 0L));

  private LatencyHistogram histogram() {
    return new LatencyHistogram(counts, Duration.ofMillis(5));
  }

  @Test
  void boundsRiseFromTenMicrosecondsToTenSeconds() {
    List<Duration> bounds = LatencyHistogram.bounds();
    assertThat(bounds).isSorted().doesNotHaveDuplicates();
    assertThat(bounds)
        .startsWith(Duration.ofNanos(10_000), Duration.ofNanos(20_000), Duration.ofNanos(50_000))
        .endsWith(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(10));
  }

  @Test
  void aPercentileIsTheLeastBoundThatSoManyKept() {
    assertThat(histogram().percentile(50)).as("nothing was measured").isNull();
    counts.set(0, 98L);
    counts.set(3, 1L);
    assertThat(histogram().count()).isEqualTo(99);
    assertThat(histogram().percentile(0.1)).isEqualTo(Duration.ofNanos(10_000));
    assertThat(histogram().percentile(98)).isEqualTo(Duration.ofNanos(10_000));
    assertThat(histogram().percentile(99.9)).isEqualTo(Duration.ofNanos(100_000));
    counts.set(BOUNDS, 1L);
    assertThat(histogram().percentile(99)).isEqualTo(Duration.ofNanos(100_000));
    assertThat(histogram().percentile(100)).as("it took longer than all bounds").isNull();
  }

  @Test
  void mistakesAreNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> histogram().percentile(0))
        .withMessage("a percentage is more than 0 and at most 100, not 0.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LatencyHistogram(List.of(1L), Duration.ZERO))
        .withMessage("a histogram has " + (BOUNDS + 1) + " counts, not 1");
  }
}
