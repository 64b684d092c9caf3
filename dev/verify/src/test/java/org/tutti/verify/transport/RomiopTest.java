package org.tutti.verify.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.Node;

/// The example of `docs/romiop.md` in real processes: three servers and a client, which are compiled without Tutti.
class RomiopTest {
  private List<String> references = List.of(); // to each server's own object, over IIOP
  private boolean recoverable;
  private RomiopProcesses processes;
  private RomiopProcesses.Program client;

  private void start() throws Exception {
    compile();
    references = processes.start(Collections.nCopies(RomiopProcesses.SERVERS, List.of()));
    client = processes.client(Files.readAllLines(RomiopProcesses.EXAMPLE.resolve("client.properties")));
  }

  private void compile() throws Exception {
    processes = new RomiopProcesses("tutti.romiop.recoverable=" + recoverable);
  }

  @AfterEach
  void end() throws Exception {
    processes.end();
  }

  @Test
  void theClientNoticesNothingOfTheCrashOfAServer() throws Exception {
    start();
    assertThat(call(group("majority"), "mixed", 100)).isEqualTo("sum 100");
    assertThat(call(group("all~all-equal"), "history", 0)).startsWith("200 calls, ");
    client.tell(group("majority") + " mixed 500");
    processes.kill(0); // the sequencer, while calls are under way
    assertThat(client.said().readLine()).isEqualTo("sum 600");
    // Two equal replies are those of both that survive.
    assertThat(call(group("equal2"), "history", 0)).startsWith("1200 calls, ");
  }

  @Test
  @Tag("deep")
  void aServerWithAWrongPropertyDoesNotStart() throws Exception {
    compile();
    for (String wrong :
        List.of(
            "tutti.romiop.suspect_after=5",
            "tutti.romiop.suspect_after=soon",
            "tutti.romiop.gateway=nowhere",
            "tutti.romiop.gateways=127.0.0.1",
            "tutti.romiop.replies=some",
            "jacorb.transport.server.listeners=1")) {
      Process server = processes.server(0, wrong);
      processes.servers.add(server);
      assertThat(server.waitFor()).as(wrong).isEqualTo(1);
    }
  }

  @Test
  @Tag("deep")
  void whoComesAgainHasTheStateOfTheOthers() throws Exception {
    recoverable = true;
    start();
    assertThat(call(group("all"), "mixed", 100)).isEqualTo("sum 100");
    processes.kill(0);
    assertThat(call(group("majority"), "mixed", 100)).isEqualTo("sum 200");
    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getLast())) {
      Group group = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      RomiopProcesses.awaitMember(group, "s1", false);
      processes.servers.set(0, processes.server(0));
      client.tell(group("majority") + " mixed 300"); // while it comes
      RomiopProcesses.awaitMember(group, "s1", true);
    }
    assertThat(client.said().readLine()).isEqualTo("sum 500");
    assertThat(call(group("equal3"), "history", 0)).startsWith("1000 calls, ");
    processes.kill(1);
    processes.kill(2);
    assertThat(call(processes.servers.getFirst().inputReader().readLine(), "history", 0)).startsWith("1000 calls, ");
  }

  @Test
  @Tag("deep")
  void whoMissedARequestLeavesBeforeItAnswers() throws Exception {
    start();
    assertThat(call(group("all"), "add", 1)).isEqualTo("sum 1");
    processes.kill(0);
    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getLast())) {
      Group group = watcher.observe("counter");
      RomiopProcesses.awaitMember(group, "s1", false);
      processes.servers.set(0, processes.server(0));
      RomiopProcesses.awaitMember(group, "s1", true);
      RomiopProcesses.awaitMember(group, "s1", false);
    }
    assertThat(call(group("all~all-equal"), "add", 1)).isEqualTo("sum 2");
  }

  @Test
  @Tag("deep")
  void outcomesAreSystemExceptionsWithMinorCodes() throws Exception {
    start();
    assertThat(call(group("all~all-equal"), "process", 0)).isEqualTo("INTERNAL 3");
    assertThat(call(group("equal2"), "process", 0)).isEqualTo("NO_RESPONSE 2");
    assertThat(call(group("first~key:s9"), "add", 1)).isEqualTo("NO_RESPONSE 4");
    assertThat(call(group("majority").replace("/Counter", "/Nobody"), "add", 1)).isEqualTo("OBJECT_NOT_EXIST 8");
    processes.kill(1);
    processes.kill(2);
    assertThat(call(group("majority~700ms"), "add", 1)).isIn("TIMEOUT 1", "TRANSIENT 6");
  }

  @Test
  @Tag("deep")
  void theirOwnReferencesStayThoseOfIiop() throws Exception {
    start();
    for (int i = 0; i < RomiopProcesses.SERVERS; i++) {
      assertThat(references.get(i)).startsWith("IOR:").doesNotContainIgnoringCase("54545550");
      assertThat(call(references.get(i), "process", 0)).isEqualTo("process " + processes.servers.get(i).pid());
    }
  }

  @Test
  @Tag("deep")
  void whatIsNoRequestIsRefusedAndHarmsNobody() throws Exception {
    start();
    try (Node stranger = RomiopProcesses.node("stranger", processes.addresses.getFirst())) {
      Group group = stranger.observe("counter", MemberConfig.builder().listener((_, _, _, _) -> {}).build());
      byte[] head = "RMP2\0................????????!!!!!!!!".getBytes(UTF_8);
      for (String giop :
          List.of("", "GIOP", "GIOP\1\2\0\0\0\0\0\4abcd", "GIOP\1\2\2\0\0\0\0\0", "GIOP\1\2\0\7\0\0\0\0")) {
        byte[] tail = giop.getBytes(UTF_8);
        byte[] all = java.util.Arrays.copyOf(head, head.length - 1 + tail.length);
        System.arraycopy(tail, 0, all, head.length - 1, tail.length);
        group.multicast(all).get();
      }
    }
    assertThat(call(group("all"), "add", 5)).isEqualTo("sum 5");
    assertThat(call(group("all~all-equal"), "history", 0)).startsWith("1 calls, ");
  }

  /// A call that is to be answered has a minute for that, as a first one may take long on a busy machine.
  private String group(String rule) {
    String timed = rule.endsWith("ms") ? rule : rule + "~60000ms";
    return "corbaloc:tutti:1.0@demo!counter!" + String.join("+", processes.addresses) + "!" + timed + "/Counter";
  }

  private String call(String reference, String operation, int argument) throws IOException {
    return client.ask(reference + " " + operation + " " + argument);
  }
}
