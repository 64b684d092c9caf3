package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.cli.IpcCommands.fails;
import static org.tutti.verify.cli.IpcCommands.refuses;

import com.fasterxml.jackson.jr.ob.JSON;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// `tutti ipc host`, and `serve` and `ask` as programs that share it.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IpcProgramsCommandTest {
  @TempDir private Path directory;

  @RegisterExtension private final IpcCommands commands = new IpcCommands();

  private CommandProcess run(String... args) throws Exception {
    return commands.run(args);
  }

  private Path socket(String host) {
    return directory.resolve(host + ".sock");
  }

  private CommandProcess host(String name, String... more) throws Exception {
    var args =
        new ArrayList<>(
            List.of("host", "--socket=" + socket(name), "--listen=127.0.0.1:0", "--name=" + name, "--json"));
    args.addAll(List.of(more));
    return run(args.toArray(String[]::new));
  }

  private CommandProcess serve(String host, String... program) throws Exception {
    var args = new ArrayList<>(List.of("serve", "--group=g", "--socket=" + socket(host)));
    args.addAll(List.of(program));
    CommandProcess serve = run(args.toArray(String[]::new));
    assertThat(serve.line()).isEqualTo("ready at " + socket(host));
    return serve;
  }

  private CommandProcess ask(String host, String replies) throws Exception {
    return run("ask", "--group=g", "--socket=" + socket(host), "--replies=" + replies, "--timeout=30s", "free");
  }

  @Test
  void programsOfTwoHostsAskEachOtherUntilOneIsKilled() throws Exception {
    CommandProcess h1 = host("h1");
    String at = String.valueOf(JSON.std.mapFrom(h1.line()).get("listen"));
    CommandProcess h2 = host("h2", "--join=" + at);
    assertThat(JSON.std.mapFrom(h2.line()))
        .containsEntry("event", "ready")
        .containsEntry("socket", socket("h2").toString());
    CommandProcess upper = serve("h1", "--", "tr", "a-z", "A-Z");
    CommandProcess plain = serve("h1");
    CommandProcess own = ask("h1", "2");
    assertThat(List.of(own.line(), own.line())).containsExactlyInAnyOrder("h1: FREE", "h1: h1");
    assertThat(own.exitCode()).isZero();
    assertThat(upper.line()).isEqualTo("h1: free");
    serve("h2", "--", "rev");
    CommandProcess all = ask("h2", "3");
    assertThat(List.of(all.line(), all.line(), all.line())).containsExactlyInAnyOrder("h1: FREE", "h1: h1", "h2: eerf");

    plain.signal("KILL");
    CommandProcess rest = ask("h1", "2");
    assertThat(List.of(rest.line(), rest.line())).containsExactlyInAnyOrder("h1: FREE", "h2: eerf");
    assertThat(rest.exitCode()).as("who was killed is in the group no longer").isZero();
    upper.signal("TERM");
    assertThat(upper.exitCode()).as("it runs until it is stopped").isZero();
    assertThat(upper.errors()).isEmpty();
  }

  @Test
  @Tag("deep")
  void aHostThatIsKilledIsReplaced() throws Exception {
    CommandProcess first = host("h");
    first.line();
    CommandProcess serve = serve("h");
    first.signal("KILL");
    fails(1, "tutti ipc serve: the host at " + socket("h") + " has ended", serve);
    fails(1, "tutti ipc ask: no host listens at " + socket("h") + ": it has ended", ask("h", "1"));
    CommandProcess second = host("h");
    second.line();
    fails(1, "tutti ipc ask: no process of group \"g\" is heard by the host at " + socket("h"), ask("h", "1"));
    fails(1, "tutti ipc host: another host listens at " + socket("h"), host("h"));
    try (var stranger = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      stranger.connect(UnixDomainSocketAddress.of(socket("h")));
      stranger.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes()));
      assertThat(JSON.std.mapFrom(second.line()))
          .containsEntry("event", "disconnected")
          .containsEntry("reason", "MALFORMED")
          .containsEntry("count", 1);
    }
    second.signal("TERM");
    assertThat(second.exitCode()).isZero();
    assertThat(second.errors()).isEmpty();
    assertThat(socket("h")).doesNotExist();
  }

  @Test
  void mistakesAreSaid() {
    String socket = "--socket=" + socket("h");
    for (String option :
        List.of("--listen=127.0.0.1:0", "--name=n", "--cluster=c", "--tls=d", "--servers=127.0.0.1:1")) {
      String name = option.substring(0, option.indexOf('='));
      String why = name + " is of hosts, and the one at --socket has its own: give one of the two";
      refuses(2, "tutti ipc serve: " + why + "; see tutti ipc serve --help", "serve", "--group=g", socket, option);
      refuses(2, "tutti ipc ask: " + why + "; see tutti ipc ask --help", "ask", "--group=g", socket, option, "q");
    }
    refuses(
        2,
        "tutti ipc ask: --join is of hosts, and the one at --socket has its own: give one of the two; see tutti ipc ask"
            + " --help",
        "ask",
        "--group=g",
        socket,
        "--join=127.0.0.1:1",
        "q");
    refuses(
        2,
        "tutti ipc serve: --listen is missing: where others reach this host; or --socket; see tutti ipc serve --help",
        "serve",
        "--group=g");
    refuses(
        2,
        "tutti ipc ask: --join is missing: the hosts to ask; or --socket; see tutti ipc ask --help",
        "ask",
        "--group=g",
        "q");
    refuses(
        1,
        "tutti ipc ask: no host listens at " + socket("h") + ": there is no such file",
        "ask",
        "--group=g",
        socket,
        "q");
    refuses(
        1,
        "tutti ipc host: there is no directory " + directory.resolve("nowhere"),
        "host",
        "--listen=127.0.0.1:0",
        "--socket=" + directory.resolve("nowhere").resolve("s"));
  }
}
