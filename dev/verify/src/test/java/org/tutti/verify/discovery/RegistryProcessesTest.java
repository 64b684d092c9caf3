package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// `tutti registry` and members that meet at it, all as processes.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegistryProcessesTest {
  private static final String ALL = "view \\S+ primary:( n1| n2| n3){3}";

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();
  private String at = "";

  @TempDir Path data;

  private CommandProcess registry() throws Exception {
    if (at.isEmpty()) {
      at = LoopbackPorts.address();
    }
    CommandProcess registry =
        tutti.run("registry", "--listen", at, "--expect", "3", "--lease", "60s", "--data", data.toString());
    assertThat(registry.line()).isEqualTo("registry listens on " + at);
    return registry;
  }

  private CommandProcess member(String name) throws IOException {
    return tutti.run(
        "member",
        "--group",
        "bank",
        "--listen",
        "127.0.0.1:0",
        "--name",
        name,
        "--join",
        "registry:" + at,
        "--timeout",
        "60s");
  }

  private static int number(CommandProcess member) throws InterruptedException {
    return Integer.parseInt(member.lineMatching("number \\d+ at .*").replaceAll("number (\\d+) .*", "$1"));
  }

  @Test
  void aRegistryThatIsStoppedHasSucceeded() throws Exception {
    CommandProcess interrupted = registry();
    interrupted.signal("INT");
    assertThat(interrupted.exitCode()).isZero();
    CommandProcess ended = registry();
    ended.signal("TERM");
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.errors()).isEmpty();
  }

  @Test
  @Tag("deep")
  void membersThatStartAtOnceFormOneGroup() throws Exception {
    registry();
    List<CommandProcess> members = List.of(member("n1"), member("n2"), member("n3"));
    var numbers = new ArrayList<Integer>();
    for (CommandProcess member : members) {
      numbers.add(number(member));
    }
    assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2);
    for (CommandProcess member : members) {
      member.lineMatching(ALL);
    }
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", "registry:" + at, "--name", "s");
    send.type("hello");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    for (CommandProcess member : members) {
      member.lineMatching("0 s: hello");
    }
  }

  @Test
  @Tag("deep")
  void aRegistryThatIsKilledMeanwhileKeepsNumbersAndTheGroup() throws Exception {
    CommandProcess registry = registry();
    CommandProcess first = member("n1");
    assertThat(number(first)).isZero();
    CommandProcess second = member("n2");
    assertThat(number(second)).isEqualTo(1);
    registry.close();
    registry.exitCode();
    CommandProcess third = member("n3");
    CommandProcess again = registry();
    assertThat(number(third)).isEqualTo(2);
    for (CommandProcess member : List.of(first, second, third)) {
      member.lineMatching(ALL);
    }
    again.close();
    again.exitCode();
    CommandProcess last = registry(); // while the group works
    second.signal("TERM");
    assertThat(second.exitCode()).isZero();
    last.lineMatching("bank: n2 left");
    first.lineMatching("view \\S+ primary:( n1| n3){2}");
    CommandProcess fourth = member("n4");
    assertThat(number(fourth)).isEqualTo(3);
    first.lineMatching("view \\S+ primary:( n1| n3| n4){3}");
    third.close();
    third.exitCode();
    CommandProcess back = member("n3");
    assertThat(number(back)).isEqualTo(2);
    back.lineMatching("view \\S+ primary:( n1| n3| n4){3}");
  }

  @Test
  @Tag("deep")
  void whoWaitsInVainIsToldForWhom() throws Exception {
    registry();
    CommandProcess member =
        tutti.run(
            "member", "--group", "bank", "--listen", "127.0.0.1:0", "--join", "registry:" + at, "--timeout", "8s");
    assertThat(member.exitCode()).isEqualTo(1);
    assertThat(member.errors())
        .containsExactly("tutti member: registry:" + at + ": 1 of 3 members of group \"bank\" are there (waited 8 s)");
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", "registry:" + at, "--timeout", "8s");
    assertThat(watch.exitCode()).isEqualTo(1);
    assertThat(watch.errors())
        .containsExactly(
            "tutti watch: nobody answers at registry:" + at + " (registry:" + at + ": no addresses) (waited 8 s)");
  }
}
