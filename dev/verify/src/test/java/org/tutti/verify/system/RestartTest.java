package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
import org.tutti.verify.cli.Refusal;

/// Members that keep the group's history in directories, and are killed.
@Execution(ExecutionMode.CONCURRENT)
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestartTest {
  @TempDir Path directory;

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  private CommandProcess member(String name, String contact) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", name, "--listen", "127.0.0.1:0"));
    args.addAll(List.of("--data", data(name).toString(), "--fsync", "views"));
    args.addAll(contact.isEmpty() ? List.of("--create") : List.of("--join", contact, "--timeout", "60s"));
    return tutti.run(args.toArray(String[]::new));
  }

  private Path data(String name) {
    return directory.resolve(name);
  }

  /// Sends some lines and waits for the position of each.
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

  @Test
  void aGroupWhoseMembersAllDiedGoesOnWhenEnoughOfThemAreStartedAgain() throws Exception {
    CommandProcess a = member("a", "");
    String contact = a.address();
    CommandProcess b = member("b", contact);
    b.view("a", "b"); // so b is senior to c, and a and b are enough whoever is killed first
    CommandProcess c = member("c", contact);
    for (CommandProcess member : List.of(a, b, c)) {
      member.view("a", "b", "c");
    }
    assertThat(send("before", 20, contact)).hasSize(20).last().isEqualTo(19L);
    a.view("a", "b", "c");
    tutti.killAll();

    a = member("a", "");
    contact = a.address();
    assertThat(a.line()).startsWith("stored history of the group found");
    a.lineMatching("group bank: last primary view \\d+ of .* known here; a here; waiting for [bc] or [bc]");
    b = member("b", contact);
    a.view("a", "b");
    c = member("c", contact);
    a.view("a", "b", "c");
    c.view("a", "b", "c");
    assertThat(send("after", 3, contact)).containsExactly(20L, 21L, 22L);
    for (CommandProcess member : List.of(a, b, c)) {
      member.delivery("s: after 2");
      member.deliveries().forEach((position, text) -> assertThat(text).isEqualTo(expected(position)));
    }
  }

  private static String expected(long position) {
    return position < 20 ? "s: before " + position : "s: after " + (position - 20);
  }

  private void refused(CommandProcess program, String pattern) throws InterruptedException {
    assertThat(program.exitCode()).isEqualTo(1);
    assertThat(program.errors()).hasSize(1);
    assertThat(program.errors().getFirst()).matches(pattern);
  }

  @Test
  void aDirectoryThatIsInUseOrDamagedIsRefused() throws Exception {
    CommandProcess a = member("a", "");
    a.view("a");
    refused(member("a", ""), "tutti member: stable storage .*/a is in use by process \\d+");
    tutti.killAll();
    try (Stream<Path> files = Files.list(data("a"))) {
      Path log = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
      Files.write(log, new byte[100]);
    }
    refused(member("a", ""), "tutti member: stable storage .*/a is damaged: .*\\.log does not belong to this storage");
  }

  @Test
  @Tag("deep")
  void whatAnotherMemberKeptIsRefused() throws Exception {
    CommandProcess a = member("a", "");
    send("anything", 1, a.address()); // then it is a member for sure, and has kept that
    tutti.killAll();
    Files.move(data("a"), data("b"));
    refused(member("b", ""), "tutti member: .*stable storage .*it belongs to node a, and this one is b");
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() throws Exception {
    Refusal unnamed =
        Refusal.of("member", "--group", "g", "--listen", "127.0.0.1:0", "--create", "--data", data("a").toString());
    assertThat(unnamed.exitCode()).isEqualTo(2);
    assertThat(unnamed.errors().getFirst()).startsWith("tutti member: --data needs --name");
    Refusal undurable = Refusal.of("member", "--group", "g", "--listen", "127.0.0.1:0", "--create", "--fsync", "each");
    assertThat(undurable.exitCode()).isEqualTo(2);
    assertThat(undurable.errors().getFirst()).startsWith("tutti member: --fsync is about --data");
    assertThat(data("a")).doesNotExist();
  }
}
