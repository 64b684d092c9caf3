import org.jspecify.annotations.NullMarked;

/// The metrics of nodes and groups as meters of Micrometer, which publishes them by Prometheus, OTLP, JMX and others.
///
/// Start reading at [org.tutti.metrics.NodeMeters].
@NullMarked
module org.tutti.metrics {
  requires transitive micrometer.core;
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.metrics;
}
