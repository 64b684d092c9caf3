package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
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

/// `--join multicast:...` between namespaces that the test makes and removes.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MulticastJoiningTest {
  private static final String WHERE = "multicast:239.192.7.8:7410@eth0";

  private final List<Process> processes = new ArrayList<>();
  private LabNetwork network;

  private BufferedReader start(int node, String... args) throws IOException {
    var command = new ArrayList<>(network.at(node));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Tutti.class.getName()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.add(process);
    return process.inputReader();
  }

  private BufferedReader member(int node, String... how) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--insecure"));
    args.addAll(List.of("--listen", network.addressOf(node) + ":0", "--name", "n" + node));
    args.addAll(List.of(how));
    return start(node, args.toArray(String[]::new));
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
  void membersOfASegmentFindEachOther() throws Exception {
    try {
      network = LabNetwork.open(List.of("a", "b", "c"), 1);
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
    BufferedReader second = member(1, "--join", WHERE, "--timeout", "60s");
    BufferedReader other = member(2, "--join", WHERE, "--cluster", "other", "--timeout", "8s");
    BufferedReader first = member(0, "--create", "--announce", WHERE);
    awaitLine(first, "view \\S+ primary: n0 n1");
    awaitLine(second, "view \\S+ primary: n0 n1");
    assertThat(other.lines().toList()).singleElement().asString().startsWith("n2 listens on ");
  }
}
