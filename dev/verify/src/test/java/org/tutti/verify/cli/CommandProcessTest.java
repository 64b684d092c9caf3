package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// What tests are told of a process.
class CommandProcessTest {
  @Test
  void aProcessIsReadWhileAllCarriersOfVirtualThreadsAreBusy() throws Exception {
    int carriers = Runtime.getRuntime().availableProcessors();
    var busy = new CountDownLatch(carriers);
    var over = new AtomicBoolean();
    List<Thread> spinning = new ArrayList<>();
    for (int i = 0; i < carriers; i++) {
      spinning.add(
          Thread.startVirtualThread(() -> {
            busy.countDown();
            while (!over.get()) {
              Thread.onSpinWait();
            }
          }));
    }
    busy.await();
    try (CommandProcess process = CommandProcess.of(List.of("sh", "-c", "echo said; echo wrong >&2"))) {
      assertThat(process.rest()).containsExactly("said");
      assertThat(process.errors()).containsExactly("wrong");
    } finally {
      over.set(true);
      for (Thread each : spinning) {
        each.join();
      }
    }
  }
}
