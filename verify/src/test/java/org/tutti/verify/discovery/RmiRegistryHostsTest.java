package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.cli.Tutti;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;

/// A registry of Java RMI takes names from processes of its own host only: who is on another one finds others by it.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RmiRegistryHostsTest {
  private final List<Process> processes = new ArrayList<>();
  private LabNetwork network;

  private Process start(int node, List<String> what) throws IOException {
    var command = new ArrayList<>(network.at(node));
    command.addAll(what);
    Process process = new ProcessBuilder(command).start();
    processes.add(process);
    return process;
  }

  private Process member(int node, String... how) throws IOException {
    var args = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    args.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    args.addAll(List.of("-cp", System.getProperty("java.class.path"), Tutti.class.getName()));
    args.addAll(List.of("member", "--group", "bank", "--insecure"));
    args.addAll(List.of("--listen", network.addressOf(node) + ":0", "--name", "n" + node));
    args.addAll(List.of(how));
    return start(node, args);
  }

  private static void awaitLine(BufferedReader reader, String pattern) throws IOException {
    String line = reader.readLine();
    while (line != null && !line.matches(pattern)) {
      line = reader.readLine();
    }
    assertThat(line).as("a line of the form " + pattern).isNotNull();
  }

  @AfterEach
  void end() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    if (network != null) {
      network.close();
    }
  }

  @Test
  void aMemberOfAnotherHostFindsOthersAndSaysWhyItIsNotFound() throws Exception {
    try {
      network = LabNetwork.open(List.of("a", "b"), 1);
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
    String where = network.addressOf(0) + ":1099";
    Process registry = start(0, LaunchedRmiRegistry.command(network.addressOf(0), 1099));
    assertThat(registry.inputReader().readLine()).isEqualTo("1099");
    Process alone = member(1, "--join", "rmiregistry:" + where, "--timeout", "3s");
    try (var errors = new BufferedReader(new InputStreamReader(alone.getErrorStream()))) {
      assertThat(errors.readLine()).contains("rmiregistry at " + where + " takes no name from here");
    }
    BufferedReader first = member(0, "--create", "--announce", "rmiregistry:" + where).inputReader();
    awaitLine(first, "view \\S+ primary: n0");
    Process second = member(1, "--join", "rmiregistry:" + where, "--timeout", "60s");
    awaitLine(second.inputReader(), "view \\S+ primary: n0 n1");
    awaitLine(first, "view \\S+ primary: n0 n1");
  }
}
