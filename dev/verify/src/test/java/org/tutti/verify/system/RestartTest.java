package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Members that keep the group's history in directories, and are killed.
@Execution(ExecutionMode.CONCURRENT)
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestartTest {
  @TempDir Path directory;

  private final List<Program> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Program::close);
  }

  private Program start(String name, String... args) throws IOException {
    Program program = Program.tutti(name, args);
    started.add(program);
    return program;
  }

  private Program member(String name, String contact) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", name, "--listen", "127.0.0.1:0"));
    args.addAll(List.of("--data", data(name).toString(), "--fsync", "views"));
    args.addAll(contact.isEmpty() ? List.of("--create") : List.of("--join", contact, "--timeout", "60s"));
    return start(name, args.toArray(String[]::new));
  }

  private Path data(String name) {
    return directory.resolve(name);
  }

  private static String address(Program member) throws InterruptedException {
    return member.line("\\S+ listens on .*").replaceFirst(".* on ", "");
  }

  /// Sends some lines and waits for the position of each.
  private List<Long> send(String text, int count, String contact) throws Exception {
    Program sender = start("s", "send", "--group", "bank", "--join", contact, "--name", "s", "--timeout", "30s");
    var positions = new ArrayList<Long>();
    for (int i = 0; i < count; i++) {
      sender.type(text + " " + i);
      positions.add(Long.parseLong(sender.line()));
    }
    sender.endInput();
    assertThat(sender.exitCode()).isZero();
    return positions;
  }

  private void killAll() throws Exception {
    started.forEach(Program::close);
    for (Program program : started) {
      program.exitCode();
    }
    started.clear();
  }

  @Test
  void aGroupWhoseMembersAllDiedGoesOnWhenEnoughOfThemAreStartedAgain() throws Exception {
    Program a = member("a", "");
    String contact = address(a);
    Program b = member("b", contact);
    b.view("a", "b"); // so b is senior to c, and a and b are enough whoever is killed first
    Program c = member("c", contact);
    for (Program member : List.of(a, b, c)) {
      member.view("a", "b", "c");
    }
    assertThat(send("before", 20, contact)).hasSize(20).last().isEqualTo(19L);
    a.view("a", "b", "c");
    killAll();

    a = member("a", "");
    contact = address(a);
    assertThat(a.line()).startsWith("stored history of the group found");
    assertThat(a.line("group bank: .*"))
        .matches("group bank: last primary view \\d+ of .* known here; a here; waiting for [bc] or [bc]");
    b = member("b", contact);
    a.view("a", "b");
    c = member("c", contact);
    a.view("a", "b", "c");
    c.view("a", "b", "c");
    assertThat(send("after", 3, contact)).containsExactly(20L, 21L, 22L);
    for (Program member : List.of(a, b, c)) {
      member.delivery("s: after 2");
      member.deliveries().forEach((position, text) -> assertThat(text).isEqualTo(expected(position)));
    }
  }

  private static String expected(long position) {
    return position < 20 ? "s: before " + position : "s: after " + (position - 20);
  }

  private void refused(Program program, String pattern) throws InterruptedException {
    assertThat(program.exitCode()).isEqualTo(1);
    assertThat(program.errors()).hasSize(1);
    assertThat(program.errors().getFirst()).matches(pattern);
  }

  @Test
  void aDirectoryThatIsInUseOrDamagedIsRefused() throws Exception {
    Program a = member("a", "");
    a.view("a");
    refused(member("a", ""), "tutti member: stable storage .*/a is in use by process \\d+");
    killAll();
    try (Stream<Path> files = Files.list(data("a"))) {
      Path log = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
      Files.write(log, new byte[100]);
    }
    refused(member("a", ""), "tutti member: stable storage .*/a is damaged: .*\\.log does not belong to this storage");
  }

  @Test
  void whatAnotherMemberKeptIsRefused() throws Exception {
    Program a = member("a", "");
    send("anything", 1, address(a)); // then it is a member for sure, and has kept that
    killAll();
    Files.move(data("a"), data("b"));
    refused(member("b", ""), "tutti member: .*stable storage .*it belongs to node a, and this one is b");
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() throws Exception {
    Program unnamed =
        start("m", "member", "--group", "g", "--listen", "127.0.0.1:0", "--create", "--data", data("a").toString());
    assertThat(unnamed.exitCode()).isEqualTo(2);
    assertThat(unnamed.errors().getFirst()).startsWith("tutti member: --data needs --name");
    Program undurable = start("m", "member", "--group", "g", "--listen", "127.0.0.1:0", "--create", "--fsync", "each");
    assertThat(undurable.exitCode()).isEqualTo(2);
    assertThat(undurable.errors().getFirst()).startsWith("tutti member: --fsync is about --data");
    assertThat(data("a")).doesNotExist();
  }
}
