package org.tutti.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.tutti.Group;
import org.tutti.Metric;
import org.tutti.Node;

/// The metrics of a node, and of memberships of it, as meters of a registry of Micrometer.
///
/// `link.packets.repeated` becomes `tutti.link.packets.repeated`, a function counter, and a gauge becomes a gauge. Each
/// has the tags of the metric and `node`, the name of the node, as several nodes may be in one process. Registries
/// change names to what is usual for them: with Prometheus they are those of `tutti member --health`, so that the
/// dashboard shows them.
///
/// A daemon thread of its own reads the metrics in an interval, and meters have what it has read last: so whoever
/// publishes meters never waits for an engine thread that does not turn. Meters of what is not told any more, such as
/// those of a member that is gone, are removed.
public final class NodeMeters implements AutoCloseable {
  /// How often metrics are read, unless it is said: half of what Prometheus mostly asks.
  public static final Duration INTERVAL = Duration.ofSeconds(5);

  private static final String PREFIX = "tutti.";
  private static final Duration END_WAIT_MAX = Duration.ofSeconds(5);

  private record Shown(Meter meter, AtomicLong value) {}

  private final MeterRegistry registry;
  private final long everyNanos;
  private final Node node;
  private final List<Group> groups;
  private final Map<String, Shown> shown = new HashMap<>(); // by key; of the thread
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  private NodeMeters(MeterRegistry registry, Duration every, Node node, List<Group> groups) {
    this.registry = registry;
    this.everyNanos = TimeUnit.NANOSECONDS.convert(every);
    this.node = node;
    this.groups = groups;
    this.thread = Thread.ofPlatform().daemon().name("tutti-meters-" + node.self().name()).unstarted(this::run);
  }

  /// Shows a node and its memberships from now on, read every [#INTERVAL].
  ///
  /// @param registry gets the meters, from a thread of its own, soon after this call
  /// @param node     whose metrics
  /// @param groups   memberships of this node; each has its name as the tag `group`
  /// @return shows them until it is closed; it closes neither the registry nor the node
  public static NodeMeters bind(MeterRegistry registry, Node node, Group... groups) {
    return bind(registry, INTERVAL, node, groups);
  }

  /// Shows a node and its memberships from now on.
  ///
  /// @param registry gets the meters, from a thread of its own, soon after this call
  /// @param every    how often metrics are read; a reading takes the engine thread a tenth of a millisecond at most
  /// @param node     whose metrics
  /// @param groups   memberships of this node; each has its name as the tag `group`
  /// @return shows them until it is closed; it closes neither the registry nor the node
  /// @throws IllegalArgumentException when the interval is not positive
  public static NodeMeters bind(MeterRegistry registry, Duration every, Node node, Group... groups) {
    if (!every.isPositive()) {
      throw new IllegalArgumentException("metrics are read in a positive interval, not " + every);
    }
    var meters = new NodeMeters(registry, every, node, List.of(groups));
    meters.thread.start();
    return meters;
  }

  private void run() {
    try {
      do {
        look();
      } while (!closed.await(everyNanos, TimeUnit.NANOSECONDS));
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt(); // while the engine thread did not turn
    } finally {
      keep(Set.of());
    }
  }

  private void look() throws InterruptedException {
    List<Metric> metrics = new ArrayList<>(node.metrics());
    groups.forEach(group -> metrics.addAll(group.metrics().list()));
    Set<String> told = new HashSet<>();
    for (Metric metric : metrics) {
      told.add(metric.key());
      shown.computeIfAbsent(metric.key(), _ -> show(metric)).value.set(metric.value());
    }
    keep(told);
  }

  private Shown show(Metric metric) {
    var value = new AtomicLong(metric.value());
    List<Tag> tags = new ArrayList<>();
    tags.add(Tag.of("node", node.self().name()));
    metric.tags().forEach(tag -> tags.add(Tag.of(tag.name(), tag.value())));
    // No unit: some registries would append it to the name, which has it.
    Meter meter =
        switch (metric.kind()) {
          case COUNTER ->
              FunctionCounter.builder(PREFIX + metric.name(), value, AtomicLong::get)
                  .tags(tags)
                  .description(metric.about())
                  .register(registry);
          case GAUGE ->
              Gauge.builder(PREFIX + metric.name(), value, AtomicLong::get)
                  .tags(tags)
                  .description(metric.about())
                  .register(registry);
        };
    return new Shown(meter, value);
  }

  private void keep(Set<String> told) {
    shown
        .entrySet()
        .removeIf(entry -> {
          boolean gone = !told.contains(entry.getKey());
          if (gone) {
            registry.remove(entry.getValue().meter);
          }
          return gone;
        });
  }

  /// Removes the meters. Waits for the thread that reads, a few seconds at most. Idempotent.
  @Override
  public void close() {
    closed.countDown();
    thread.interrupt();
    try {
      thread.join(END_WAIT_MAX);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }
}
