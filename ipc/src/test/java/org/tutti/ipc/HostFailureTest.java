package org.tutti.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.ipc.IpcProcess.Message;
import org.tutti.ipc.Result.Aborted;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// A host whose transport fails: whoever calls it is told that, and why.
class HostFailureTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final GroupId GROUP = GroupId.wellKnown(1);

  @TempDir private Path directory;

  @Test
  void callsThatWaitAndLaterOnesAreAborted() throws Exception {
    var transport = new FailingTransport(new InProcess().open(new Address("a")));
    Ipc host = Ipc.open("a", transport, List.of());
    host.accept(directory.resolve("s"));
    try (Attachment program = Ipc.attach(directory.resolve("s"))) {
      IpcProcess process = host.process();
      IpcProcess attached = program.process();
      CompletableFuture<Result<Message>> waiting = process.receive(LONG);
      CompletableFuture<Result<Message>> attachedWaits = attached.receive(LONG);
      CompletableFuture<?> hosts = host.heard(1);
      assertThat(host.failure()).isNull();

      transport.fail();

      assertThat(within(waiting)).isEqualTo(new Aborted<>(Status.HARDWARE_FAIL));
      assertThat(within(process.send(GROUP, 0, ByteBuffer.allocate(1), 0)))
          .isEqualTo(new Aborted<>(Status.HARDWARE_FAIL));
      assertThat(within(attachedWaits)).isEqualTo(new Aborted<>(Status.HOST_DEAD));
      assertThat(within(attached.join(GROUP))).isEqualTo(new Aborted<>(Status.HOST_DEAD));
      assertThat(host.failure()).hasMessageContaining("no network");
      assertThatThrownBy(() -> within(hosts))
          .hasMessageContaining("the host has failed")
          .hasMessageContaining("network");
      assertThatThrownBy(host::hosts).hasMessageContaining("no network");
      assertThatThrownBy(host::process).isInstanceOf(IllegalStateException.class).hasMessageContaining("HARDWARE_FAIL");
    } finally {
      host.close();
    }
  }

  @Test
  void anEndInOrderIsNoFailure() {
    Ipc host = Ipc.open("a", new InProcess().open(new Address("a")), List.of());
    IpcProcess process = host.process();
    CompletableFuture<Result<Message>> waiting = process.receive(LONG);
    host.close();
    assertThat(within(waiting)).as("its process has ended").isEqualTo(new Aborted<>(Status.NO_COMM));
    assertThatThrownBy(() -> process.receive(LONG)).hasMessage("the host is closed");
    assertThat(host.failure()).isNull();
  }

  private static <T> T within(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }
}
