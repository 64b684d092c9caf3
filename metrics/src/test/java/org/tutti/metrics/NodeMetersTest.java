package org.tutti.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.SendOptions;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Meters have the values of the metrics, and are there as long as these are told.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeMetersTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration OFTEN = Duration.ofMillis(10);
  private static final MemberConfig LISTENS = MemberConfig.builder().listener((_, _, _, _) -> {}).build();

  private final InProcess hub = new InProcess();
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Node one = Node.named("n1").transport(hub.open(new Address("here:1"))).start();
  private final Node two =
      Node.named("n2").contacts(List.of(new Address("here:1"))).transport(hub.open(new Address("here:2"))).start();

  @AfterEach
  void close() {
    two.close();
    one.close();
    registry.close();
  }

  private static void until(BooleanSupplier seen) {
    Instant end = Instant.now().plus(SOON);
    while (!seen.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.onSpinWait();
    }
  }

  private boolean sent(double messages) {
    FunctionCounter meter = registry.find("tutti.group.messages.sent").tags("group", "bank").functionCounter();
    return meter != null && meter.count() == messages;
  }

  @Test
  void metersHaveTheValuesOfTheMetrics() throws Exception {
    Node node = one;
    Group bank = node.create("bank", GroupConfig.standard(), LISTENS);
    bank.multicast(new byte[10]).get();
    try (var _ = NodeMeters.bind(registry, OFTEN, node, bank)) {
      until(() -> sent(1));
      bank.multicast(new byte[10]).get();
      until(() -> sent(2));
      List<String> metrics = node.metrics().stream().map(metric -> "tutti." + metric.name()).distinct().toList();
      assertThat(registry.getMeters()).extracting(meter -> meter.getId().getName()).containsAll(metrics);
      assertThat(registry.get("tutti.loop.turns.made").tag("node", "n1").functionCounter().count()).isPositive();
      assertThat(registry.get("tutti.group.window.size.bytes").gauge().value()).isEqualTo(LISTENS.windowBytes());
      Metric dropped =
          node.metrics().stream().filter(metric -> metric.name().equals("link.packets.dropped")).findFirst().get();
      Meter.Id id =
          registry.get("tutti.link.packets.dropped").tag("reason", dropped.tag("reason")).functionCounter().getId();
      assertThat(id.getDescription()).isEqualTo(dropped.about());
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aMemberThatIsGoneHasNoMeters() throws Exception {
    Group bank = one.create("bank", GroupConfig.standard(), LISTENS);
    Group other = two.join("bank", LISTENS);
    other.awaitServing(SOON);
    try (var _ = NodeMeters.bind(registry, OFTEN, one, bank)) {
      until(() -> lag() != null);
      assertThat(lag().getId().getTag("peer")).isEqualTo("n2");
      other.close();
      until(() -> lag() == null);
    }
  }

  private Gauge lag() {
    return registry.find("tutti.peer.lag.messages").gauge();
  }

  @Test
  void twoNodesOfAProcessAreToldApart() {
    try (var _ = NodeMeters.bind(registry, OFTEN, one);
        var _ = NodeMeters.bind(registry, OFTEN, two)) {
      until(() -> registry.find("tutti.loop.turns.made").functionCounters().size() == 2);
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  /// Who publishes meters does not wait for a node that is held up, and neither does a close.
  @Test
  void anEngineThreadThatIsHeldUpHoldsUpNobody() throws Exception {
    var held = new CompletableFuture<Void>();
    var free = new CompletableFuture<Void>();
    GroupListener holding =
        (_, _, _, _) -> {
          held.complete(null);
          free.join();
        };
    MemberConfig member = MemberConfig.builder().listener(holding).build();
    Group bank = one.create("bank", GroupConfig.standard(), member);
    NodeMeters meters = NodeMeters.bind(registry, OFTEN, one, bank);
    try {
      until(() -> sent(0));
      bank.post(ByteBuffer.allocate(1), SendOptions.total());
      held.join();
      assertThat(registry.get("tutti.group.undecided.messages").gauge().value()).isNotNaN();
      meters.close();
      assertThat(registry.getMeters()).isEmpty();
    } finally {
      free.complete(null);
    }
  }

  @Test
  void untilItIsSaidOtherwiseMetricsAreReadNowAndThen() throws Exception {
    Node node = one;
    Group bank = node.create("bank", GroupConfig.standard(), LISTENS);
    NodeMeters meters = NodeMeters.bind(registry, node, bank);
    until(() -> sent(0));
    meters.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void anIntervalIsPositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NodeMeters.bind(registry, Duration.ZERO, one))
        .withMessageContaining("PT0S");
  }
}
