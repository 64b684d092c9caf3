package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.Refusal;
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

  private RomiopReplicas replicas;

  @BeforeEach
  void begin() {
    replicas = new RomiopReplicas("group-service", directory);
  }

  @AfterEach
  void end() {
    replicas.close();
  }

  private Program jacorb() throws Exception {
    RomiopProcesses.compile(compiled, IDL, CLIENTS);
    return replicas.program(
        RomiopProcesses.java(compiled, "GroupsClient", List.of(RomiopReplicas.PATIENCE), List.of()));
  }

  @Test
  @Tag("deep")
  void aClientInCppNoticesNothingOfTheEndOfAReplica() throws Exception {
    Path program = IiopPrograms.compiled(compiled, IDL, CLIENTS.resolve("groups-client.cc"));
    List<CommandProcess> running = replicas.start();
    String service = replicas.reference(0);
    assertThat(replicas.reference(1)).as("the same everywhere").isEqualTo(service);
    Program client = replicas.program(IiopPrograms.start(program));
    client.tell(service + " demo changing Counter 300");
    Program watcher = jacorb();
    String at = watcher.ask(service + " locations demo changing Counter");
    while (!at.matches("(m\\d+ )?m\\d{2,}")) {
      assertThat(at).matches("ObjectGroupNotFound|(m\\d+)?( m\\d+)?");
      at = watcher.ask(service + " locations demo changing Counter");
    }
    running.getFirst().signal("KILL");
    assertThat(client.said().readLine()).isEqualTo("1 m299");
    assertThat(replicas.shown("groups")).singleElement().extracting("version").isEqualTo(600);
  }

  @Test
  @Tag("deep")
  void clientsOfJacorbCallEveryOperationAndSeeItsExceptions() throws Exception {
    List<CommandProcess> running = replicas.start();
    String at = replicas.reference(2) + " ";
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

    running.get(0).signal("KILL"); // its port is the first of the reference
    String said = client.ask(at + "reference" + demo);
    if (RomiopReplicas.isLost(said)) { // when it had not noticed the end of its connection yet
      client = jacorb();
      said = client.ask(at + "reference" + demo);
    }
    assertThat(said).isEqualTo(second);
    assertThat(client.ask(at + "locations" + demo)).isEqualTo("s1 s2");
    assertThat(client.ask(at + "list" + demo)).isEqualTo("1 groups, 2 members");
    assertThat(client.ask(at + "id" + demo)).matches("\\d+");
    assertThat(client.ask(at + "remove" + demo + " s3")).isEqualTo("MemberNotFound");
    assertThat(client.ask(at + "remove" + demo + " s1")).isEqualTo("removed");
    String corbaloc =
        "corbaloc:iiop:1.2@" + replicas.ports.get(0) + ",iiop:1.2@" + replicas.ports.get(1) + "/ObjectGroups ";
    assertThat(client.ask(corbaloc + "locations" + demo)).isEqualTo("s2");

    assertThat(replicas.shown("groups").getFirst())
        .containsEntry("event", "group")
        .containsEntry("cluster", "demo")
        .containsEntry("group", "counter")
        .containsEntry("key", "Counter")
        .containsEntry("type", TYPE)
        .containsEntry("version", 4)
        .containsEntry("members", List.of(Map.of("location", "s2", "contact", "127.0.0.1:7102")))
        .containsKey("reference");
    CommandProcess text = replicas.run("groups", "--servers=" + replicas.clients.get(1));
    assertThat(text.line()).isEqualTo("demo/counter/Counter " + TYPE + ": s2@127.0.0.1:7102");

    RomiopReplicas.stop(running.subList(1, 3));
    replicas.start();
    assertThat(replicas.shown("groups")).as("what all replicas have kept").hasSize(1);
    assertThat(jacorb().ask(at + "delete" + demo)).isEqualTo("deleted");
  }

  @Test
  void mistakesAreSaid() {
    Refusal none = Refusal.of("corba", "groups", "--servers=" + replicas.clients.get(0), "--servers-timeout=300ms");
    assertThat(none.exitCode()).isOne();
    assertThat(none.errors())
        .containsExactly("tutti corba groups: no server answers at " + replicas.clients.get(0) + " (waited 300 ms)");
    Refusal open =
        Refusal.of(
            "corba", "group-service", "--name=n1", "--listen=127.0.0.1:0", "--clients=127.0.0.1:0", "--iiop=0.0.0.0:0");
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
    List<String> gateways = LoopbackPorts.addresses(RomiopProcesses.SERVERS);
    RomiopProcesses servers = new RomiopProcesses("tutti.romiop.replies=majority~60000ms");
    try {
      servers.start(gateways.stream().map(each -> List.of("tutti.romiop.gateway=" + each)).toList());
      replicas.start();
      String at = replicas.reference(0) + " ";
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
