package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.cli.CommandProcess.tutti;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.transport.TransportProvider;

/// `tutti member`, `send` and `watch` as processes that talk over loopback.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommandTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  private CommandProcess create(String group) throws IOException {
    return tutti.run("member", "--group", group, "--listen", "127.0.0.1:0", "--create", "--name", "n1");
  }

  private CommandProcess join(String group, String contact, String name) throws IOException {
    return tutti.run(
        "member", "--group", group, "--listen=127.0.0.1:0", "--join", contact, "--name", name, "--timeout=60s");
  }

  private static String only(List<String> lines) {
    assertThat(lines).hasSize(1);
    return lines.getFirst();
  }

  @Test
  @Tag("deep")
  void membersMeetOverUdp() throws Exception {
    String[] here = {"--group", "bank", "--transport", "udp", "--listen", "127.0.0.1:0"};
    CommandProcess first =
        tutti.run("member", here[0], here[1], here[2], here[3], here[4], here[5], "--create", "--name", "n1");
    String contact = first.address();
    CommandProcess send = tutti.run("send", here[0], here[1], here[2], here[3], "--join", contact, "--name", "s");
    send.type("hello\n");
    assertThat(send.line()).isEqualTo("0");
    assertThat(first.lineMatching("0 .*")).isEqualTo("0 s: hello");
  }

  @Test
  void membersPrintTheSameDeliveriesAndLeaveOnASignal() throws Exception {
    CommandProcess first = create("bank");
    String contact = first.address();
    first.lineMatching("view \\S+ primary: n1");
    CommandProcess second = join("bank", contact, "n2");
    second.lineMatching("view \\S+ primary: n1 n2");
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", contact, "--name", "w");
    watch.lineMatching("view \\S+ primary: n1 n2; observers: w");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", contact, "--name", "s");
    send.type("hello\n");
    assertThat(send.line()).isEqualTo("0");
    send.type("\ntab\there\nlast");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    assertThat(send.rest()).containsExactly("1", "2", "3");
    for (CommandProcess member : List.of(first, second, watch)) {
      assertThat(member.lineMatching("0 .*")).isEqualTo("0 s: hello");
      assertThat(member.lineButViews()).isEqualTo("1 s: ");
      assertThat(member.lineButViews()).isEqualTo("2 s: tab\\u0009here");
      assertThat(member.lineButViews()).isEqualTo("3 s: last");
    }
    second.signal("TERM");
    assertThat(second.exitCode()).isZero();
    assertThat(second.rest().getLast()).isEqualTo("closed: left");
    first.lineMatching("view \\S+ primary: n1; observers: w");
    watch.signal("TERM");
    assertThat(watch.exitCode()).isZero();
  }

  @Test
  @Tag("deep")
  void whoWatchesIsNotCountedOn() throws Exception {
    CommandProcess member = create("bank");
    String contact = member.address();
    CommandProcess one = tutti.run("watch", "--group", "bank", "--join", contact, "--name", "w1");
    CommandProcess other = tutti.run("watch", "--group", "bank", "--join", contact, "--name", "w2");
    member.lineMatching("view \\S+ primary: n1; observers: w\\d w\\d");
    one.close();
    other.close();
    member.lineMatching("view \\S+ primary: n1");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", contact, "--name", "s");
    send.type("hello\n");
    assertThat(send.line()).isEqualTo("0");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    CommandProcess last = tutti.run("watch", "--group", "bank", "--join", contact, "--name", "w3");
    last.lineMatching("view \\S+ primary: n1; observers: w3");
    member.signal("TERM");
    assertThat(member.exitCode()).isZero();
    assertThat(only(last.errors())).contains("the last voter has left");
  }

  @Test
  @Tag("deep")
  void whatFindsNoPlaceInTimeIsSaid() throws Exception {
    String[] here = {"--group", "bank", "--listen", "127.0.0.1:0"};
    String contact =
        tutti
            .run("member", here[0], here[1], here[2], here[3], "--create", "--name", "n1", "--electorate", "n1,n2")
            .address();
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", contact, "--name", "s", "--timeout", "8s");
    send.type("hello\n");
    assertThat(send.exitCode()).isEqualTo(1);
    assertThat(send.errors().getLast())
        .startsWith("tutti send: line 1 and later ones may be lost: no place yet (waited 8 s); group bank: ");
  }

  @Test
  void whoWaitsForInputEndsAtOnceOnASignalWithNothingLost() throws Exception {
    CommandProcess member = create("bank");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", member.address(), "--name", "s");
    send.type("hello\n");
    assertThat(send.line()).isEqualTo("0");
    send.signal("TERM");
    assertThat(send.exitCode()).isZero();
    assertThat(send.errors()).isEmpty();
    assertThat(member.lineMatching("0 .*")).isEqualTo("0 s: hello");
  }

  @Test
  void whoseLinesGotNoPlaceSaysSoOnASignal() throws Exception {
    String[] here = {"member", "--group=bank", "--listen=127.0.0.1:0", "--create", "--name=n1", "--electorate=n1,n2"};
    CommandProcess member = tutti.run(here);
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", member.address(), "--name", "s");
    send.type("hello\n");
    member.lineMatching("view \\S+.*: n1; observers: s");
    send.signal("TERM");
    assertThat(send.exitCode()).isEqualTo(1);
    // Whether the line was sent before the signal came, or read after it.
    assertThat(only(send.errors()))
        .matches("tutti send: (line 1 and later ones may be lost: |s is no longer a member of group \"bank\": ).*");
  }

  @Test
  void aKilledMemberIsMissedInTheNextView() throws Exception {
    CommandProcess first = create("bank");
    String contact = first.address();
    CommandProcess second = join("bank", contact, "n2");
    CommandProcess third = join("bank", contact, "n3");
    first.lineMatching("view \\S+ primary:( n1| n2| n3){3}");
    third.lineMatching("view \\S+ primary:( n1| n2| n3){3}");
    second.close();
    first.lineMatching("view \\S+ primary:( n1| n3){2}");
    third.lineMatching("view \\S+ primary:( n1| n3){2}");
    CommandProcess again = join("bank", contact, "n2");
    again.lineMatching("view \\S+ primary:( n1| n2| n3){3}");
  }

  @Test
  @Tag("deep")
  void sendsByAnotherService() throws Exception {
    CommandProcess member = create("bank");
    String contact = member.address();
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", contact, "--name", "s", "--service", "causal");
    send.type("hello");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    assertThat(send.rest()).containsExactly("causal");
    assertThat(member.lineMatching("causal .*")).isEqualTo("causal s: hello");
  }

  @Test
  void anUnknownServiceIsAUsageError() {
    Refusal wrong = Refusal.of("send", "--group", "bank", "--join", "127.0.0.1:1", "--service", "best");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(String.join(" ", wrong.errors())).contains("'best' is none of: unordered, fifo, causal, total");
  }

  @Test
  void sendsTheLinesOfAFile(@TempDir Path directory) throws Exception {
    int lines = 100_000;
    Path file = directory.resolve("lines");
    Files.writeString(file, LongStream.range(0, lines).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining()));
    CommandProcess member = create("bank");
    String contact = member.address();
    CommandProcess send =
        tutti.run("send", "--group", "bank", "--join", contact, "--name", "s", "--file", file.toString());
    for (int i = 0; i < lines; i++) {
      assertThat(send.line()).isEqualTo(Integer.toString(i));
    }
    assertThat(send.exitCode()).isZero();
    assertThat(member.lineMatching("0 s: line 0")).isNotNull();
    for (int i = 1; i < lines; i++) {
      assertThat(member.lineButViews()).isEqualTo(i + " s: line " + i);
    }
  }

  @Test
  void aTakenPortIsOneClearLine() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      CommandProcess member = tutti.run("member", "--group", "bank", "--listen", address, "--create");
      assertThat(member.exitCode()).isEqualTo(1);
      assertThat(only(member.errors()))
          .isEqualTo("tutti member: cannot listen on " + address + ": address already in use");
      String[] here = {"member", "--group=bank", "--listen=127.0.0.1:0", "--create", "--health=" + address};
      CommandProcess health = tutti.run(here);
      assertThat(health.exitCode()).isEqualTo(1);
      assertThat(only(health.errors())).startsWith("tutti member: cannot listen on " + address + ": ");
      assertThat(health.rest()).as("what was founded").isEmpty();
      CommandProcess verbose = tutti.run("member", "--group", "bank", "--listen", address, "--create", "--verbose");
      assertThat(verbose.errors()).anyMatch(line -> line.startsWith("\tat "));
    }
  }

  @Test
  void whoFoundsAloneHasAskedNobody() throws Exception {
    String[] here = {"member", "--group=bank", "--listen=127.0.0.1:0", "--create", "--timeout=0s"};
    CommandProcess member = tutti.run(here);
    assertThat(member.exitCode()).isEqualTo(1);
    assertThat(only(member.errors())).startsWith("tutti member: no view yet (waited 0 s); group bank: ");
  }

  @Test
  void whenNobodyAnswersItSaysWhereAndHowLong() throws Exception {
    try (var mute = new Socket()) { // has the port, and does not listen
      mute.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String at = "127.0.0.1:" + mute.getLocalPort();
      CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", at, "--timeout", "300ms");
      assertThat(watch.exitCode()).isEqualTo(1);
      assertThat(only(watch.errors())).isEqualTo("tutti watch: nobody answers at " + at + " (waited 300 ms)");
    }
  }

  @Test
  @Tag("deep")
  void aNodeThatIsNotInTheGroupIsNotAnAnswer() throws Exception {
    String contact = create("bank").address();
    CommandProcess send = tutti.run("send", "--group", "other", "--join", contact, "--timeout", "8s");
    send.endInput();
    assertThat(send.exitCode()).isEqualTo(1);
    assertThat(only(send.errors()))
        .isEqualTo("tutti send: no member of group \"other\" answers at " + contact + " (waited 8 s)");
  }

  @Test
  void aFileThatCannotBeReadIsSaidBeforeAnythingIsJoined() throws Exception {
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", "127.0.0.1:1", "--file", "/no/such/file");
    assertThat(send.exitCode()).isEqualTo(1);
    assertThat(only(send.errors())).isEqualTo("tutti send: cannot read /no/such/file: no such file");
  }

  @Test
  void usageErrorsAreOneLineAndExitWithTwo() throws Exception {
    List<List<String>> wrong =
        List.of(
            List.of("tutti: a command is missing; see tutti --help"),
            List.of("tutti: Unmatched argument at index 0: 'frob'; see tutti --help", "frob"),
            List.of("tutti: Unmatched argument at index 0: 'membr' (did you mean member?); see tutti --help", "membr"),
            List.of(
                "tutti member: Unknown options: '--grop', 'b2' (did you mean --group?); see tutti member --help",
                "member",
                "--grop",
                "b2"),
            List.of("tutti bench: a command is missing; see tutti bench --help", "bench"),
            List.of(
                "tutti bench closed: groups have 2 to 32 members, not [1]; see tutti bench closed --help",
                "bench",
                "closed",
                "--members",
                "1"),
            List.of(
                "tutti watch: Missing required options: '--group=NAME', '--join=WHERE'; see tutti watch --help",
                "watch"),
            List.of(
                "tutti demo: Invalid value for option '--transport': 'pigeon' is none of: "
                    + String.join(", ", TransportProvider.installed().keySet())
                    + "; see tutti demo --help",
                "demo",
                "--transport",
                "pigeon"),
            List.of(
                "tutti watch: Invalid value for option '--timeout': 'soon' is not a time such as 500ms, 10s or 2m;"
                    + " see tutti watch --help",
                "watch",
                "--group",
                "g",
                "--join",
                "127.0.0.1:1",
                "--timeout",
                "soon"),
            List.of(
                "tutti member: Invalid value for option '--listen': '127.0.0.1' is not of the form HOST:PORT;"
                    + " see tutti member --help",
                "member",
                "--group",
                "g",
                "--create",
                "--listen",
                "127.0.0.1"),
            List.of(
                "tutti member: Invalid value for option '--listen': '127.0.0.1:65536' has a port above 65535;"
                    + " see tutti member --help",
                "member",
                "--group",
                "g",
                "--create",
                "--listen",
                "127.0.0.1:65536"));
    for (List<String> expectedAndArgs : wrong) {
      Refusal refusal = Refusal.of(expectedAndArgs.subList(1, expectedAndArgs.size()).toArray(String[]::new));
      assertThat(refusal.exitCode()).isEqualTo(2);
      assertThat(only(refusal.errors())).isEqualTo(expectedAndArgs.getFirst());
    }
    CommandProcess command = tutti.run("frob"); // the same, seen from outside
    assertThat(command.exitCode()).isEqualTo(2);
    assertThat(command.errors()).containsExactly("tutti: Unmatched argument at index 0: 'frob'; see tutti --help");
    assertThat(command.rest()).isEmpty();
  }

  @Test
  void helpAndVersionAreSuccess() throws Exception {
    CommandProcess help = tutti.run("send", "--help");
    assertThat(help.exitCode()).isZero();
    assertThat(help.rest().getFirst()).startsWith("Usage: tutti send --group NAME --join WHERE...");
    assertThat(help.errors()).isEmpty();
    CommandProcess version = tutti.run("--version");
    assertThat(version.exitCode()).isZero();
    assertThat(only(version.rest())).startsWith("tutti ");
  }

  /// What it counts is counted by `CostMeasurementTest` in a quick build.
  @Test
  @Tag("deep")
  void benchCostComparesWhatIsCountedWithFormulas() throws Exception {
    CommandProcess cost = tutti.run("bench", "cost", "--order", "sequencer");
    assertThat(cost.exitCode()).isZero();
    assertThat(cost.rest()).last().isEqualTo("counted equals formula everywhere");
  }
}
