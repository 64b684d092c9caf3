package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.transport.RomiopProcesses.Program;

/// Servants in C++ on omniORB as members of a group, by `tutti corba delegate`, alone and beside servants in Java: all
/// in processes of their own.
@Tag("deep")
class RomiopDelegateTest {
  @TempDir private static Path compiled;
  @TempDir private Path directory;

  private final List<CommandProcess> commands = new ArrayList<>();
  private final List<Process> servants = new ArrayList<>();
  private RomiopProcesses processes;
  private Program client;

  /// Three members, of which the last ones have their servants in C++.
  ///
  /// @param more options of the first delegate
  private void start(int java, boolean recoverable, String... more) throws Exception {
    processes = new RomiopProcesses("tutti.romiop.recoverable=" + recoverable);
    for (int i = 0; i < java; i++) {
      processes.servers.add(processes.server(i));
    }
    for (int i = java; i < RomiopProcesses.SERVERS; i++) {
      servant(i);
      delegate(i, recoverable, i == java ? more : new String[0]);
    }
    for (CommandProcess each : commands) {
      each.lineMatching("s\\d carries the requests of group counter");
    }
    processes.awaitAll();
    client = processes.client(Files.readAllLines(RomiopProcesses.EXAMPLE.resolve("client.properties")));
  }

  /// A process with a servant; it has written its reference when this returns.
  private Process servant(int index) throws IOException, InterruptedException {
    Path program = IiopPrograms.compiledServer(compiled);
    Process servant = IiopPrograms.start(program, reference(index).toString(), "-ORBendPoint", "giop:tcp:127.0.0.1:");
    servants.add(servant);
    assertThat(servant.inputReader().readLine()).isEqualTo("ready");
    return servant;
  }

  private Path reference(int index) {
    return directory.resolve("s" + (index + 1) + ".ior");
  }

  private CommandProcess delegate(int index, boolean recoverable, String... more) throws IOException {
    return delegateAt(processes.addresses.get(index), index, recoverable, more);
  }

  private CommandProcess delegateAt(String address, int index, boolean recoverable, String... more) throws IOException {
    List<String> all = new ArrayList<>(List.of("corba", "delegate", "--cluster=demo", "--group=counter"));
    all.addAll(List.of("--objects=Counter", "--expect=s1,s2,s3", "--name=s" + (index + 1)));
    all.add("--suspect-after=15s"); // as the servers in Java
    all.add("--listen=" + address);
    all.add("--join=" + String.join(",", processes.addresses));
    all.add("--delivery=" + reference(index));
    all.addAll(List.of(more));
    if (recoverable) {
      all.add("--recoverable");
    }
    commands.add(CommandProcess.tutti(all.toArray(String[]::new)));
    return commands.getLast();
  }

  @AfterEach
  void end() throws Exception {
    commands.forEach(CommandProcess::close);
    for (Process each : servants) {
      each.destroyForcibly().waitFor();
    }
    if (processes != null) {
      processes.end();
    }
  }

  @Test
  void aServantInCppAnswersAsThoseInJavaDoAndItsEndIsThatOfItsMember() throws Exception {
    int metrics = LoopbackPorts.free();
    start(2, true, "--metrics=127.0.0.1:" + metrics);
    assertThat(call("all~all-equal", "mixed", 200)).isEqualTo("sum 200");
    assertThat(call("equal3", "history", 0)).startsWith("400 calls, ");
    assertThat(RomiopProcesses.metrics(metrics))
        .contains("tutti_delivery_connections_opened_total 1\n")
        .containsPattern("tutti_delivery_requests_executed_total 4\\d\\d\n");
    assertThat(call("all~all-equal", "add", -7)).isEqualTo("sum 193");
    assertThat(call("all~all-equal", "process", 0)).as("what replicas must not have").isEqualTo("INTERNAL 3");

    client.tell(group("majority") + " mixed 500");
    servants.getFirst().destroyForcibly().waitFor(); // while calls are under way
    assertThat(client.said().readLine()).isEqualTo("sum 693");
    commands.getFirst().errorMatching(".*no member of group counter any more: the servants' process at .*");
    assertThat(commands.getFirst().exitCode()).isEqualTo(1);

    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getFirst())) {
      Group group = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      RomiopProcesses.awaitMember(group, "s3", false);
      servant(2);
      delegate(2, true);
      client.tell(group("majority") + " mixed 300"); // while it comes
      RomiopProcesses.awaitMember(group, "s3", true);
    }
    assertThat(client.said().readLine()).isEqualTo("sum 993");
    assertThat(call("equal3", "history", 0)).startsWith("2001 calls, ");
  }

  @Test
  void aGroupOfServantsInCppGoesOnWhenADelegateIsKilledAndTakesItBackWithTheSameServant() throws Exception {
    start(0, true, "--references=" + directory, "--gateway=127.0.0.1:" + LoopbackPorts.free());
    assertThat(call("all~all-equal", "mixed", 200)).isEqualTo("sum 200");
    // Longer than what omniORB takes by itself.
    Path program = IiopPrograms.compiledClient(compiled);
    Program other = processes.program(IiopPrograms.start(program, "-ORBgiopMaxMsgSize", "33554432"));
    String reference = Files.readString(directory.resolve("Counter.ior")).strip();
    assertThat(other.ask(reference + " state 15000000")).as(commands::toString).isEqualTo("sum 7");
    assertThat(call("all~all-equal", "mixed", 193)).isEqualTo("sum 200");
    client.tell(group("majority") + " mixed 500");
    commands.getFirst().close(); // of the sequencer; its servant goes on
    assertThat(client.said().readLine()).isEqualTo("sum 700");
    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getLast())) {
      Group group = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      RomiopProcesses.awaitMember(group, "s1", false);
      delegate(0, true);
      RomiopProcesses.awaitMember(group, "s1", true);
      assertThat(call("all~all-equal", "mixed", 100)).isEqualTo("sum 800");
      assertThat(call("equal3", "history", 0)).startsWith("1587 calls, ");

      // A second delegate takes the servant away from the first one, which leaves.
      commands.get(1).signal("STOP");
      RomiopProcesses.awaitMember(group, "s2", false);
      delegateAt("127.0.0.1:0", 1, true); // the address is still in use
      RomiopProcesses.awaitMember(group, "s2", true);
      commands.get(1).signal("CONT");
    }
    assertThat(commands.get(1).exitCode()).isEqualTo(1);
    assertThat(call("all~all-equal", "mixed", 100)).isEqualTo("sum 900");
    assertThat(call("equal3", "history", 0)).startsWith("1787 calls, ");
  }

  @Test
  void aServantThatDoesNotAnswerIsLeftBehind() throws Exception {
    start(2, true);
    CommandProcess first = commands.getFirst();
    first.signal("TERM");
    assertThat(first.exitCode()).isZero();
    delegate(2, true, "--delivery-timeout=1s");
    assertThat(call("majority", "add", 1)).isEqualTo("sum 1");
    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getFirst())) {
      Group group = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      RomiopProcesses.awaitMember(group, "s3", true);
    }
    assertThat(call("all~all-equal", "add", 1)).isEqualTo("sum 2");
    stop(servants.getFirst());
    assertThat(call("majority", "add", 1)).isEqualTo("sum 3");
    commands.getLast().errorMatching(".*has not answered for 1000 ms");
    assertThat(commands.getLast().exitCode()).isEqualTo(1);
    assertThat(call("all~all-equal", "add", 1)).isEqualTo("sum 4");
  }

  @Test
  void withoutStateTransferAServantThatHasExecutedRequestsIsRefused() throws Exception {
    start(2, false);
    assertThat(call("all~all-equal", "mixed", 10)).isEqualTo("sum 10");
    commands.getFirst().close();
    CommandProcess again = delegate(2, false);
    again.errorMatching(
        "tutti corba delegate: the servants have executed requests in an earlier life.*restart their process");
    assertThat(again.exitCode()).isEqualTo(1);
    servant(2);
    again = delegate(2, false);
    again.errorMatching(".*no member of group counter any more: it missed \\d+ messages, and .* is not set");
    assertThat(call("all~all-equal", "add", 1)).isEqualTo("sum 11");
  }

  private static void stop(Process process) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor()).isZero();
  }

  private String group(String rule) {
    return "corbaloc:tutti:1.0@demo!counter!" + String.join("+", processes.addresses) + "!" + rule + "~60000ms/Counter";
  }

  private String call(String rule, String operation, int argument) throws IOException {
    return client.ask(group(rule) + " " + operation + " " + argument);
  }
}
