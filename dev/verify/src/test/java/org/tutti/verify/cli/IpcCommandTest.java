package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;

/// `tutti ipc`: a question to processes of a group, and the programs that answer it.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IpcCommandTest {
  @TempDir private Path directory;

  @RegisterExtension private final IpcCommands commands = new IpcCommands();

  private CommandProcess run(String... args) throws Exception {
    return commands.run(args);
  }

  private static String at(CommandProcess server) throws Exception {
    return server.lineMatching("ready at .*").substring("ready at ".length());
  }

  private void fails(int code, String message, String... args) throws Exception {
    IpcCommands.fails(code, message, run(args));
  }

  @Test
  void aQuestionIsAnsweredByProgramsAndHosts() throws Exception {
    CommandProcess plain = run("serve", "--group=printers", "--listen=127.0.0.1:0", "--name=p1");
    CommandProcess shell =
        run(
            "serve",
            "--group=printers",
            "--listen=127.0.0.1:0",
            "--name=p2",
            "--json",
            "--",
            "sh",
            "-c",
            "read q; echo \"$q? me\"");
    String to = at(plain) + "," + JSON.std.mapFrom(shell.line()).get("listen");

    CommandProcess ask = run("ask", "--group=printers", "--join=" + to, "--timeout=30s", "free");
    assertThat(List.of(ask.line(), ask.line())).containsExactlyInAnyOrder("p1: p1", "p2: free? me");
    assertThat(ask.rest()).isEmpty();
    assertThat(ask.exitCode()).isZero();
    assertThat(plain.line()).matches("ask-\\d+: free");
    assertThat(JSON.std.mapFrom(shell.line())).containsEntry("event", "question").containsEntry("text", "free");

    CommandProcess first =
        run("ask", "--group=printers", "--join=" + to, "--timeout=30s", "--replies=1", "--name=a", "--json", "free");
    assertThat(JSON.std.mapFrom(first.line())).containsEntry("event", "reply").containsKey("host").containsKey("text");
    assertThat(JSON.std.mapFrom(first.line()))
        .containsEntry("event", "answers")
        .containsEntry("reached", 2)
        .containsEntry("replies", 1);
    assertThat(first.exitCode()).isZero();

    for (CommandProcess server : List.of(plain, shell)) {
      server.signal("TERM");
      assertThat(server.exitCode()).as("it runs until it is stopped").isZero();
      assertThat(server.errors()).isEmpty();
    }
  }

  /// Who fails, prints too much or takes too long replies nothing, says why, and goes on.
  @Test
  void aProgramThatFailsRepliesNothing() throws Exception {
    String program =
        "read q; case $q in fail) exit 3;; long) exec sleep 100;; mute) exec >&-; exec sleep 100;; "
            + "*) printf '%s\\n\\n' \"$q\";; esac";
    CommandProcess server =
        run("serve", "--group=g", "--listen=127.0.0.1:0", "--timeout=500ms", "--", "sh", "-c", program);
    String to = at(server);
    String none = "tutti ipc ask: 0 of 1 replies in 2 s; processes reached: 1";
    fails(1, none, "ask", "--group=g", "--join=" + to, "--timeout=2s", "fail");
    fails(1, none, "ask", "--group=g", "--join=" + to, "--timeout=2s", "long");
    fails(1, none, "ask", "--group=g", "--join=" + to, "--timeout=2s", "mute");
    CommandProcess ask = run("ask", "--group=g", "--join=" + to, "--timeout=30s", "x");
    assertThat(ask.line()).as("without the last line end").endsWith(": x\\u000a");
    assertThat(ask.exitCode()).isZero();
    server.signal("TERM");
    assertThat(server.exitCode()).isZero();
    assertThat(server.errors())
        .containsExactly(
            "tutti ipc serve: no reply: sh ended with 3",
            "tutti ipc serve: no reply: sh took more than 500 ms",
            "tutti ipc serve: no reply: sh took more than 500 ms");
  }

  @Test
  @Tag("deep")
  void mistakesAreSaid() throws Exception {
    String to = at(run("serve", "--group=printers", "--listen=127.0.0.1:0"));
    fails(2, "tutti ipc: ask, serve, host, create, destroy or ids is missing; see tutti ipc --help");
    fails(
        1,
        "tutti ipc ask: no process of group \"scanners\" at " + to,
        "ask",
        "--group=scanners",
        "--join=" + to,
        "--timeout=30s",
        "free");
    fails(
        1,
        "tutti ipc ask: refused by " + to + ": it is of cluster \"tutti\", this node of \"other\" (waited 10 s)",
        "ask",
        "--group=printers",
        "--cluster=other",
        "--join=" + to,
        "--timeout=10s",
        "free");
    Path tls = Authority.in(directory).issue("n1", "tutti", Duration.ofDays(1));
    String encrypted = at(run("serve", "--group=printers", "--listen=127.0.0.1:0", "--tls=" + tls));
    fails(
        1,
        "tutti ipc ask: refused by " + encrypted + ": it speaks TLS, this node does not (waited 10 s)",
        "ask",
        "--group=printers",
        "--join=" + encrypted,
        "--timeout=10s",
        "free");
    String closed = LoopbackPorts.address();
    fails(
        1,
        "tutti ipc ask: nobody answers at " + closed + " (waited 300 ms)",
        "ask",
        "--group=printers",
        "--join=" + closed,
        "--timeout=300ms",
        "free");
    fails(
        2,
        "tutti ipc ask: --replies: 1 to 1024, not 0; see tutti ipc ask --help",
        "ask",
        "--group=printers",
        "--join=" + to,
        "--replies=0",
        "free");
    fails(
        1,
        "tutti ipc ask: hosts are not found by registry:127.0.0.1:1: give HOST:PORT, file:, dns: or srv:",
        "ask",
        "--group=printers",
        "--join=registry:127.0.0.1:1",
        "free");
  }
}
