package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.cli.IpcCommands.refuses;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;

/// `tutti ipc ids`, `create` and `destroy`, and groups with ids and passwords of `serve` and `ask`.
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IpcGroupsCommandTest {
  @TempDir private Path directory;

  @RegisterExtension private final IpcCommands commands = new IpcCommands();

  private CommandProcess run(String... args) throws Exception {
    return commands.run(args);
  }

  private void fails(int code, String message, String... args) throws Exception {
    IpcCommands.fails(code, message, run(args));
  }

  private Path file(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    var own = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    if (Files.notExists(file)) {
      Files.createFile(file, own);
    }
    return Files.writeString(file, text);
  }

  private static String only(CommandProcess command) throws Exception {
    assertThat(command.exitCode()).as(String.join("\n", command.errors())).isZero();
    String line = command.line();
    assertThat(command.rest()).isEmpty();
    return line;
  }

  private static String at(CommandProcess serve) throws Exception {
    return serve.lineMatching("ready at .*").substring("ready at ".length());
  }

  private CommandProcess alone(String... more) throws Exception {
    var args = new ArrayList<>(List.of("ids", "--name=n1", "--listen=127.0.0.1:0", "--clients=127.0.0.1:0", "--json"));
    args.addAll(List.of(more));
    return run(args.toArray(String[]::new));
  }

  private static String clients(CommandProcess server) throws Exception {
    String at = String.valueOf(JSON.std.mapFrom(server.line()).get("clients"));
    assertThat(JSON.std.mapFrom(server.line())).containsEntry("event", "serves").containsEntry("serves", true);
    return at;
  }

  @Test
  @Tag("deep")
  void aGroupIsServedAskedAndDestroyed() throws Exception {
    CommandProcess server = alone();
    isServedAskedAndDestroyed("--servers=" + clients(server), () -> {});
    server.signal("TERM");
    assertThat(server.exitCode()).as("it runs until it is stopped").isZero();
  }

  @Test
  @Tag("deep")
  void aGroupIsServedAskedAndDestroyedWhileAServerIsKilled() throws Exception {
    List<String> listen = LoopbackPorts.addresses(3);
    List<String> clients = LoopbackPorts.addresses(3);
    List<CommandProcess> replicas = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String name = "n" + (i + 1);
      replicas.add(
          run(
              "ids",
              "--name=" + name,
              "--listen=" + listen.get(i),
              "--clients=" + clients.get(i),
              "--join=" + String.join(",", listen),
              "--expect=n1,n2,n3",
              "--data=" + directory.resolve(name)));
    }
    for (int i = 0; i < 3; i++) {
      replicas.get(i).lineMatching("n" + (i + 1) + " serves clients");
    }
    isServedAskedAndDestroyed("--servers=" + String.join(",", clients), replicas.getFirst()::close);
    replicas.get(1).signal("TERM");
    assertThat(replicas.get(1).exitCode()).as("it runs until it is stopped").isZero();
  }

  /// From the first command to the last.
  ///
  /// @param meanwhile happens when the group is served
  private void isServedAskedAndDestroyed(String servers, Runnable meanwhile) throws Exception {
    String password = "--password-file=" + file("control", "secret\n");
    String id = only(run("create", servers, password));
    assertThat(id).matches("a[0-9a-f]{7}");
    CommandProcess serve =
        run("serve", "--id=" + id, "--listen=127.0.0.1:0", "--name=p1", servers, password, "--", "tr", "a-z", "A-Z");
    String to = "--join=" + at(serve);
    meanwhile.run();
    assertThat(only(run("ask", "--id=" + id, to, servers, "--timeout=30s", "free"))).isEqualTo("p1: FREE");
    assertThat(serve.line()).matches("ask-\\d+: free");
    String second = throughASharedHost(id, servers, to);
    assertThat(second).isNotEqualTo(id);

    fails(1, "tutti ipc destroy: the password is not that of group " + id, "destroy", "--id=" + id, servers);
    CommandProcess destroy = run("destroy", "--id=" + id, servers, password, to, "--timeout=30s", "--json");
    assertThat(JSON.std.mapFrom(only(destroy))).containsEntry("event", "destroyed").containsEntry("id", id);
    assertThat(serve.exitCode()).isEqualTo(1);
    assertThat(serve.errors()).containsExactly("tutti ipc serve: group " + id + " was destroyed");
    fails(1, "tutti ipc destroy: group " + id + " does not exist", "destroy", "--id=" + id, servers, password);
  }

  /// The host knows the server, so that commands at its socket do not have to.
  private String throughASharedHost(String other, String servers, String to) throws Exception {
    String socket = "--socket=" + directory.resolve("h.sock");
    CommandProcess host = run("host", "--listen=127.0.0.1:0", "--name=h", servers, to, socket);
    host.lineMatching("ready at .*");
    String wrong = "tutti ipc destroy: the password is not that of group " + other;
    fails(1, wrong, "destroy", "--id=" + other, socket);
    Map<String, Object> created = JSON.std.mapFrom(only(run("create", socket, "--json")));
    assertThat(created).containsEntry("event", "created");
    String id = String.valueOf(created.get("id"));
    assertThat(only(run("destroy", "--id=" + id, socket)))
        .matches(id + " is destroyed; hosts that have ended it: [01]");
    host.signal("TERM");
    assertThat(host.exitCode()).isZero();
    return id;
  }

  @Test
  @Tag("deep")
  void aSendPasswordIsNeededOverTls() throws Exception {
    Path tls = Authority.in(directory).issue("n1", "tutti", Duration.ofDays(1));
    String server = clients(alone("--tls=" + tls));
    String servers = "--servers=" + server;
    String send = "--send-password-file=" + file("send", "say it");
    String id = only(run("create", servers, send, "--tls=" + tls));
    String to =
        "--join=" + at(run("serve", "--id=" + id, "--listen=127.0.0.1:0", "--name=p1", servers, "--tls=" + tls));
    String[] ask = {"ask", "--id=" + id, to, servers, "--tls=" + tls, "--timeout=30s"};
    assertThat(only(run(and(ask, send, "free")))).isEqualTo("p1: p1");
    fails(
        1,
        "tutti ipc ask: not sent: group " + id + " has a send password; give --send-password-file",
        and(ask, "free"));
    String wrong = "--send-password-file=" + file("wrong", "guess");
    fails(1, "tutti ipc ask: the password is not that of group " + id, and(ask, wrong, "free"));
    assertThat(only(run("destroy", "--id=" + id, servers, "--tls=" + tls))).isEqualTo(id + " is destroyed");
    String none = "tutti ipc create: no server answers at " + server + " (waited 1 s)";
    fails(1, none, "create", servers, "--servers-timeout=1s");
  }

  private static String[] and(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void whoUsesAHostAtASocketGivesNoOptionsOfHosts() throws Exception {
    String host = " is of hosts, and the one at --socket has its own: give one of the two; see tutti ipc ";
    refuses(2, "tutti ipc create: --servers" + host + "create --help", "create", "--servers=127.0.0.1:1", "--socket=h");
    refuses(
        2,
        "tutti ipc destroy: --timeout" + host + "destroy --help",
        "destroy",
        "--id=a0000000",
        "--timeout=1s",
        "--socket=h");
  }

  @Test
  @Tag("deep")
  void mistakesAreSaid() throws Exception {
    String server = clients(alone());
    String servers = "--servers=" + server;
    int port = Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".repeat(100).getBytes());
      while (socket.getInputStream().read() >= 0) {
        // It says what is wrong, and closes.
      }
    }
    String id = only(run("create", servers, "--password-file=" + file("p", "x".repeat(64) + "\r\n")));
    String[] serve = {"serve", "--id=" + id, "--listen=127.0.0.1:0", servers};
    refuses(1, "tutti ipc serve: the password is not that of group " + id, serve);
    Path large = file("large", "x".repeat(65));
    refuses(
        1,
        "tutti ipc serve: " + large + ": a password has 64 characters at most",
        and(serve, "--password-file=" + large));
    Path binary = Files.write(file("binary", ""), new byte[] {(byte) 0xff, 1});
    refuses(1, "tutti ipc serve: " + binary + ": a password is text in UTF-8", and(serve, "--password-file=" + binary));
    Path missing = directory.resolve("missing");
    refuses(
        1,
        "tutti ipc create: no password: cannot read " + missing + ": no such file",
        "create",
        servers,
        "--password-file=" + missing);
    refuses(1, "tutti ipc destroy: group affffffe does not exist", "destroy", "--id=affffffe", servers);
    refuses(
        2,
        "tutti ipc destroy: Invalid value for option '--id': '90000000' is no id as `tutti ipc create` prints it, such"
            + " as a0000000; see tutti ipc destroy --help",
        "destroy",
        "--id=90000000",
        servers);
    refuses(
        2,
        "tutti ipc create: --servers is missing: who gives out ids of groups; or --socket; see tutti ipc create --help",
        "create");
    refuses(
        2,
        "tutti ipc serve: a group with a name has no password: give --id; see tutti ipc serve --help",
        "serve",
        "--group=printers",
        "--listen=127.0.0.1:0",
        "--password-file=" + file("p", ""));
    String closed = LoopbackPorts.address();
    refuses(
        1,
        "tutti ipc create: no server answers at " + closed + " (waited 300 ms)",
        "create",
        "--servers=" + closed,
        "--servers-timeout=300ms");
    refuses(
        2,
        "tutti ipc ids: --expect names this replica, too: n1; see tutti ipc ids --help",
        "ids",
        "--name=n1",
        "--listen=127.0.0.1:0",
        "--clients=127.0.0.1:0",
        "--expect=n2,n3");
  }

  @Test
  void aVersionBelowAllThatTheReplicaSpeaksIsNamed() throws Exception {
    refuses(
        1,
        "tutti ipc ids: --group-version-max is 3, but this node speaks version 5 of the protocol",
        "ids",
        "--name=n1",
        "--listen=127.0.0.1:0",
        "--clients=127.0.0.1:0",
        "--expect=n1",
        "--group-version-max=3");
  }
}
