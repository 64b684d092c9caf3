package org.tutti.registry.http;

import java.util.Collection;
import java.util.stream.Collectors;
import org.tutti.Metric;

/// Metrics in the text format of Prometheus, version 0.0.4: `link.packets.repeated` becomes
/// `tutti_link_packets_repeated_total`.
///
/// ```
/// # HELP tutti_udp_path_bytes The longest datagram on the narrowest path to a peer; 0 when unknown.
/// # TYPE tutti_udp_path_bytes gauge
/// tutti_udp_path_bytes 1400
/// ```
public final class PrometheusText {
  /// The media type.
  public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private PrometheusText() {}

  /// Writes metrics.
  ///
  /// @param metrics in any order
  /// @return lines, by the names of the metrics
  public static String of(Collection<Metric> metrics) {
    var text = new StringBuilder();
    String last = "";
    for (Metric metric : metrics.stream().sorted(Metric.ORDER).toList()) {
      boolean counts = metric.kind() == Metric.Kind.COUNTER;
      String name = "tutti_" + metric.name().replace('.', '_') + (counts ? "_total" : "");
      if (!name.equals(last)) {
        last = name;
        // The sentence is of the first one's tags; the guide has all.
        text.append("# HELP ").append(name).append(' ').append(metric.about()).append('\n');
        text.append("# TYPE ").append(name).append(counts ? " counter\n" : " gauge\n");
      }
      text.append(name);
      if (!metric.tags().isEmpty()) {
        text.append(metric.tags().stream().map(PrometheusText::label).collect(Collectors.joining(",", "{", "}")));
      }
      text.append(' ').append(metric.value()).append('\n');
    }
    return text.toString();
  }

  /// Names that people gave may have quotes and backslashes, but no ends of lines.
  private static String label(Metric.Tag tag) {
    return tag.name() + "=\"" + tag.value().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
