package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.Whiteboard;
import org.tutti.fixture.StartedNodes;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// Numbers that members show each other over TCP.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WhiteboardTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final GroupConfig CONFIG = GroupConfig.standard();

  @AutoClose private final StartedNodes nodes = new StartedNodes();

  private Group enter(GroupConfig config) throws IOException {
    Node node = nodes.start(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null)));
    return nodes.all.size() == 1 ? node.create("bank", config) : node.join("bank");
  }

  private static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("waiting").isLessThan(SOON.toNanos());
      Thread.onSpinWait();
      Thread.yield();
    }
  }

  private static boolean shows(Group at, Group of, long value) {
    return at.whiteboard().get(of.self()).equals(OptionalLong.of(value));
  }

  @Test
  void valuesTravelWithoutAnyMulticastAndNewcomersGetThem() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    assertThat(second.whiteboard().get(first.self())).isEmpty();
    first.whiteboard().put(5);
    first.whiteboard().put("load", -3);
    assertThat(first.whiteboard().get(first.self())).hasValue(5);
    until(() -> shows(second, first, 5) && second.whiteboard().get(first.self(), "load").isPresent());
    assertThat(second.whiteboard().get(first.self(), "load")).hasValue(-3);
    Group third = enter(CONFIG);
    until(() -> shows(third, first, 5));
    third.whiteboard().put(8);
    until(() -> shows(first, third, 8) && shows(second, third, 8));
    third.close();
    untilViewOf(first, 3);
    untilViewOf(first, 2);
    until(() -> first.whiteboard().get(third.self()).isEmpty()); // who has gone shows nothing
  }

  @Test
  void viewsThatAreNotPrimaryHaveAWhiteboard() throws Exception {
    GroupConfig config = CONFIG.toBuilder().electorate(Set.of("n1", "n2", "n3", "n4")).build();
    Group first = enter(config);
    Group second = enter(config);
    assertThat(untilViewOf(first, 2).primary()).isFalse();
    first.whiteboard().put(1);
    second.whiteboard().put(2);
    until(() -> shows(first, second, 2) && shows(second, first, 1));
  }

  /// However much is put: deliveries go on, and the last value is seen in the end.
  @Test
  void puttingDelaysNoDelivery() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    int puts = 200_000;
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              for (int i = 1; i <= puts; i++) {
                first.whiteboard().put(i);
              }
            });
    for (int i = 0; i < 500; i++) {
      CompletableFuture<Outcome> sent = first.multicast(new byte[10]);
      assertThat(sent.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(i));
      assertThat(next(second)).isInstanceOf(Event.Delivery.class);
      first.receive(Duration.ZERO);
    }
    writer.join();
    until(() -> shows(second, first, puts));
  }

  @Test
  void namesAreBounded() throws Exception {
    Whiteboard board = enter(CONFIG).whiteboard();
    for (int i = 0; i < Whiteboard.NAMES_MAX; i++) {
      board.put("name " + i, i);
    }
    board.put(0);
    board.put("name 0", 9);
    assertThatThrownBy(() -> board.put("more", 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> board.put("", 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> board.put("x".repeat(33), 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
