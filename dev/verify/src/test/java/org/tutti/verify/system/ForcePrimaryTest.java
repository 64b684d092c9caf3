package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// The operator goes on with one member of three, and the two that were given up come back.
@Execution(ExecutionMode.CONCURRENT)
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForcePrimaryTest {
  @TempDir Path directory;

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  private CommandProcess member(String name, String contact) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", name, "--listen", "127.0.0.1:0"));
    args.addAll(List.of("--data", data(name).toString(), "--fsync", "each", "--health", "127.0.0.1:0"));
    args.addAll(contact.isEmpty() ? List.of("--create") : List.of("--join", contact, "--timeout", "60s"));
    return tutti.run(args.toArray(String[]::new));
  }

  private Path data(String name) {
    return directory.resolve(name);
  }

  private void delete(String name) throws IOException {
    try (Stream<Path> files = Files.walk(data(name))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private List<Long> send(String text, int count, String contact) throws Exception {
    CommandProcess sender = tutti.run("send", "--group", "bank", "--join", contact, "--name", "s", "--timeout", "30s");
    var positions = new ArrayList<Long>();
    for (int i = 0; i < count; i++) {
      sender.type(text + " " + i + "\n");
      positions.add(Long.parseLong(sender.line()));
    }
    sender.endInput();
    assertThat(sender.exitCode()).isZero();
    return positions;
  }

  private CommandProcess force(String... more) throws IOException {
    var args = new ArrayList<>(List.of("force-primary", "--group", "bank", "--data", data("c").toString()));
    args.addAll(List.of(more));
    return tutti.run(args.toArray(String[]::new));
  }

  private static void refused(CommandProcess program, int code, String pattern) throws InterruptedException {
    assertThat(program.exitCode()).isEqualTo(code);
    assertThat(program.errors().getFirst()).matches(pattern);
  }

  private static String health(CommandProcess member) throws InterruptedException {
    String line = member.lineMatching(".*health.*");
    return line.substring(line.lastIndexOf(' ') + 1);
  }

  private void toldOfForcing(String health) throws Exception {
    CommandProcess why = tutti.run("why", health, "c");
    assertThat(why.exitCode()).isZero();
    String words = ".*an operator forced c to be primary without a quorum at .*, from position 5 on";
    assertThat(why.lines()).anyMatch(line -> line.matches(words));
    CommandProcess status = tutti.run("status", health);
    assertThat(status.exitCode()).isZero();
    assertThat(status.lines())
        .anyMatch(line -> line.matches(".*its history was forced by c at .*Z, from position 5 on.*"));
    CommandProcess json = tutti.run("status", "--json", health);
    assertThat(json.exitCode()).isZero();
    assertThat(json.lines().getFirst()).matches(".*\"forced\":\\[\\{\"by\":\"c\",\"time\":\".*Z\",\"position\":5}].*");
  }

  /// Three members, of which a and b are killed, and c is stopped.
  private void loseTwo() throws Exception {
    CommandProcess a = member("a", "");
    String contact = a.address();
    CommandProcess b = member("b", contact);
    CommandProcess c = member("c", contact);
    for (CommandProcess member : List.of(a, b, c)) {
      member.view("a", "b", "c");
    }
    assertThat(send("before", 5, contact)).containsExactly(0L, 1L, 2L, 3L, 4L);
    c.delivery("s: before 4");
    refused(force("--confirm", "bank"), 1, "tutti force-primary: stable storage .*/c is in use by process \\d+");
    a.signal("KILL");
    b.signal("KILL");
    c.lineMatching("group bank: last primary view \\d+ of .* known here; c here; waiting for .*");
    c.signal("KILL");
    c.exitCode();
  }

  @Test
  @Tag("deep")
  void theForcedMemberServesAndTheOthersAreToldThatTheyWereReplaced() throws Exception {
    loseTwo();

    CommandProcess shown = force();
    assertThat(shown.exitCode()).isZero();
    assertThat(shown.lines())
        .contains("c has stored the history of group bank up to position 5", "given up: a, b")
        .last()
        .isEqualTo("nothing was changed; if a, b do not run and never come back: --confirm bank");
    refused(force("--confirm", "bnak"), 2, "tutti force-primary: --confirm says bnak, .*nothing was changed.*");
    CommandProcess forced = force("--confirm", "bank", "--json");
    assertThat(forced.exitCode()).isZero();
    assertThat(forced.lines().getFirst())
        .startsWith("{\"event\":\"stored\",\"member\":\"c\",\"position\":5,")
        .contains("\"givenUp\":[\"a\",\"b\"]");
    assertThat(forced.lines().getLast()).startsWith("{\"event\":\"forced\",\"member\":\"c\",");

    CommandProcess c = member("c", "127.0.0.1:1");
    String contact = c.address();
    String health = health(c);
    c.view("c");
    toldOfForcing(health);
    assertThat(send("after", 3, contact)).containsExactly(5L, 6L, 7L);

    CommandProcess a = member("a", contact);
    CommandProcess b = member("b", contact);
    String replaced =
        ".*this history was replaced: an operator forced c to be primary at .* position 5 on .*: join c.*";
    for (CommandProcess old : List.of(a, b)) {
      assertThat(old.exitCode()).isEqualTo(1);
      assertThat(old.errors()).anyMatch(line -> line.matches(replaced));
    }

    delete("a");
    CommandProcess anew = member("a", contact);
    health = health(anew);
    anew.view("c", "a");
    toldOfForcing(health);
    assertThat(send("together", 1, contact)).containsExactly(8L);
    anew.delivery("s: together 0");
    c.delivery("s: together 0");
    assertThat(c.deliveries().values()).last().isEqualTo("s: together 0");
  }

  @Test
  void thereHasToBeSomethingToGoOnFrom() throws Exception {
    refused(force(), 1, "tutti force-primary: there is no directory .*/c");
    Files.createDirectory(data("c"));
    refused(force("--confirm", "bank"), 1, "tutti force-primary: directory .*/c is empty");
    assertThat(data("c")).isEmptyDirectory();
  }
}
