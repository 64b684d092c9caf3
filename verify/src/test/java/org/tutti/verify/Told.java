package org.tutti.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.tutti.Metric;

/// Finds a number in what a node or a transport tells about itself.
public final class Told {
  private Told() {}

  /// The sum of all whose key ends like this; there is at least one.
  ///
  /// @param metrics what is told
  /// @param end     a key, or what is the same at all transports of it: without the layer, or only the tags
  /// @return the sum
  public static long of(List<Metric> metrics, String end) {
    List<Metric> found = metrics.stream().filter(metric -> metric.key().endsWith(end)).toList();
    assertThat(found).as("%s among %s", end, metrics).isNotEmpty();
    return found.stream().mapToLong(Metric::value).sum();
  }
}
