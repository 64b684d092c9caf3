package org.tutti.verify.system;

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

/// One command line for each replica, at the first start and at every later one: with the members expected by their
/// names, or by their number.
@Execution(ExecutionMode.CONCURRENT)
@Tag("system")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FoundingCommandTest {
  private static final List<String> NAMES = List.of("a", "b", "c");

  @TempDir Path directory;
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();
  private final List<String> addresses = new ArrayList<>();
  private int sent;

  private void findPorts() {
    for (int i = 0; i < NAMES.size(); i++) {
      addresses.add(LoopbackPorts.address());
    }
  }

  private CommandProcess member(int place, String expected) throws IOException {
    String name = NAMES.get(place);
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", name, "--timeout", "60s"));
    args.addAll(List.of("--listen", addresses.get(place), "--join", String.join(",", addresses)));
    args.addAll(List.of("--expect", expected, "--data", directory.resolve(name).toString(), "--fsync", "views"));
    return tutti.run(args.toArray(String[]::new));
  }

  private List<Long> send(int count) throws Exception {
    String[] args = {"send", "--group", "bank", "--join", addresses.getFirst(), "--name", "s", "--timeout", "30s"};
    CommandProcess sender = tutti.run(args);
    var positions = new ArrayList<Long>();
    for (int i = 0; i < count; i++) {
      sender.type("line " + ++sent + "\n");
      positions.add(Long.parseLong(sender.line()));
    }
    sender.endInput();
    assertThat(sender.exitCode()).isZero();
    return positions;
  }

  private static void kill(CommandProcess program) throws Exception {
    program.signal("KILL");
    program.exitCode();
  }

  @Test
  void theSameCommandsFoundJoinAndRestart() throws Exception {
    foundJoinAndRestart("a,b,c");
  }

  @Test
  @Tag("deep")
  void theSameCommandsWithANumberFoundJoinAndRestart() throws Exception {
    foundJoinAndRestart("3");
  }

  private void foundJoinAndRestart(String expected) throws Exception {
    findPorts();
    List<CommandProcess> members = new ArrayList<>();
    for (int place = 0; place < NAMES.size(); place++) {
      members.add(member(place, expected));
    }
    for (CommandProcess member : members) {
      member.view("a", "b", "c");
    }
    assertThat(send(2)).containsExactly(0L, 1L);

    kill(members.get(1));
    members.getFirst().view("a", "c");
    members.set(1, member(1, expected));
    members.get(1).view("a", "b", "c");
    assertThat(send(2)).as("the history goes on").containsExactly(2L, 3L);

    for (CommandProcess member : members) {
      kill(member);
    }
    CommandProcess first = member(0, expected);
    first.lineMatching("group bank: last primary view \\d+ of .* known here; a here; waiting for .*");
    List<CommandProcess> again = List.of(first, member(1, expected), member(2, expected));
    for (CommandProcess member : again) {
      member.view("a", "b", "c");
    }
    assertThat(send(1)).as("nothing was founded anew").containsExactly(4L);
    first.delivery("s: line 5");
  }
}
