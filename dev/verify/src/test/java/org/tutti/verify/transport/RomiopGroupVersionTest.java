package org.tutti.verify.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.transport.RomiopProcesses.Program;

/// Clients that say which version of the reference to a group they have, clients that do not, three servers with
/// gateways, and the group service: all in processes of their own.
@Tag("socket")
class RomiopGroupVersionTest {
  private static final Path CLIENTS = RomiopProcesses.EXAMPLE.resolve("version");
  private static final int FT_GROUP_VERSION = 12;
  private static final int SYSTEM_EXCEPTION = 2;
  private static final int LOCATION_FORWARD = 3;
  private static final String TYPE = "IDL:Demo/Counter:1.0";
  private static final String DEMO = " demo counter Counter";

  @TempDir private static Path compiled;
  @TempDir private Path directory;

  private final List<String> gateways = LoopbackPorts.addresses(RomiopProcesses.SERVERS);
  private final int metrics = LoopbackPorts.free();
  private CommandProcess service;
  private RomiopProcesses servers;

  /// How a call ended: its status, and the result or the minor code of an exception.
  private record Outcome(int status, int number) {}

  @AfterEach
  void end() throws Exception {
    if (servers != null) {
      servers.end();
    }
    if (service != null) {
      service.close();
    }
  }

  /// The group service, and the servers that know it.
  private String start() throws Exception {
    Path reference = directory.resolve("groups.ior");
    service =
        CommandProcess.tutti(
            "corba",
            "group-service",
            "--name=n1",
            "--listen=127.0.0.1:0",
            "--clients=127.0.0.1:0",
            "--iiop=127.0.0.1:0",
            "--metrics=127.0.0.1:" + metrics,
            "--reference=" + reference);
    service.lineMatching("n1 serves clients");
    servers = new RomiopProcesses("tutti.romiop.group_service=" + reference, "tutti.romiop.replies=majority~60000ms");
    servers.start(gateways.stream().map(each -> List.of("tutti.romiop.gateway=" + each)).toList());
    gateways.forEach(RomiopGatewayTest::awaitOpen);
    return Files.readString(reference).strip() + " ";
  }

  private Program versioned(String reference) throws Exception {
    RomiopProcesses.compile(
        Files.createDirectories(compiled.resolve("counter")), RomiopProcesses.EXAMPLE.resolve("counter.idl"), CLIENTS);
    Program client =
        servers.program(RomiopProcesses.java(compiled.resolve("counter"), "VersionedClient", List.of(), List.of()));
    client.tell(reference);
    return client;
  }

  @Test
  @Tag("deep")
  void aClientWithAnOldReferenceFollowsItsGroup() throws Exception {
    String at = start();
    Path groups = Files.createDirectories(compiled.resolve("groups"));
    RomiopProcesses.compile(
        groups,
        RomiopProcesses.EXAMPLE.resolve("../src/main/idl/object-groups.idl"),
        RomiopProcesses.EXAMPLE.resolve("groups"));
    Program manager = servers.program(RomiopProcesses.java(groups, "GroupsClient", List.of(), List.of()));
    assertThat(manager.ask(at + "create" + DEMO + " " + TYPE)).isEqualTo("created");
    String first = manager.ask(at + "add" + DEMO + " s1 " + servers.addresses.get(0) + " " + gateways.get(0));
    assertThat(first).startsWith("IOR:");
    Program old = versioned(first);
    assertThat(old.ask("1")).isEqualTo("sum 1"); // nothing is newer

    manager.ask(at + "add" + DEMO + " s2 " + servers.addresses.get(1) + " " + gateways.get(1));
    // Its first gateway is that one, too, which asks the service at once.
    String second = manager.ask(at + "add" + DEMO + " s3 " + servers.addresses.get(2) + " " + gateways.get(2));
    assertThat(versioned(second).ask("1")).isEqualTo("sum 2");
    assertThat(manager.ask(at + "remove" + DEMO + " s1")).isEqualTo("removed");
    while (add(gateways.get(0), 4).status() != LOCATION_FORWARD) {
      Thread.onSpinWait(); // until the gateway has asked again
    }

    assertThat(old.ask("1")).as("from now on at another gateway").isEqualTo("sum 3");
    Program plain = servers.client(List.of());
    assertThat(plain.ask(first + " add 1")).as("of a client that says no version").isEqualTo("sum 4");
    servers.kill(0);
    assertThat(old.ask("1")).isEqualTo("sum 5");
    assertThat(add(gateways.get(1), 5)).as("what the service has made last").isEqualTo(new Outcome(0, 5));
    assertThat(add(gateways.get(1), 6)).isEqualTo(new Outcome(SYSTEM_EXCEPTION, 0x54540010));
    assertThat(RomiopProcesses.metrics(metrics))
        .contains("tutti_replica_commands_executed_total 5\n")
        .containsPattern("tutti_gateway_requests_answered_total\\{outcome=\"result\"} [1-9]")
        .contains("tutti_loop_turns_made_total ");
  }

  /// Calls `add` with 0 in GIOP 1.0, as a client with a reference of that version, until it is answered.
  private static Outcome add(String gateway, int version) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(500);
    request.put("GIOP".getBytes(US_ASCII)).put((byte) 1).put((byte) 0).position(12);
    request.putInt(1).putInt(FT_GROUP_VERSION).putInt(8).putInt(0).putInt(version);
    request.putInt(4711).put((byte) 1).position((request.position() + 3) & ~3);
    request.putInt(7).put("Counter".getBytes(US_ASCII)).position((request.position() + 3) & ~3);
    request.putInt(4).put("add\0".getBytes(US_ASCII)).putInt(0).putInt(0);
    request.putInt(8, request.position() - 12);
    int colon = gateway.indexOf(':');
    int port = Integer.parseInt(gateway.substring(colon + 1));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request.array(), 0, request.position());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      in.readNBytes(8);
      ByteBuffer reply = ByteBuffer.wrap(in.readNBytes(in.readInt()));
      int status = reply.getInt(8);
      reply.position(12);
      if (status == SYSTEM_EXCEPTION) {
        int length = reply.getInt();
        reply.position((reply.position() + length + 3) & ~3);
      }
      return new Outcome(status, status == LOCATION_FORWARD ? 0 : reply.getInt());
    }
  }
}
