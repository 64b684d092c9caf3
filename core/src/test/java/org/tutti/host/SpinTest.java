package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.View;
import org.tutti.fixture.Told;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Engine threads spin only when told so, and then do not wait: [NodeBuilder#spin].
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpinTest {
  private static final int MESSAGES = 100;

  private final InProcess hub = new InProcess();

  @Test
  void aNodeThatSpinsForADayNeverWaitsAndDeliversAsOthersDo() throws Exception {
    List<Metric> metrics = metricsAfterMessages(Duration.ofDays(1));
    assertThat(Told.of(metrics, "loop.waits.made")).isZero();
    assertThat(Told.of(metrics, "loop.turns.made")).isPositive();
  }

  @Test
  void aNodeWaitsAtOnceUnlessToldToSpin() throws Exception {
    assertThat(Told.of(metricsAfterMessages(Duration.ZERO), "loop.waits.made")).isPositive();
  }

  @Test
  void aNodeThatSpinsForAWhileWaitsWhenNothingComes() throws Exception {
    try (Node node = Node.named("a").spin(Duration.ofNanos(100)).transport(hub.open(new Address("a"))).start()) {
      long before = Told.of(node.metrics(), "loop.waits.made");
      while (Told.of(node.metrics(), "loop.waits.made") <= before) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void aNegativeTimeIsRefused() {
    assertThatThrownBy(() -> Node.named("a").spin(Duration.ofNanos(-1)).settings())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("spin");
  }

  private List<Metric> metricsAfterMessages(Duration spin) throws Exception {
    NodeBuilder first = Node.named("a").spin(spin);
    NodeBuilder second = Node.named("b").spin(spin).contacts(List.of(new Address("a")));
    try (Node a = first.transport(hub.open(new Address("a"))).start();
        Node b = second.transport(hub.open(new Address("b"))).start()) {
      Group founded = a.create("g", GroupConfig.standard());
      Group joined = b.join("g");
      for (View view = joined.view(); view == null || view.size() < 2; view = joined.view()) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < MESSAGES; i++) {
        founded.multicast(new byte[] {1}).get();
      }
      return a.metrics();
    }
  }
}
