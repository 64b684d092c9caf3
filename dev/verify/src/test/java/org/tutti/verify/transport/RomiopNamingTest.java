package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.corba.NamingDiscovery;
import org.tutti.transport.Address;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.transport.RomiopProcesses.Program;

/// The naming service of three replicas, with clients of JacORB and omniORB, all in processes of their own.
@Tag("socket")
@Tag("deep")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RomiopNamingTest {
  private static final Path CLIENTS = RomiopProcesses.EXAMPLE.resolve("naming");
  private static final Path IDL = RomiopProcesses.EXAMPLE.resolve("counter.idl"); // that of naming is in the ORBs

  @TempDir private static Path compiled;
  @TempDir private Path directory;

  private RomiopReplicas replicas;

  @BeforeEach
  void begin() {
    replicas = new RomiopReplicas("naming-service", directory);
  }

  @AfterEach
  void end() {
    replicas.close();
  }

  private Program jacorb() throws Exception {
    RomiopProcesses.compile(compiled, IDL, CLIENTS);
    List<String> properties =
        List.of("ORBInitRef.NameService=file://" + directory.resolve("n2.ior"), RomiopReplicas.PATIENCE);
    return replicas.program(RomiopProcesses.java(compiled, "NamesClient", properties, List.of()));
  }

  @Test
  void aClientInCppNoticesNothingOfTheEndOfAReplica() throws Exception {
    Path program = IiopPrograms.compiled(compiled, IDL, CLIENTS.resolve("names-client.cc"));
    List<CommandProcess> running = replicas.start();
    String service = replicas.reference(0);
    Program client = replicas.program(IiopPrograms.start(program));
    client.tell(service + " 300");
    Program watcher = jacorb();
    while (watcher.ask(service + " resolve many/o20").equals("NotFound")) {
      // It is on its way.
    }
    running.getFirst().signal("KILL");
    assertThat(client.said().readLine()).isEqualTo("300 found");
    assertThat(replicas.shown("names")).hasSize(301);
  }

  @Test
  void clientsOfJacorbBindResolveAndListInNestedContexts() throws Exception {
    List<CommandProcess> running = replicas.start();
    String at = replicas.reference(1) + " ";
    Program client = jacorb();
    String object = "corbaloc:iiop:1.2@127.0.0.1:9/Any";
    assertThat(client.ask(at + "bind a/b " + object)).isEqualTo("NotFound");
    String a = client.ask(at + "make a.dir");
    assertThat(a).startsWith("IOR:");
    assertThat(client.ask(at + "make a.dir")).isEqualTo("AlreadyBound");
    assertThat(client.ask(at + "make a.dir/b")).startsWith("IOR:");
    for (String name : List.of("o1", "o2", "o3", "o4", "o5")) {
      assertThat(client.ask(at + "bind a.dir/b/" + name + " " + object)).isEqualTo("bound");
    }
    assertThat(client.ask(a + " bind b/o1 " + object)).isEqualTo("AlreadyBound");
    assertThat(client.ask(a + " bind_context up " + a)).isEqualTo("bound");

    running.get(0).signal("KILL"); // its port is the first of the reference
    String said = client.ask(at + "list a.dir/b");
    if (RomiopReplicas.isLost(said)) { // when it had not noticed the end of its connection yet
      client = jacorb();
      said = client.ask(at + "list a.dir/b");
    }
    assertThat(said).isEqualTo("o1 o2 o3 o4 o5");
    assertThat(client.ask(at + "list a.dir/up/up")).isEqualTo("b/ up/");
    assertThat(client.ask(at + "resolve a.dir/b/o1")).startsWith("IOR:");
    assertThat(client.ask(at + "unbind a.dir/b/o1")).isEqualTo("unbound");
    assertThat(client.ask(at + "resolve a.dir/b/o1")).isEqualTo("NotFound");
    assertThat(client.ask(at + "rebind a.dir/b/o2 " + a)).isEqualTo("bound");
    assertThat(client.ask("corbaloc:iiop:1.2@" + replicas.ports.get(2) + "/NameService list a.dir/b"))
        .isEqualTo("o2 o3 o4 o5");
    assertThat(client.ask("corbaloc:rir:/NameService list a.dir/b")).isEqualTo("o2 o3 o4 o5");
    assertThat(client.ask("corbaname:iiop:1.2@" + replicas.ports.get(2) + "#a.dir list b")).isEqualTo("o2 o3 o4 o5");

    assertThat(replicas.shown("names"))
        .contains(
            Map.of("event", "name", "name", "a.dir/up", "context", true),
            Map.of(
                "event",
                "name",
                "name",
                "a.dir/b/o2",
                "context",
                false,
                "type",
                "IDL:omg.org/CosNaming/NamingContextExt:1.0"))
        .hasSize(7);
    CommandProcess text = replicas.run("names", "--servers=" + replicas.clients.get(1));
    assertThat(text.line()).isEqualTo("a.dir/");

    RomiopReplicas.stop(running.subList(1, 3));
    replicas.start();
    assertThat(replicas.shown("names")).as("what all replicas have kept").hasSize(7);
  }

  @Test
  void membersFindEachOtherByAnyReplica() throws Exception {
    List<CommandProcess> running = replicas.start();
    Address first = new Address("127.0.0.1:9001");
    Address second = new Address("127.0.0.1:9002");
    try (NamingDiscovery one = NamingDiscovery.member(new Address(replicas.ports.get(0)), "bank", "m1", first);
        NamingDiscovery other = NamingDiscovery.member(new Address(replicas.ports.get(1)), "bank", "m2", second)) {
      assertThat(one.find()).containsExactly(first);
      assertThat(other.find()).containsExactly(first, second);
      running.get(2).signal("KILL");
      assertThat(one.find()).containsExactly(first, second);
    }
    try (NamingDiscovery late = NamingDiscovery.onlooker(new Address(replicas.ports.get(1)), "bank")) {
      assertThat(late.find()).isEmpty();
    }
  }
}
