package org.tutti.verify.replica;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.counter.Counter;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;
import org.tutti.verify.lab.Hosts;

/// A replica in a process whose file descriptors are all in use goes on, does not run hot, and says what is wrong once.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NoDescriptorsTest {
  private static final int DESCRIPTORS = 150;

  @TempDir Path directory;

  @Test
  void acceptingPausesUntilThereAreDescriptorsAgain() throws Exception {
    List<String> java = Hosts.java(NoDescriptorsTest.class, List.of(), "-XX:-MaxFDLimit");
    String quoted = String.join(" ", java.stream().map(word -> "'" + word + "'").toList());
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder("bash", "-c", "ulimit -n " + DESCRIPTORS + "; exec " + quoted)
            .redirectError(errors.toFile())
            .start();
    List<Socket> sockets = new ArrayList<>();
    try (BufferedReader said = process.inputReader();
        var ask = process.outputWriter()) {
      String at = said.readLine();
      assertThat(at).isNotNull();
      int port = Integer.parseInt(at.substring(at.indexOf(':') + 1));
      assertThat(call(at)).isEqualTo(1);
      for (int i = 0; i < 2 * DESCRIPTORS; i++) {
        var socket = new Socket();
        sockets.add(socket);
        socket.connect(new InetSocketAddress("127.0.0.1", port)); // the kernel keeps those that are not accepted
      }
      ask.write("\n");
      ask.flush();
      Map<String, Long> told = told(said.readLine());
      assertThat(told.get("failed")).as("attempts in a second").isBetween(1L, 30L);
      assertThat(told.get("cpuMillis")).as("of the port's thread in that second").isLessThan(500);
      for (Socket socket : sockets) {
        socket.close();
      }
      assertThat(call(at)).isEqualTo(2);
      assertThat(Files.readString(errors)).containsOnlyOnce("no client can be accepted");
    } finally {
      process.destroyForcibly().onExit().join();
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static Map<String, Long> told(String line) {
    String[] words = line.split(" ");
    return Map.of("failed", Long.parseLong(words[0]), "cpuMillis", Long.parseLong(words[1]));
  }

  private static long call(String at) throws Exception {
    try (Client client = Client.of("counter").at(at).connect()) {
      return client.call(ByteBuffer.allocate(8).putLong(0, 1)).get().getLong();
    }
  }

  /// Serves; when it gets a line, it waits until accepting has failed, and says what the next second costs.
  public static void main(String[] args) throws Exception {
    Node node = Node.named("a").transport(new InProcess().open(new Address("a"))).start();
    Replica replica = Replica.of("counter", new Counter()).founding().start(node);
    replica.awaitServing(Duration.ofSeconds(60));
    System.getLogger("test")
        .log(System.Logger.Level.WARNING, "loads what is needed to log, while there are descriptors");
    long cpu = cpuMillis();
    System.out.println(replica.clients() + (cpu < 0 ? " no clock" : ""));
    System.in.read();
    while (failed(replica) == 0) {
      Thread.onSpinWait();
    }
    long before = failed(replica);
    long cpuBefore = cpuMillis();
    long end = System.nanoTime() + 1_000_000_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    System.out.println(1 + failed(replica) - before + " " + (cpuMillis() - cpuBefore));
    Thread.currentThread().join();
  }

  private static long failed(Replica replica) {
    return Metric.sum(replica.metrics(), "replica.accepts.failed");
  }

  private static long cpuMillis() throws IOException {
    var threads = ManagementFactory.getThreadMXBean();
    for (var each : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (each != null && each.getThreadName().startsWith("clients-")) {
        return threads.getThreadCpuTime(each.getThreadId()) / 1_000_000;
      }
    }
    throw new IOException("no thread of a port");
  }
}
