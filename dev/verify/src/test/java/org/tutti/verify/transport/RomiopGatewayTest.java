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
import org.tutti.verify.transport.RomiopProcesses.Program;

/// Clients of other ORBs, and of JacORB without the plug-in, and a group of three servers with gateways: all in
/// processes of their own.
class RomiopGatewayTest {
  private static final long UNIX_EPOCH = 0x01B21DD213814000L; // in 100 ns since 1582
  private static final int CALLS_A_SECOND_MAX = 100_000;

  @TempDir private static Path directory;
  @TempDir private Path references;

  private final List<String> gateways = LoopbackPorts.addresses(RomiopProcesses.SERVERS);
  private RomiopProcesses processes;
  private String group;

  private void start(String... more) throws Exception {
    List<String> common = new ArrayList<>(List.of(more));
    common.add("tutti.romiop.gateways=" + String.join(",", gateways));
    common.add("tutti.romiop.references=" + references);
    processes = new RomiopProcesses(common.toArray(new String[0]));
    processes.start(gateways.stream().map(each -> List.of("tutti.romiop.gateway=" + each)).toList());
    group = Files.readString(references.resolve("Counter.ior")).strip();
    for (String each : gateways) {
      awaitOpen(each);
    }
  }

  @AfterEach
  void end() throws Exception {
    if (processes != null) {
      processes.end();
    }
  }

  @Test
  @Tag("deep")
  void clientsInCppNoticeNothingOfTheEndOfTheirGateway() throws Exception {
    Path program = IiopPrograms.compiledClient(directory);
    start("tutti.romiop.replies=majority~60000ms");
    Program client = processes.program(IiopPrograms.start(program));
    Program watcher = jacorb(List.of());
    assertThat(client.ask(group + " mixed 100")).isEqualTo("sum 100");
    assertThat(client.ask(group + " history")).startsWith("200 calls, ");
    client.tell(group + " adds 3000");
    awaitSum(watcher, 500);
    processes.kill(0); // its gateway, and the sequencer of the group
    assertThat(client.said().readLine()).isEqualTo("sum 3100");
    client.tell(group + " adds 1000");
    assertThat(client.said().readLine()).isEqualTo("sum 4100");
    // A long argument comes in fragments, in versions that have them.
    for (String version : List.of("1.0", "1.1", "1.2")) {
      Program other = processes.program(IiopPrograms.start(program, "plain", "-ORBmaxGIOPVersion", version));
      assertThat(other.ask(group + " state 300000")).as(version).isEqualTo("sum 7");
      assertThat(other.ask(group + " mixed 10")).as(version).isEqualTo("sum 17");
    }
  }

  @Test
  void aClientOfJacorbWithoutThePluginTakesTheNextGateway() throws Exception {
    start("tutti.romiop.replies=majority~60000ms");
    Program client = jacorb(List.of(RomiopReplicas.PATIENCE));
    assertThat(client.ask(group + " mixed 100")).isEqualTo("sum 100");
    processes.kill(0);
    // Either it has noticed the end before, or it does not know whether the call was executed.
    String said = client.ask(group + " add 1");
    assertThat(said).matches("sum 101|COMM_FAILURE 0|TIMEOUT \\d+");
    String history = jacorb(List.of()).ask(group + " history 0");
    assertThat(history).startsWith(said.equals("COMM_FAILURE 0") ? "200 calls, " : "201 calls, ");
  }

  @Test
  @Tag("deep")
  void aClientWithThePluginTakesTheProfileOfTutti() throws Exception {
    start();
    Program client = jacorb(Files.readAllLines(RomiopProcesses.EXAMPLE.resolve("client.properties")));
    assertThat(client.ask(group + " mixed 10")).isEqualTo("sum 10");
    for (String each : gateways) {
      try (Socket socket = connect(each)) {
        assertThat(socket.isConnected()).isTrue();
      }
    }
    assertThat(client.ask(group + " history 0")).startsWith("20 calls, ");
  }

  @Test
  @Tag("deep")
  void aCallThatComesAgainThroughAnotherGatewayIsAnsweredWithItsFirstOutcome() throws Exception {
    start("tutti.romiop.replies=all~all-equal~60000ms", "tutti.romiop.recoverable=true");
    byte[] context = ftRequest("client", 1, 600);
    assertThat(add(gateways.get(0), 5, context)).isEqualTo(5);
    assertThat(add(gateways.get(1), 5, context)).isEqualTo(5);
    assertThat(add(gateways.get(2), 7, ftRequest("client", 2, 600))).isEqualTo(12);
    assertThat(add(gateways.get(2), 7, ftRequest("other", 1, 600))).isEqualTo(19);
    // Without it, it is another call.
    assertThat(add(gateways.get(1), 5, null)).isEqualTo(24);

    // Who comes again has the answers with the state: all replies have to be equal.
    processes.kill(0);
    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getLast())) {
      Group seen = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      RomiopProcesses.awaitMember(seen, "s1", false);
      processes.servers.set(0, processes.server(0, "tutti.romiop.gateway=" + gateways.getFirst()));
      RomiopProcesses.awaitMember(seen, "s1", true);
    }
    awaitOpen(gateways.getFirst());
    assertThat(add(gateways.get(0), 5, context)).isEqualTo(5);
    assertThat(add(gateways.get(0), 1, null)).isEqualTo(25);
  }

  @Test
  @Tag("deep")
  void aCallThatHasExpiredIsRefused() throws Exception {
    start();
    assertThat(add(gateways.get(0), 5, ftRequest("client", 1, -60))).isEqualTo(0x54540009);
    assertThat(add(gateways.get(0), 5, ftRequest("client", 1, 7200))).isEqualTo(0x5454000b);
    assertThat(add(gateways.get(0), 5, null)).isEqualTo(5);
  }

  @Test
  @Tag("deep")
  void aGatewayThatIsCutOffSendsItsClientsAway() throws Exception {
    start();
    try (Socket client = connect(gateways.get(0))) {
      assertThat(client.isConnected()).isTrue();
      processes.kill(1);
      processes.kill(2);
      while (isOpen(gateways.get(0))) {
        Thread.onSpinWait();
      }
      assertThat(client.getInputStream().readNBytes(12)).isIn(new byte[0], "GIOP\1\2\0\5\0\0\0\0".getBytes(US_ASCII));
    }
  }

  private Program jacorb(List<String> properties) throws IOException {
    return processes.client(properties);
  }

  /// Until the client that is watched is in the midst of its calls.
  private void awaitSum(Program watcher, int least) throws IOException {
    for (int i = 0; i < CALLS_A_SECOND_MAX; i++) {
      String said = watcher.ask(group + " add 0");
      if (Integer.parseInt(said.substring("sum ".length())) >= least) {
        return;
      }
    }
    throw new AssertionError("no calls");
  }

  /// A gateway answers when its server is in the group.
  static void awaitOpen(String gateway) {
    while (!isOpen(gateway)) {
      Thread.onSpinWait();
    }
  }

  private static boolean isOpen(String gateway) {
    try (Socket socket = connect(gateway)) {
      socket.getOutputStream().write(new byte[] {'G', 'I', 'O', 'P', 1, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0});
      return socket.getInputStream().read() >= 0;
    } catch (IOException _) {
      return false; // it is closed at once, or is not there yet
    }
  }

  private static Socket connect(String address) throws IOException {
    int colon = address.indexOf(':');
    return new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(address.substring(colon + 1)));
  }

  private static byte[] ftRequest(String client, int call, int seconds) {
    ByteBuffer context = ByteBuffer.allocate(100);
    context.put((byte) 0).position(4).putInt(client.length() + 1).put(client.getBytes(US_ASCII)).put((byte) 0);
    context.position((context.position() + 3) & ~3).putInt(call);
    long now = System.currentTimeMillis() * 10_000 + UNIX_EPOCH;
    context.position((context.position() + 7) & ~7).putLong(now + seconds * 10_000_000L);
    byte[] whole = new byte[context.position()];
    context.flip().get(whole);
    return whole;
  }

  /// Calls `add` in GIOP 1.0.
  ///
  /// @return the sum, or the minor code of a system exception
  private static int add(String gateway, int amount, byte[] ftRequest) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(500);
    request.put("GIOP".getBytes(US_ASCII)).put((byte) 1).put((byte) 0).position(12);
    request.putInt(ftRequest == null ? 0 : 1);
    if (ftRequest != null) {
      request.putInt(13).putInt(ftRequest.length).put(ftRequest).position((request.position() + 3) & ~3);
    }
    request.putInt(4711).put((byte) 1).position((request.position() + 3) & ~3);
    request.putInt(7).put("Counter".getBytes(US_ASCII)).position((request.position() + 3) & ~3);
    request.putInt(4).put("add\0".getBytes(US_ASCII)).putInt(0).putInt(amount);
    request.putInt(8, request.position() - 12);
    try (Socket socket = connect(gateway)) {
      socket.getOutputStream().write(request.array(), 0, request.position());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      in.readNBytes(8);
      ByteBuffer reply = ByteBuffer.wrap(in.readNBytes(in.readInt()));
      assertThat(reply.getInt()).as("service contexts").isZero();
      assertThat(reply.getInt()).isEqualTo(4711);
      if (reply.getInt() == 2) {
        int length = reply.getInt();
        reply.position((reply.position() + length + 3) & ~3);
      }
      return reply.getInt();
    }
  }
}
