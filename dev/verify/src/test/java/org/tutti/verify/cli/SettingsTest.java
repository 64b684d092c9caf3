package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.cli.Tutti;
import picocli.CommandLine;

/// Options of the command from variables and from a configuration file, and what wins.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SettingsTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @TempDir Path directory;

  private CommandProcess run(Map<String, String> variables, String... args) throws IOException {
    var command = new ArrayList<>(List.of("env"));
    variables.forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(TuttiCommand.of(List.of(), args));
    return tutti.start(command);
  }

  private String file(String... lines) throws IOException {
    Path file = directory.resolve("tutti.conf");
    Files.write(file, List.of(lines));
    return file.toString();
  }

  private void refuses(String words, String... lines) throws IOException {
    Refusal refusal = Refusal.of("watch", "--config", file(lines));
    assertThat(refusal.exitCode()).isEqualTo(2);
    assertThat(refusal.errors()).containsExactly("tutti watch: " + words + "; see tutti watch --help");
  }

  @Test
  void aMemberRunsByItsFileAlone() throws Exception {
    String file =
        file(
            "# all commands", "group = bank", "", "[member]", "create = true", "name = n1", "listen=127.0.0.1:0 # any");
    CommandProcess member = run(Map.of("TUTTI_CONFIG", file), "member");
    assertThat(member.line()).matches("n1 listens on 127\\.0\\.0\\.1:\\d+");
    assertThat(member.line()).matches("view \\S+ primary: n1");
  }

  @Test
  void theCommandLineWinsThenVariablesThenTheSectionThenTheRestOfTheFile() throws Exception {
    String file =
        file("group = a", "name = a", "cluster = a", "timeout = 1s", "[watch]", "name = b", "[send]", "name = c");
    Map<String, String> variables =
        Map.of("TUTTI_NAME", "v", "TUTTI_TIMEOUT", "", "TUTTI_GROUP", "v", "TUTTI_OTHER", "x");
    CommandProcess watch =
        run(variables, "watch", "--config=" + file, "--join", "h:1", "i:2", "--group", "typed", "--print-config");
    assertThat(watch.rest())
        .startsWith("[watch]")
        .contains(
            "group = typed  # command line",
            "name = v  # TUTTI_NAME",
            "cluster = a  # " + file + ":3",
            "timeout = 1s  # " + file + ":4",
            "join = h:1,i:2  # command line")
        .anyMatch(line -> line.endsWith("  # default"))
        .noneMatch(line -> line.startsWith("listen"));
    CommandProcess again = run(Map.of(), "watch", "--config=" + file, "--join=h:1", "--print-config", "--json");
    assertThat(again.rest())
        .contains("{\"event\":\"setting\",\"name\":\"name\",\"value\":\"b\",\"source\":\"" + file + ":6\"}");
  }

  /// What a weaker source says of one of two options that exclude each other is not heard.
  @Test
  void joiningExcludesCreatingWhateverTheFileSays() throws Exception {
    String file = file("group = bank", "listen = 127.0.0.1:0", "[member]", "create = true");
    assertThat(run(Map.of("TUTTI_JOIN", "h:1"), "member", "--config", file, "--print-config").rest())
        .contains("join = h:1  # TUTTI_JOIN")
        .noneMatch(line -> line.startsWith("create"));
  }

  @Test
  void whereAndHowMuchIsSpilledIsSaidTogether() throws Exception {
    String file = file("group = bank", "listen = 127.0.0.1:0", "create = true", "[member]", "spill-max = 10G");
    String spill = directory.resolve("spill").toString();
    Map<String, String> there = Map.of("TUTTI_SPILL_TO", spill);
    assertThat(run(there, "member", "--config", file, "--print-config").rest())
        .contains("spill-to = " + spill + "  # TUTTI_SPILL_TO", "spill-max = 10G  # " + file + ":5");
    CommandProcess member = run(there, "member", "--config", file, "--name", "n1");
    assertThat(member.line()).startsWith("n1 listens on ");
    assertThat(Path.of(spill)).isEmptyDirectory();
    assertThat(spilling("1G"))
        .containsExactly("tutti member: --spill-to and --spill-max go together; see tutti member --help");
    assertThat(spilling("1")).anyMatch(line -> line.contains("'1' is not a size from 1M to 1T, such as 512M or 10G"));
  }

  @Test
  void howFarBehindAMemberMayBeIsATime() throws Exception {
    Map<String, String> there = Map.of("TUTTI_LEAVE_WHEN_BEHIND", "5m");
    List<String> member = List.of("member", "--group=bank", "--listen=127.0.0.1:0", "--create");
    assertThat(run(there, Stream.concat(member.stream(), Stream.of("--print-config")).toArray(String[]::new)).rest())
        .contains("leave-when-behind = 5m  # TUTTI_LEAVE_WHEN_BEHIND", "ready-behind = 30s  # default");
    for (String time : List.of("9ms", "1441m")) {
      Stream<String> line = Stream.concat(member.stream(), Stream.of("--leave-when-behind", time));
      assertThat(Refusal.of(line.toArray(String[]::new)).errors())
          .singleElement()
          .asString()
          .contains("'" + time + "' is not from 10ms to 1440m, nor 0s for never");
    }
  }

  private static List<String> spilling(String size) throws IOException {
    return Refusal.of("member", "--group", "bank", "--listen", "127.0.0.1:0", "--create", "--spill-max", size).errors();
  }

  /// For people who have typed it: a consent is no setting, and `help` has none.
  @Test
  void eachCommandButThoseThatOnlyTellIsConfigured() {
    List<String> without = new ArrayList<>();
    collect(Tutti.commandLine(), without);
    assertThat(without).containsExactlyInAnyOrder("tutti completion", "tutti help", "tutti version");
  }

  private static void collect(CommandLine command, List<String> without) {
    Collection<CommandLine> more = command.getSubcommands().values();
    if (more.isEmpty() && command.getCommandSpec().findOption("--print-config") == null) {
      without.add(command.getCommandSpec().qualifiedName());
    }
    more.forEach(each -> collect(each, without));
  }

  @Test
  void aSectionIsNamedByTheWordsThatCallTheCommand() throws Exception {
    String file =
        file(
            "tls = a",
            "timeout = 3s",
            "[ipc ask]",
            "group = g",
            "join = h:1",
            "[status]",
            "tls = b",
            "[corba  names]",
            "servers = 127.0.0.1:2");
    assertThat(run(Map.of(), "ipc", "ask", "--config", file, "--print-config", "why?").rest())
        .startsWith("[ipc ask]")
        .contains("group = g  # " + file + ":4", "join = h:1  # " + file + ":5", "tls = a  # " + file + ":1");
    assertThat(run(Map.of("TUTTI_CONFIG", file), "corba", "names", "--print-config").rest())
        .startsWith("[corba names]")
        .contains("servers = 127.0.0.1:2  # " + file + ":9");
    Map<String, String> variables = Map.of("TUTTI_CONFIG", file, "TUTTI_WAIT", "7s");
    assertThat(run(variables, "status", "--print-config", "127.0.0.1:1").rest())
        .startsWith("[status]")
        .contains("tls = b  # " + file + ":7");
    assertThat(run(variables, "probe", "--print-config", "127.0.0.1:1").rest())
        .contains("tls = a  # " + file + ":1", "wait = 7s  # TUTTI_WAIT");
    assertThat(run(variables, "verify", "--service=s", "--print-config", "127.0.0.1:1").rest())
        .contains("service = s  # command line", "timeout = 3s  # " + file + ":2");
  }

  @Test
  void aConsentIsTyped() throws Exception {
    String file = file("group = bank", "data = /no/such/directory");
    Map<String, String> variables = Map.of("TUTTI_CONFIRM", "bank");
    assertThat(run(variables, "force-primary", "--config", file, "--print-config").rest())
        .containsExactly(
            "[force-primary]", "group = bank  # " + file + ":1", "data = /no/such/directory  # " + file + ":2");
    refuses(file + ":1: no command has an option 'confirm'", "confirm = bank");
  }

  /// Whether a host is an own one is said by the strongest source that says anything of it.
  @Test
  void theHostOfAnotherProgramExcludesTheOptionsOfAnOwnOne() throws Exception {
    String file =
        file(
            "tls = a",
            "name = n1",
            "timeout = 3s",
            "[ipc destroy]",
            "socket = /run/x",
            "id = a0000000",
            "[ipc ask]",
            "socket = /run/y",
            "group = g");
    assertThat(run(Map.of(), "ipc", "destroy", "--config", file, "--print-config").rest())
        .contains("socket = /run/x  # " + file + ":5")
        .noneMatch(line -> line.startsWith("tls") || line.startsWith("name") || line.startsWith("timeout = 3s"));
    assertThat(run(Map.of("TUTTI_JOIN", "h:1"), "ipc", "ask", "--config", file, "--print-config", "why?").rest())
        .contains("join = h:1  # TUTTI_JOIN", "timeout = 3s  # " + file + ":3")
        .noneMatch(line -> line.startsWith("socket"));
  }

  /// Of two options that exclude each other the one of the section counts.
  @Test
  void aSectionIsStrongerThanTheRestOfTheFile() throws Exception {
    String file = file("group = bank", "listen = 127.0.0.1:0", "create = true", "[member]", "join = h:1");
    assertThat(run(Map.of(), "member", "--config", file, "--print-config").rest())
        .contains("join = h:1  # " + file + ":5")
        .noneMatch(line -> line.startsWith("create"));
  }

  @Test
  void aWrongValueIsNamedWithItsSource() throws Exception {
    String file = directory.resolve("tutti.conf").toString();
    String time = "'99x' is not a time such as 500ms, 10s or 2m";
    refuses(file + ":3: Invalid value for option '--timeout': " + time, "group = g", "[watch]", "timeout = 99x");
    CommandProcess watch = run(Map.of("TUTTI_LISTEN", "foo"), "watch", "--group=g", "--join=h:1");
    assertThat(watch.errors())
        .containsExactly(
            "tutti watch: TUTTI_LISTEN: Invalid value for option '--listen': 'foo' is not of the form HOST:PORT;"
                + " see tutti watch --help");
  }

  @Test
  void whatAFileMustNotSayIsNamedWithItsLine() throws Exception {
    String file = directory.resolve("tutti.conf").toString();
    refuses(file + ":2: watch has no option 'create'", "[watch]", "create = true");
    refuses(file + ":1: no command has an option 'grop'", "grop = bank");
    refuses(file + ":1: no command 'simulate' that can be configured", "[simulate]");
    refuses(file + ":1: no command 'ipc' that can be configured", "[ipc]");
    refuses(file + ":2: ipc ask has no option 'create'", "[ipc ask]", "create = true");
    refuses(file + ":3: 'group' is already set at " + file + ":1", "group = a", "", "group = b");
    refuses(file + ":1: neither 'name = value' nor '[command]': 'group'", "group");
    refuses(file + ":1: verbose is true or false, not 'yes'", "verbose = yes");
    refuses(file + ":2: member has no option 'lease'", "[member]", "lease = 1s # of another command");
    CommandProcess missing = run(Map.of(), "watch", "--config", "/no/such/file");
    assertThat(missing.errors())
        .containsExactly("tutti watch: cannot read /no/such/file: no such file; see tutti watch --help");
  }
}
