package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.fixture.LogRecords;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Who holds the engine thread is told, until it lets go.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchdogTest {
  private static final long SOON_SECONDS = 30;

  @AutoClose private final LogRecords log = new LogRecords("org.tutti.Node");
  private final CountDownLatch released = new CountDownLatch(1);
  private final Node node = Node.named("guarded").transport(new InProcess().open(new Address("here:1"))).start();

  @AfterEach
  void end() {
    released.countDown();
    node.close();
  }

  private void hold() {
    try {
      released.await();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }

  private LogRecord told() throws InterruptedException {
    return log.next("(?s)node guarded: the engine thread.*"); // not that this process has no processor
  }

  private Group enter(GroupListener listener) {
    return node.create("bank", GroupConfig.standard(), MemberConfig.builder().listener(listener).build());
  }

  /// RehearsalTest in dev/verify stops a process.
  @Test
  void aProcessThatDidNotRunIsSaid() {
    assertThat(Watchdog.late("n1", 999_000_000)).isNull();
    assertThat(Watchdog.late("n1", 6_040_000_000L))
        .isEqualTo(
            "node n1: this process has not run for 6.0 s: it was stopped, collected garbage, or had no processor");
  }

  @Test
  void aListenerThatDoesNotReturnIsNamedOnceAndAgainWhenItDoes() throws Exception {
    enter((sender, service, position, payload) -> hold()).multicast(new byte[1]);
    LogRecord stall = told();
    assertThat(stall.getMessage())
        .matches(
            "node guarded: the engine thread, and so the whole node, has been held up for \\d+\\.\\d s"
                + " by GroupListener.deliver of group \"bank\"");
    assertThat(Arrays.stream(stall.getThrown().getStackTrace()).map(StackTraceElement::getMethodName)).contains("hold");
    released.countDown();
    assertThat(told().getMessage()).matches("node guarded: the engine thread goes on after \\d+\\.\\d s");
    assertThat(Metric.sum(node.metrics(), "loop.stalls.seen")).isEqualTo(1);
  }

  @Test
  void whatIsAttachedToAFutureIsSeenToo() throws Exception {
    var entered = new CountDownLatch(1);
    var attached = new CompletableFuture<Void>();
    Group group =
        enter((sender, service, position, payload) -> {
          entered.countDown();
          attached.join();
        });
    group.multicast(new byte[1]);
    entered.await(); // so that the next future completes on the engine thread
    group.multicast(new byte[1]).thenRun(this::hold);
    attached.complete(null);
    assertThat(told().getMessage()).endsWith("by code that is no listener's");
  }
}
