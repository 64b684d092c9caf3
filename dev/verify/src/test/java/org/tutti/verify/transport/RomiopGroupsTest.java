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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;
import org.tutti.verify.LoopbackPorts;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.transport.RomiopProcesses.Program;

/// The group service of three replicas, with clients of JacORB and omniORB, all in processes of their own.
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RomiopGroupsTest {
  private static final Path IDL = Tree.root().resolve("transports/romiop/src/main/idl/object-groups.idl");
  private static final Path CLIENTS = RomiopProcesses.EXAMPLE.resolve("groups");
  private static final String TYPE = "IDL:Demo/Counter:1.0";

  @TempDir private static Path compiled;
  @TempDir private Path directory;

  private final List<CommandProcess> commands = new ArrayList<>();
  private final List<Program> programs = new ArrayList<>();
  private final List<String> listen = addresses();
  private final List<String> clients = addresses();
  private final List<String> ports = addresses();

  private static List<String> addresses() {
    return Stream.generate(LoopbackPorts::free).limit(3).map(port -> "127.0.0.1:" + port).toList();
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Program program : programs) {
      program.process().destroyForcibly().waitFor();
    }
    commands.forEach(CommandProcess::close);
  }

  private CommandProcess run(String... args) throws IOException {
    commands.add(CommandProcess.tutti(Stream.concat(Stream.of("corba"), Stream.of(args)).toArray(String[]::new)));
    return commands.getLast();
  }

  private CommandProcess replica(int index) throws IOException {
    String name = "n" + (index + 1);
    return run(
        "group-service",
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

  private List<CommandProcess> replicas() throws Exception {
    List<CommandProcess> all = List.of(replica(0), replica(1), replica(2));
    for (int i = 0; i < 3; i++) {
      all.get(i).lineMatching("n" + (i + 1) + " serves clients");
    }
    return all;
  }

  private String reference(int index) throws IOException {
    return Files.readString(directory.resolve("n" + (index + 1) + ".ior")).strip();
  }

  private Program jacorb() throws Exception {
    RomiopProcesses.compile(compiled, IDL, CLIENTS);
    programs.add(Program.of(RomiopProcesses.java(compiled, "GroupsClient", List.of(), List.of())));
    return programs.getLast();
  }

  private List<Map<String, Object>> groups() throws Exception {
    CommandProcess asked = run("groups", "--servers=" + String.join(",", clients), "--json");
    assertThat(asked.exitCode()).as(String.join("\n", asked.errors())).isZero();
    List<Map<String, Object>> all = new ArrayList<>();
    for (String line : asked.rest()) {
      all.add(JSON.std.mapFrom(line));
    }
    return all;
  }

  @Test
  void aClientInCppNoticesNothingOfTheEndOfAReplica() throws Exception {
    Path program = IiopPrograms.compiled(compiled, IDL, CLIENTS.resolve("groups-client.cc"));
    List<CommandProcess> replicas = replicas();
    String service = reference(0);
    assertThat(reference(1)).as("the same everywhere").isEqualTo(service);
    programs.add(Program.of(IiopPrograms.start(program)));
    Program client = programs.getLast();
    client.tell(service + " demo changing Counter 300");
    Program watcher = jacorb();
    String at = watcher.ask(service + " locations demo changing Counter");
    while (!at.matches("(m\\d+ )?m\\d{2,}")) {
      assertThat(at).matches("ObjectGroupNotFound|(m\\d+)?( m\\d+)?");
      at = watcher.ask(service + " locations demo changing Counter");
    }
    replicas.getFirst().signal("KILL");
    assertThat(client.said().readLine()).isEqualTo("1 m299");
    assertThat(groups()).singleElement().extracting("version").isEqualTo(600);
  }

  @Test
  void clientsOfJacorbCallEveryOperationAndSeeItsExceptions() throws Exception {
    List<CommandProcess> replicas = replicas();
    String at = reference(2) + " ";
    String demo = " demo counter Counter";
    Program client = jacorb();
    assertThat(client.ask(at + "add" + demo + " s1 127.0.0.1:7101")).isEqualTo("ObjectGroupNotFound");
    assertThat(client.ask(at + "create" + demo + " " + TYPE)).isEqualTo("created");
    assertThat(client.ask(at + "create" + demo + " " + TYPE)).isEqualTo("ObjectGroupAlreadyPresent");
    String first = client.ask(at + "add" + demo + " s1 127.0.0.1:7101 127.0.0.1:7201");
    assertThat(first).startsWith("IOR:");
    assertThat(client.ask(at + "add" + demo + " s1 127.0.0.1:7101")).isEqualTo("MemberAlreadyPresent");
    assertThat(client.ask(at + "add" + demo + " s2 nowhere")).isEqualTo("InvalidProperty contact=nowhere");
    String second = client.ask(at + "add" + demo + " s2 127.0.0.1:7102");
    assertThat(second).startsWith("IOR:").isNotEqualTo(first);

    replicas.get(0).signal("KILL"); // its port is the first of the reference
    String said = client.ask(at + "reference" + demo);
    // JacORB says so when it had not noticed the end of its connection yet.
    assertThat(said.equals("COMM_FAILURE 0") ? client.ask(at + "reference" + demo) : said).isEqualTo(second);
    assertThat(client.ask(at + "locations" + demo)).isEqualTo("s1 s2");
    assertThat(client.ask(at + "list" + demo)).isEqualTo("1 groups, 2 members");
    assertThat(client.ask(at + "id" + demo)).matches("\\d+");
    assertThat(client.ask(at + "remove" + demo + " s3")).isEqualTo("MemberNotFound");
    assertThat(client.ask(at + "remove" + demo + " s1")).isEqualTo("removed");
    String corbaloc = "corbaloc:iiop:1.2@" + ports.get(0) + ",iiop:1.2@" + ports.get(1) + "/ObjectGroups ";
    assertThat(client.ask(corbaloc + "locations" + demo)).isEqualTo("s2");

    assertThat(groups().getFirst())
        .containsEntry("event", "group")
        .containsEntry("cluster", "demo")
        .containsEntry("group", "counter")
        .containsEntry("key", "Counter")
        .containsEntry("type", TYPE)
        .containsEntry("version", 4)
        .containsEntry("members", List.of(Map.of("location", "s2", "contact", "127.0.0.1:7102")))
        .containsKey("reference");
    CommandProcess text = run("groups", "--servers=" + clients.get(1));
    assertThat(text.line()).isEqualTo("demo/counter/Counter " + TYPE + ": s2@127.0.0.1:7102");

    replicas.get(1).signal("TERM");
    replicas.get(2).signal("TERM");
    for (CommandProcess each : replicas) {
      each.exitCode();
    }
    replicas();
    assertThat(groups()).as("what all replicas have kept").hasSize(1);
    assertThat(client.ask(at + "delete" + demo)).isIn("deleted", "COMM_FAILURE 0");
  }

  @Test
  void mistakesAreSaid() throws Exception {
    CommandProcess none = run("groups", "--servers=" + clients.get(0), "--servers-timeout=300ms");
    assertThat(none.exitCode()).isOne();
    assertThat(none.errors())
        .containsExactly("tutti corba groups: no server answers at " + clients.get(0) + " (waited 300 ms)");
    CommandProcess open =
        run("group-service", "--name=n1", "--listen=127.0.0.1:0", "--clients=127.0.0.1:0", "--iiop=0.0.0.0:0");
    assertThat(open.exitCode()).isOne();
    assertThat(open.errors())
        .containsExactly(
            "tutti corba group-service: cannot listen on 0.0.0.0:0: there is no TLS for it; give --insecure where only"
                + " clients can reach it");
  }

  @Test
  @Tag("deep")
  void theReferenceLeadsClientsOfBothKindsToTheServers() throws Exception {
    Path program = IiopPrograms.compiledClient(Files.createDirectories(compiled.resolve("counter")));
    List<String> gateways = RomiopProcesses.freeAddresses();
    RomiopProcesses servers = new RomiopProcesses(compiled.resolve("counter"), "tutti.romiop.replies=majority~60000ms");
    try {
      servers.start(gateways.stream().map(each -> List.of("tutti.romiop.gateway=" + each)).toList());
      replicas();
      String at = reference(0) + " ";
      String demo = " demo counter Counter";
      Program client = jacorb();
      assertThat(client.ask(at + "create" + demo + " " + TYPE)).isEqualTo("created");
      String group = "";
      for (int i = 0; i < 3; i++) {
        group = client.ask(at + "add" + demo + " s" + (i + 1) + " " + servers.addresses.get(i) + " " + gateways.get(i));
      }
      Program cpp = servers.program(IiopPrograms.start(program));
      assertThat(cpp.ask(group + " mixed 10")).isEqualTo("sum 10");
      Program plugin = servers.client(Files.readAllLines(RomiopProcesses.EXAMPLE.resolve("client.properties")));
      assertThat(plugin.ask(group + " mixed 10")).isEqualTo("sum 20");
    } finally {
      servers.end();
    }
  }
}
