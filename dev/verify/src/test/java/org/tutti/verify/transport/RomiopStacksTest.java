package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.Node;

/// The stacks of `docs/romiop.md`, in real processes of the example.
@Tag("deep")
class RomiopStacksTest {
  private RomiopProcesses processes;

  @AfterEach
  void end() throws Exception {
    processes.end();
  }

  private RomiopProcesses.Program client(String... more) throws Exception {
    List<String> properties = new ArrayList<>(Files.readAllLines(RomiopProcesses.EXAMPLE.resolve("client.properties")));
    properties.addAll(List.of(more));
    return processes.client(properties);
  }

  private String group(String rule, String stack) {
    return "corbaloc:tutti:1.0@demo!counter!"
        + String.join("+", processes.addresses)
        + "!"
        + rule
        + "~60000ms!"
        + stack
        + "/Counter";
  }

  private String reliable(String rule) {
    return group(rule, "reliable");
  }

  /// Sums are the same in whatever order numbers are added. A client's `all` is answered when all have executed what it
  /// called before.
  private void addThroughACrash(RomiopProcesses.Program first, RomiopProcesses.Program second) throws Exception {
    first.tell(reliable("first") + " mixed 300");
    second.tell(reliable("first") + " mixed 300");
    processes.kill(0); // while calls are under way
    assertThat(first.said().readLine()).startsWith("sum ");
    assertThat(second.said().readLine()).startsWith("sum ");
    assertThat(first.ask(reliable("all") + " add 0")).startsWith("sum ");
    assertThat(second.ask(reliable("all") + " add 0")).startsWith("sum ");
    assertThat(first.ask(reliable("all~all-equal") + " add 0")).isEqualTo("sum 600");
  }

  private void startReliable() throws Exception {
    processes = new RomiopProcesses("tutti.romiop.stack=reliable", "tutti.romiop.recoverable=true");
    processes.start(Collections.nCopies(RomiopProcesses.SERVERS, List.of()));
  }

  @Test
  void withoutAnOrderAllServersExecuteAllRequestsOnceThroughACrash() throws Exception {
    startReliable();
    addThroughACrash(client(), client());
  }

  @Test
  void withoutAnOrderAllServersExecuteAllRequestsOnceThroughCrashesAndComeAgain() throws Exception {
    startReliable();
    RomiopProcesses.Program first = client();
    RomiopProcesses.Program second = client();
    addThroughACrash(first, second);
    try (Node watcher = RomiopProcesses.node("watcher", processes.addresses.getLast())) {
      Group group = watcher.observe(processes.group(), MemberConfig.builder().takesState(false).build());
      processes.servers.set(0, processes.server(0));
      second.tell(reliable("first") + " mixed 300"); // while it comes
      RomiopProcesses.awaitMember(group, "s1", true);
    }
    assertThat(second.said().readLine()).startsWith("sum ");
    assertThat(second.ask(reliable("all") + " add 0")).startsWith("sum ");
    assertThat(first.ask(reliable("equal3") + " add 1")).isEqualTo("sum 901");
  }

  @Test
  void aServerWithAStackThatCannotBeDoesNotStart() throws Exception {
    processes = new RomiopProcesses();
    for (List<String> wrong :
        List.of(
            List.of("tutti.romiop.stack=sometimes"),
            List.of("tutti.romiop.stack=unreliable", "tutti.romiop.recoverable=true"),
            List.of("tutti.romiop.stack=reliable"),
            List.of(
                "tutti.romiop.stack=reliable",
                "tutti.romiop.recoverable=true",
                "tutti.romiop.gateway=" + processes.addresses.getLast()))) {
      Process server = processes.server(0, wrong.toArray(String[]::new));
      processes.servers.add(server);
      assertThat(server.waitFor()).as("%s", wrong).isEqualTo(1);
    }
  }

  /// Two of three have the same stack, and are enough. The third one is in no group with them.
  @Test
  void serversAndClientsOfOtherStacksDoNotMeet() throws Exception {
    processes = new RomiopProcesses("tutti.romiop.recoverable=true");
    processes.servers.add(processes.server(0));
    processes.servers.add(processes.server(1, "tutti.romiop.stack=reliable"));
    processes.servers.add(processes.server(2, "tutti.romiop.stack=reliable"));
    RomiopProcesses.Program client = client();
    assertThat(client.ask(reliable("equal2") + " add 5")).isEqualTo("sum 5");
    assertThat(client.ask(reliable("all~all-equal") + " add 1")).isEqualTo("sum 6");
    RomiopProcesses.Program gathering = client("tutti.romiop.gather=10");
    assertThat(gathering.ask(reliable("all~all-equal") + " mixed 5")).isEqualTo("sum 11");
    assertThat(client("tutti.romiop.gather=1001").ask(reliable("first") + " add 1")).startsWith("INTERNAL ");
    RomiopProcesses.Program impatient = client("tutti.romiop.join_timeout=1000");
    assertThat(impatient.ask(group("first", "ordered") + " add 1")).isEqualTo("TRANSIENT 6");
    assertThat(impatient.ask(group("first", "sometimes") + " add 1")).startsWith("BAD_PARAM ");
    assertThat(impatient.ask(group("first", "unreliable") + " add 1")).startsWith("BAD_PARAM ");
    assertThat(client.ask(reliable("all~all-equal") + " add 1")).isEqualTo("sum 12");
  }
}
