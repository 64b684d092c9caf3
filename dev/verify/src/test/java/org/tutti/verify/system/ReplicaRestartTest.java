package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.counter.CounterServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// Replicas that keep a service on their disks, as processes that are killed while a client makes calls.
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplicaRestartTest {
  private static final int WINDOW = 20;

  @TempDir Path directory;

  private final List<String> members = new ArrayList<>();
  private final List<String> clients = new ArrayList<>();
  @RegisterExtension final CommandProcesses processes = new CommandProcesses();
  private final ArrayDeque<CompletableFuture<ByteBuffer>> open = new ArrayDeque<>();
  private long called;
  private long replied;

  @BeforeEach
  void choosePorts() {
    for (int i = 0; i < 3; i++) {
      members.add(LoopbackPorts.address());
      clients.add(LoopbackPorts.address());
    }
  }

  private Path data(int replica) {
    return directory.resolve("n" + (replica + 1));
  }

  /// Starts all, and tells at which positions they begin.
  private List<Long> startAll() throws Exception {
    var running = new ArrayList<CommandProcess>();
    for (int i = 0; i < 3; i++) {
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Dsnapshot.every=4096"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), CounterServer.class.getName()));
      command.addAll(List.of("n" + (i + 1), members.get(i), clients.get(i), data(i).toString()));
      command.addAll(members);
      running.add(processes.start(command));
    }
    var positions = new ArrayList<Long>();
    for (CommandProcess process : running) {
      String line = process.lineMatching("started at position .*");
      positions.add(Long.parseLong(line.replaceFirst(".* ", "")));
    }
    return positions;
  }

  /// Adds one, so many times; each reply is one more than the one before, whatever happened meanwhile.
  private void count(Client client, int calls) throws Exception {
    for (int i = 0; i < calls; i++) {
      called++;
      open.add(client.call(ByteBuffer.allocate(Long.BYTES).putLong(0, 1)));
      if (open.size() > WINDOW) {
        takeReply();
      }
    }
  }

  private void takeReply() throws Exception {
    assertThat(open.remove().get().getLong()).isEqualTo(++replied);
  }

  @Test
  void commandsAreExecutedOnceAlthoughAllReplicasAreKilled() throws Exception {
    killAll(1);
  }

  /// They begin from what they have kept since they began from what they had kept.
  @Test
  @Tag("deep")
  void commandsAreExecutedOnceHoweverOftenAllReplicasAreKilled() throws Exception {
    killAll(3);
  }

  private void killAll(int times) throws Exception {
    startAll();
    String[] at = clients.toArray(String[]::new);
    try (Client client = Client.of("counter").at(at).deadline(Duration.ofMinutes(3)).connect()) {
      for (int life = 0; life < times; life++) {
        countUntilAllHaveSnapshots(client);
        processes.killAll();
        assertThat(open).isNotEmpty(); // some of them may have been executed
        assertThat(startAll()).as("snapshots and what follows").allMatch(position -> position > 50);
      }
      count(client, 10);
      while (!open.isEmpty()) {
        takeReply();
      }
      assertThat(client.query(ByteBuffer.allocate(0), Read.LINEARIZABLE).get().getLong()).isEqualTo(replied);
    }
    assertThat(replied).isEqualTo(called);
  }

  @Test
  @Tag("deep")
  void aReplicaWhoseNewestSnapshotIsDamagedGoesOnFromTheOneBeforeIt() throws Exception {
    startAll();
    String[] at = clients.toArray(String[]::new);
    try (Client client = Client.of("counter").at(at).deadline(Duration.ofMinutes(3)).connect()) {
      countUntilAllHaveSnapshots(client);
      processes.killAll();
      for (int i = 0; i < 3; i++) {
        Files.write(snapshots(i).getLast(), new byte[10]);
      }
      startAll();
      count(client, 10);
      while (!open.isEmpty()) {
        takeReply();
      }
      assertThat(client.query(ByteBuffer.allocate(0), Read.LINEARIZABLE).get().getLong()).isEqualTo(replied);
    }
    assertThat(replied).isEqualTo(called);
  }

  /// Two reply without the third, which may join later: only its disk shows what it has executed.
  private void countUntilAllHaveSnapshots(Client client) throws Exception {
    do {
      count(client, 300);
    } while (snapshots(0).size() < 2 || snapshots(1).size() < 2 || snapshots(2).size() < 2);
  }

  private List<Path> snapshots(int replica) throws IOException {
    Path written = data(replica).resolve("snapshots");
    if (!Files.exists(written)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(written)) {
      return files.filter(file -> file.toString().endsWith(".snapshot")).sorted().toList();
    }
  }
}
