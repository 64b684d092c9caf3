package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;
import org.tutti.verify.cli.Refusal;

/// `--join` with the registry of a middleware, which is a process of its own, as the members are.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class RegistryJoiningContract {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();
  private AutoCloseable registry;
  private int port;

  /// The name of the form.
  abstract String form();

  /// Starts a registry that knows nobody.
  abstract AutoCloseable start(int port) throws Exception;

  @BeforeEach
  void open() throws Exception {
    port = LoopbackPorts.free();
    registry = start(port);
  }

  @AfterEach
  void close() throws Exception {
    registry.close();
  }

  private String where() {
    return form() + ":127.0.0.1:" + port;
  }

  private CommandProcess member(String name, String... how) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--listen", "127.0.0.1:0", "--name", name));
    args.addAll(List.of(how));
    return tutti.run(args.toArray(String[]::new));
  }

  @Test
  void membersJoinLeaveCrashAndComeBack() throws Exception {
    CommandProcess second = member("n2", "--join", where(), "--timeout", "60s");
    CommandProcess first = member("n1", "--create", "--announce", where());
    second.lineMatching("view \\S+ primary: n1 n2");
    CommandProcess third = member("n3", "--join", where());
    third.lineMatching("view \\S+ primary: n1 n2 n3");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", where(), "--name", "s");
    send.type("hello");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    third.lineMatching("0 s: hello");
    third.close();
    third.exitCode();
    first.lineMatching("view \\S+ primary: n1 n2 n3");
    first.lineMatching("view \\S+ primary: n1 n2");
    CommandProcess back = member("n3", "--join", where());
    back.lineMatching("view \\S+ primary: n1 n2 n3");
    second.signal("TERM");
    assertThat(second.exitCode()).isZero();
    back.lineMatching("view \\S+ primary: n1 n3");
  }

  @Test
  @Tag("deep")
  void aRegistryThatIsStartedAnewIsFilledAgain() throws Exception {
    CommandProcess first = member("n1", "--create", "--announce", where());
    first.lineMatching("view \\S+ primary: n1");
    member("n2", "--join", where()).lineMatching("view \\S+ primary: n1 n2");
    registry.close();
    CommandProcess third = member("n3", "--join", where(), "--timeout", "60s");
    third.lineMatching("n3 listens on .*");
    registry = start(port);
    third.lineMatching("view \\S+ primary: n1 n2 n3");
    first.lineMatching("view \\S+ primary: n1 n2 n3");
  }

  @Test
  @Tag("deep")
  void whoFindsNobodyIsToldWhy() throws Exception {
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", where(), "--timeout", "10s");
    assertThat(watch.exitCode()).isEqualTo(1);
    assertThat(watch.errors())
        .containsExactly(
            "tutti watch: nobody answers at " + where() + " (" + where() + ": no addresses) (waited 10 s)");
    registry.close();
    CommandProcess member = member("n1", "--join", where(), "--timeout", "10s");
    assertThat(member.exitCode()).isEqualTo(1);
    assertThat(member.errors())
        .singleElement()
        .asString()
        .startsWith("tutti member: nobody answers at " + where() + " (" + where() + ": no answer of ")
        .endsWith(" (waited 10 s)");
  }

  @Test
  void aPlaceOfAnotherFormIsAUsageError() {
    for (String rest : List.of("", "x", ":7", "127.0.0.1:0", "127.0.0.1:70000")) {
      Refusal watch = Refusal.of("watch", "--group", "bank", "--join", form() + ":" + rest);
      assertThat(watch.exitCode()).as(rest).isEqualTo(2);
      assertThat(watch.errors().getFirst()).contains("is not of the form " + form() + ":HOST:PORT");
    }
  }
}
