package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.certs.Authority;

/// What programs read of the command: `--json`, completion; and how it is asked about itself.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JsonCommandTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @TempDir Path directory;

  private static Map<String, Object> object(String line) throws IOException {
    return JSON.std.mapFrom(line);
  }

  /// The next object of this kind.
  private static Map<String, Object> next(CommandProcess from, String event) throws Exception {
    return object(from.lineMatching("\\{\"event\":\"" + event + "\".*"));
  }

  @Test
  void whatHappensInAGroupIsAnObjectALine() throws Exception {
    CommandProcess member =
        tutti.run("member", "--json", "--group=bank", "--create", "--name=n1", "--listen=127.0.0.1:0");
    Map<String, Object> listening = object(member.line());
    assertThat(listening).containsEntry("event", "listening").containsEntry("name", "n1");
    assertThat(object(member.line()))
        .containsEntry("event", "view")
        .containsEntry("primary", true)
        .containsEntry("members", List.of("n1"))
        .containsEntry("observers", List.of());
    String contact = listening.get("address").toString();
    CommandProcess watch = tutti.run("watch", "--json", "--group=bank", "--name=w", "--join", contact);
    assertThat(next(watch, "view")).containsEntry("observers", List.of("w"));

    // Neither a line that is no text nor one that would command a terminal breaks a line.
    byte[] binary = {1, (byte) 0xff, 0x7b};
    Path lines = directory.resolve("lines");
    Files.write(lines, "a \"b\" \u001b \u009b ü\n".getBytes(StandardCharsets.UTF_8));
    Files.write(lines, binary, StandardOpenOption.APPEND);
    String[] to = {"--group=bank", "--name=s", "--join=" + contact, "--file=" + lines};
    CommandProcess send = tutti.run("send", "--json", to[0], to[1], to[2], to[3]);
    assertThat(object(send.line())).isEqualTo(Map.of("event", "sent", "line", 1, "service", "total", "position", 0));
    assertThat(object(send.line())).isEqualTo(Map.of("event", "sent", "line", 2, "service", "total", "position", 1));
    assertThat(send.exitCode()).isZero();
    for (CommandProcess each : List.of(member, watch)) {
      String text = each.lineMatching(".*\"delivery\".*");
      assertThat(text).matches("[ -~]+");
      assertThat(object(text)).isEqualTo(delivery(0, "text", "a \"b\" \u001b \u009b ü"));
      assertThat(next(each, "delivery")).isEqualTo(delivery(1, "base64", Base64.getEncoder().encodeToString(binary)));
    }
    CommandProcess weak = tutti.run("send", "--json", "--service=fifo", to[0], "--name=f", to[2], to[3]);
    assertThat(object(weak.line())).isEqualTo(Map.of("event", "sent", "line", 1, "service", "fifo"));
    assertThat(next(member, "delivery"))
        .containsEntry("service", "fifo")
        .containsEntry("sender", "f")
        .doesNotContainKey("position");
    member.signal("TERM");
    assertThat(object(member.rest().getLast()))
        .containsEntry("event", "closed")
        .containsKey("words")
        .extractingByKey("cause")
        .isIn("left", "node-closed"); // the observer may be still there or not
  }

  @Test
  void aRegistryTellsRegistrationsAsObjects() throws Exception {
    CommandProcess registry = tutti.run("registry", "--json", "--listen=127.0.0.1:0");
    String at = "registry:" + object(registry.line()).get("address");
    CommandProcess member =
        tutti.run("member", "--json", "--group=bank", "--name=n1", "--listen=127.0.0.1:0", "--join", at);
    assertThat(object(member.line())).isEqualTo(Map.of("event", "registered", "number", 0, "registry", at));
    assertThat(next(registry, "registration").get("words").toString()).startsWith("bank: n1 is 0, at ");
  }

  @Test
  void certificatesAndVersionsAreObjects() throws Exception {
    CommandProcess certs = tutti.run("certs", "--json", "--dir", directory.resolve("ca").toString(), "n1");
    assertThat(object(certs.line()))
        .containsEntry("event", "certificate")
        .containsEntry("name", "n1")
        .containsEntry("cluster", "tutti")
        .containsEntry("directory", directory.resolve("ca/n1").toString());
    Map<String, Object> version = object(tutti.run("version", "--json").line());
    assertThat(version).containsEntry("event", "version").containsEntry("java", Runtime.version().toString());
    assertThat(tutti.run("version").line()).isEqualTo("tutti " + version.get("tutti"));
  }

  @Test
  @Tag("deep")
  void helpPrintsWhatTheOptionPrints() throws Exception {
    assertThat(tutti.run("help").rest()).isEqualTo(tutti.run("--help").rest()).isNotEmpty();
    assertThat(tutti.run("help", "watch").rest()).isEqualTo(tutti.run("watch", "--help").rest()).isNotEmpty();
    Refusal unknown = Refusal.of("help", "sing");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.errors()).containsExactly("tutti help: tutti has no command 'sing'; see tutti help --help");
  }

  @Test
  void theLevelOfLogsIsChosen() throws Exception {
    Refusal wrong = Refusal.of("version", "--log-level=loud");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.errors()).hasSize(1).first().asString().contains("'loud' is none of: off, error, warning, info");
    Path key = Authority.in(directory.resolve("ca")).issue("r", "tutti", Duration.ofDays(1)).resolve("key.pem");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(loggedBy("warning", key)).anyMatch(line -> line.contains("other users may use the key"));
    assertThat(loggedBy("error", key)).isEmpty();
  }

  /// What a registry logs that warns of a key.
  private List<String> loggedBy(String level, Path key) throws Exception {
    // Not the configuration of the tests, which leaves out what members say.
    Path configuration = directory.resolve("logging.properties");
    Files.writeString(configuration, "handlers = java.util.logging.ConsoleHandler\n");
    String[] args = {"registry", "--listen=127.0.0.1:0", "--tls=" + key.getParent(), "--log-level=" + level};
    CommandProcess registry = tutti.run(List.of("-Djava.util.logging.config.file=" + configuration), args);
    registry.lineMatching("registry listens on .*");
    registry.signal("TERM");
    return registry.errors();
  }

  @Test
  void aShellCompletesCommandsAndOptions() throws Exception {
    Path bash = Path.of("/bin/bash");
    assumeThat(bash).as("completion is tried by bash").isExecutable();
    CommandProcess completion = tutti.run("completion", "bash");
    Path script = directory.resolve("tutti");
    Files.write(script, completion.rest());
    assertThat(completed(script, "tutti wat")).containsExactly("watch");
    assertThat(completed(script, "tutti watch --js")).containsExactly("--json");
    Refusal wrong = Refusal.of("completion", "csh");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.errors())
        .containsExactly("tutti completion: 'csh' is none of: bash, zsh, fish; see tutti completion --help");
  }

  @Test
  @Tag("deep")
  void fishCompletesCommandsAndOptions() throws Exception {
    Path fish = Path.of("/usr/bin/fish");
    assumeThat(fish).as("skipped: no fish here").isExecutable();
    Path script = directory.resolve("tutti.fish");
    Files.write(script, tutti.run("completion", "fish").rest());
    assertThat(completedByFish(script, "tutti wat")).containsExactly("watch\tJoins a group as an observer");
    assertThat(completedByFish(script, "tutti watch --js"))
        .containsExactly("--json\tPrint one JSON object a line instead of text");
    assertThat(completedByFish(script, "tutti ipc ")).extracting(line -> line.split("\t")[0]).contains("ask", "serve");
    assertThat(completedByFish(script, "tutti ipc ask --repl")).hasSize(1).first().asString().startsWith("--replies");
    assertThat(completedByFish(script, "tutti watch --config " + script.getParent() + "/tut"))
        .containsExactly(script.toString());
    assertThat(completedByFish(script, "tutti send --group member ")).isEmpty();
  }

  private List<String> completedByFish(Path script, String typed) throws Exception {
    String lines = "source " + script + "; complete -C '" + typed + "'";
    return tutti.start(List.of("/usr/bin/fish", "--no-config", "-c", lines)).rest();
  }

  private List<String> completed(Path script, String typed) throws Exception {
    String words = "COMP_WORDS=(" + typed + "); COMP_LINE='" + typed + "'; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))";
    String lines = "source " + script + "; " + words + "; _complete_tutti; printf '%s\\n' \"${COMPREPLY[@]}\"";
    return tutti.start(List.of("/bin/bash", "-c", lines)).rest();
  }

  private static Map<String, Object> delivery(int position, String form, String payload) {
    return Map.of("event", "delivery", "service", "total", "position", position, "sender", "s", form, payload);
  }
}
