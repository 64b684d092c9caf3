package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.transport.RomiopProcesses.Program;

/// Three replicas of a service of `tutti corba`, in processes of their own, and its clients.
final class RomiopReplicas implements AutoCloseable {
  /// When a connection has broken, JacORB 3.9 sometimes does not read from the next one: its thread stays in the pool.
  static final String PATIENCE = "jacorb.connection.client.pending_reply_timeout=60000";

  private static final int REPLICAS = 3;

  final List<String> clients = LoopbackPorts.addresses(REPLICAS);
  final List<String> ports = LoopbackPorts.addresses(REPLICAS); // for ORBs
  private final String service;
  private final Path directory;
  private final List<String> listen = LoopbackPorts.addresses(REPLICAS);
  private final List<CommandProcess> commands = new ArrayList<>();
  private final List<Program> programs = new ArrayList<>();

  RomiopReplicas(String service, Path directory) {
    this.service = service;
    this.directory = directory;
  }

  /// Runs `tutti corba`.
  CommandProcess run(String... args) throws IOException {
    commands.add(CommandProcess.tutti(Stream.concat(Stream.of("corba"), Stream.of(args)).toArray(String[]::new)));
    return commands.getLast();
  }

  /// Starts them, also again, and waits until all serve.
  List<CommandProcess> start() throws Exception {
    List<CommandProcess> all = new ArrayList<>();
    for (int i = 0; i < REPLICAS; i++) {
      all.add(replica(i));
    }
    for (int i = 0; i < REPLICAS; i++) {
      all.get(i).lineMatching("n" + (i + 1) + " serves clients");
    }
    return all;
  }

  private CommandProcess replica(int index) throws IOException {
    String name = "n" + (index + 1);
    return run(
        service,
        "--name=" + name,
        "--listen=" + listen.get(index),
        "--clients=" + clients.get(index),
        "--iiop=" + ports.get(index),
        "--iiop-all=" + String.join(",", ports),
        "--join=" + String.join(",", listen),
        "--expect=n1,n2,n3",
        "--reference=" + directory.resolve(name + ".ior"),
        "--data=" + directory.resolve(name));
  }

  /// Ends all, and waits for that.
  static void stop(List<CommandProcess> replicas) throws Exception {
    for (CommandProcess each : replicas) {
      each.signal("TERM");
    }
    for (CommandProcess each : replicas) {
      each.exitCode();
    }
  }

  /// What a replica has written.
  String reference(int index) throws IOException {
    return Files.readString(directory.resolve("n" + (index + 1) + ".ior")).strip();
  }

  Program program(Process process) {
    programs.add(Program.of(process));
    return programs.getLast();
  }

  /// Whether a client of JacORB does not know what has become of its call; then only a new one can be relied on.
  static boolean isLost(String said) {
    return said.matches("(COMM_FAILURE|TIMEOUT) \\d+");
  }

  /// What a command shows of the service.
  List<Map<String, Object>> shown(String command) throws Exception {
    CommandProcess asked = run(command, "--servers=" + String.join(",", clients), "--json");
    assertThat(asked.exitCode()).as(String.join("\n", asked.errors())).isZero();
    List<Map<String, Object>> all = new ArrayList<>();
    for (String line : asked.rest()) {
      all.add(JSON.std.mapFrom(line));
    }
    return all;
  }

  @Override
  public void close() {
    programs.forEach(program -> program.process().destroyForcibly().onExit().join());
    commands.forEach(CommandProcess::close);
  }
}
