package org.tutti.verify.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.counter.Counter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Node;
import org.tutti.TuttiException;
import org.tutti.replica.Client;
import org.tutti.replica.Command;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// A replica with a directory that gets the state from another one has it on its disk before it takes part.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GivenStateTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// Does something when it gets a state.
  private record Watching(Counter counter, Step restoring) implements StateMachine {
    interface Step {
      void take() throws IOException;
    }

    @Override
    public ByteBuffer apply(Command command) {
      return counter.apply(command);
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return counter.query(request);
    }

    @Override
    public Snapshot snapshot() {
      return counter.snapshot();
    }

    @Override
    public void restore(InputStream in) throws IOException {
      counter.restore(in);
      restoring.take();
    }
  }

  @TempDir Path directory;
  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void close() {
    nodes.forEach(Node::close);
  }

  private Path snapshots(String name) {
    return directory.resolve(name).resolve("snapshots");
  }

  private List<Path> kept(String name) throws IOException {
    try (Stream<Path> files = Files.list(snapshots(name))) {
      return files.filter(file -> file.toString().endsWith(".snapshot")).toList();
    }
  }

  private Replica start(String name, boolean founds, Watching.Step restoring) {
    Node node =
        Node.named(name)
            .contacts(List.of(new Address("a"), new Address("b")))
            .transport(hub.open(new Address(name)))
            .data(directory.resolve(name).resolve("log"))
            .start();
    nodes.add(node);
    Replica.Builder replica = Replica.of("counter", new Watching(new Counter(), restoring)).data(snapshots(name));
    return (founds ? replica.founding() : replica).start(node);
  }

  private Replica founderAtSeven() throws Exception {
    Replica founder = start("a", true, () -> {});
    founder.awaitServing(PATIENCE);
    try (Client client = Client.of("counter").at(founder.clients()).connect()) {
      assertThat(client.call(ByteBuffer.allocate(8).putLong(0, 7)).get().getLong()).isEqualTo(7);
    }
    return founder;
  }

  @Test
  void aSnapshotIsWrittenBeforeTheReplicaServes() throws Exception {
    founderAtSeven();
    Replica newcomer = start("b", false, () -> assertThat(kept("b")).isEmpty());
    newcomer.awaitServing(PATIENCE);
    assertThat(kept("b")).hasSize(1);
  }

  @Test
  void aReplicaThatCannotWriteItEnds() throws Exception {
    Replica founder = founderAtSeven();
    Replica newcomer = start("b", false, () -> Files.move(snapshots("b"), directory.resolve("moved")));
    assertThatThrownBy(() -> newcomer.awaitServing(PATIENCE)).isInstanceOf(TuttiException.class);
    Throwable why = newcomer.ended();
    assertThat(why).hasMessage("no snapshot of the state that another replica gave was written");
    assertThat(why).hasRootCauseInstanceOf(IOException.class);
    founder.awaitServing(PATIENCE);
  }
}
