package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// Members that are processes of the operating system, which stops, kills and interrupts them.
///
/// `-Dpause.seconds=30` stops a member for that long.
@Execution(ExecutionMode.CONCURRENT)
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessesTest {
  private static final long PAUSE_NANOS = Duration.ofSeconds(Long.getLong("pause.seconds", 8)).toNanos();
  private static final String LISTEN = "127.0.0.1:0";

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();
  private String contact = "";
  private @Nullable String suspectAfter;

  private CommandProcess create(String name) throws IOException, InterruptedException {
    CommandProcess member = run("member", "--listen", LISTEN, "--create", "--name", name);
    contact = member.address();
    member.view(name);
    return member;
  }

  private CommandProcess join(String name) throws IOException {
    return run("member", "--listen", LISTEN, "--join", contact, "--name", name, "--timeout=60s");
  }

  private CommandProcess send(String name) throws IOException {
    return run("send", "--join", contact, "--name", name, "--timeout", "60s");
  }

  private CommandProcess run(String command, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of(command, "--group", "bank"));
    all.addAll(List.of(options));
    if (suspectAfter != null) {
      all.addAll(List.of("--suspect-after", suspectAfter));
    }
    return tutti.run(all.toArray(String[]::new));
  }

  /// Sends lines and waits for the position of each.
  private static long sendFor(CommandProcess sender, String text, long nanos, Map<Long, String> acknowledged)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    long count = 0;
    while (count == 0 || System.nanoTime() - start < nanos) {
      sender.type(text + count + "\n");
      acknowledged.put(Long.parseLong(sender.line()), "s: " + text + count);
      count++;
    }
    return count;
  }

  @Test
  void aStoppedMemberComesBackAndNeverDeliversAnythingElse() throws Exception {
    suspectAfter = "5s"; // less than it stands still, and longer than a process waits for a busy machine
    CommandProcess n1 = create("n1");
    CommandProcess n2 = join("n2");
    CommandProcess n3 = join("n3");
    CommandProcess sender = send("s");
    for (CommandProcess member : List.of(n1, n2, n3)) {
      member.viewObservedBy("s", "n1", "n2", "n3");
    }
    var acknowledged = new TreeMap<Long, String>();
    sendFor(sender, "before ", 0, acknowledged);
    n3.delivery("s: before 0");
    n3.signal("STOP");
    sendFor(sender, "meanwhile ", PAUSE_NANOS, acknowledged);
    n1.viewObservedBy("s", "n1", "n2");
    n3.signal("CONT");
    for (CommandProcess member : List.of(n1, n2, n3)) {
      member.viewObservedBy("s", "n1", "n2", "n3");
    }
    long after = sendFor(sender, "after ", Duration.ofSeconds(1).toNanos(), acknowledged);
    for (CommandProcess member : List.of(n1, n2, n3)) {
      member.delivery("s: after " + (after - 1));
    }
    assertThat(n1.deliveries()).isEqualTo(acknowledged);
    assertThat(n2.deliveries()).isEqualTo(acknowledged);
    assertThat(acknowledged).containsAllEntriesOf(n3.deliveries());
    assertThat(n3.deliveries().values()).contains("s: before 0", "s: after 0", "s: after " + (after - 1));
    assertThat(n3.lines())
        .as("no primary view without the others")
        .noneMatch(line -> line.matches("view .* primary: n3"));
  }

  @Test
  void linesThatWereAcknowledgedSurviveTheCoordinatorsCrash() throws Exception {
    CommandProcess n1 = create("n1");
    CommandProcess n2 = join("n2");
    CommandProcess n3 = join("n3");
    CommandProcess sender = send("s");
    for (CommandProcess member : List.of(n1, n2, n3)) {
      member.viewObservedBy("s", "n1", "n2", "n3");
    }
    var acknowledged = new TreeMap<Long, String>();
    sendFor(sender, "before ", Duration.ofMillis(300).toNanos(), acknowledged);
    int more = 2000;
    for (int i = 0; i < more; i++) { // many are on the way when the coordinator goes
      sender.type("across " + i + "\n");
      if (i == more / 2) {
        n1.signal("KILL");
      }
    }
    for (int i = 0; i < more; i++) {
      acknowledged.put(Long.parseLong(sender.line()), "s: across " + i);
    }
    n2.delivery("s: across " + (more - 1));
    n3.delivery("s: across " + (more - 1));
    assertThat(n2.deliveries()).isEqualTo(acknowledged);
    assertThat(n3.deliveries()).isEqualTo(acknowledged);
    assertThat(acknowledged).containsAllEntriesOf(n1.deliveries());
    sender.endInput();
    assertThat(sender.exitCode()).isZero();
    n2.view("n2", "n3");
  }

  @Test
  @Tag("deep")
  void membersThatJoinAtTheSameMomentAllGetIn() throws Exception {
    CommandProcess n1 = create("n1");
    List<CommandProcess> members = List.of(n1, join("n2"), join("n3"), join("n4"), join("n5"));
    for (CommandProcess member : members) {
      member.view("n1", "n2", "n3", "n4", "n5");
    }
    CommandProcess sender = send("s");
    String text = "hello 0";
    String position = sent(sender, text);
    for (int i = 1; !position.matches("\\d+"); i++) { // cut off for a moment, as may be while the machine is busy
      text = "hello " + i;
      position = sent(sender, text);
    }
    for (CommandProcess member : members) {
      assertThat(member.lineMatching("\\d+ s: " + text)).isEqualTo(position + " s: " + text);
    }
  }

  private static String sent(CommandProcess sender, String text) throws Exception {
    sender.type(text + "\n");
    return sender.line();
  }

  @Test
  void anInterruptedMemberLeavesInOrderAndAKilledOneIsMissed() throws Exception {
    suspectAfter = "5s"; // how long the last one waits goes by it
    CommandProcess n1 = create("n1");
    CommandProcess n2 = join("n2");
    CommandProcess n3 = join("n3");
    n1.view("n1", "n2", "n3");
    n2.view("n1", "n2", "n3");
    n3.view("n1", "n2", "n3");
    CommandProcess n4 = join("n4");
    n1.view("n1", "n2", "n3", "n4");
    n4.view("n1", "n2", "n3", "n4");
    n4.signal("INT");
    n1.view("n1", "n2", "n3");
    assertThat(n4.exitCode()).isZero();
    assertThat(n4.lines()).last().isEqualTo("closed: left");
    assertThat(n4.errors()).isEmpty();
    n3.signal("KILL");
    n1.view("n1", "n2");
    n2.signal("INT");
    n1.view("n1");
    n1.signal("TERM"); // the last one, who waits a little for the one that was killed and may need the history
    assertThat(n1.exitCode()).isZero();
    assertThat(n1.lines()).last().isEqualTo("closed: left");
  }

  @Test
  @Tag("deep")
  void whatCannotBeStartedSaysWhyInOneLine() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      fails(
          "tutti member: cannot listen on " + address + ": address already in use",
          tutti.run("member", "--group", "bank", "--listen", address, "--create"));
      fails(
          "tutti send: nobody answers at " + address + " (waited 500 ms)",
          tutti.run("send", "--group", "bank", "--join", address, "--timeout", "500ms"));
    }
    fails(
        "tutti watch: nobody answers at 127.0.0.1:1 (waited 500 ms)",
        tutti.run("watch", "--group", "bank", "--join", "127.0.0.1:1", "--timeout", "500ms"));
  }

  @Test
  void anUnknownHostIsNamed() throws Exception {
    CommandProcess listener = tutti.run("member", "--group", "bank", "--listen", "no-such-host.invalid:0", "--create");
    assertThat(listener.exitCode()).isBetween(1, 2);
    assertThat(listener.errors()).hasSize(1).first().asString().contains("no-such-host.invalid").contains("host");
    CommandProcess joiner =
        tutti.run("watch", "--group", "bank", "--join", "no-such-host.invalid:7001", "--timeout", "1s");
    assertThat(joiner.exitCode()).isBetween(1, 2);
    assertThat(joiner.errors()).hasSize(1).first().asString().contains("no-such-host.invalid").contains("host");
  }

  private static void fails(String line, CommandProcess program) throws Exception {
    assertThat(program.errors()).containsExactly(line);
    assertThat(program.exitCode()).isEqualTo(1);
  }
}
