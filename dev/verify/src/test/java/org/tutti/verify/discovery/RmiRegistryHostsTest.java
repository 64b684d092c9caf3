package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.cli.Tutti;
import org.tutti.verify.lab.Hosts;

/// A registry of Java RMI takes names from processes of its own host only: who is on another one finds others by it.
@Tag("system")
@Tag("deep")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RmiRegistryHostsTest {
  private Hosts hosts;

  private Process member(int node, String... how) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--insecure"));
    args.addAll(List.of("--listen", hosts.addressOf(node) + ":0", "--name", "n" + node));
    args.addAll(List.of(how));
    return hosts.start(node, Hosts.java(Tutti.class, args, "-Xmx128m"), ProcessBuilder.Redirect.PIPE);
  }

  @AfterEach
  void end() {
    if (hosts != null) {
      hosts.close();
    }
  }

  @Test
  void aMemberOfAnotherHostFindsOthersAndSaysWhyItIsNotFound() throws Exception {
    hosts = Hosts.open("a", "b");
    String where = hosts.addressOf(0) + ":1099";
    List<String> command = LaunchedRmiRegistry.command(hosts.addressOf(0), 1099);
    Process registry = hosts.start(0, command, ProcessBuilder.Redirect.PIPE);
    assertThat(registry.inputReader().readLine()).isEqualTo("1099");
    Process alone = member(1, "--join", "rmiregistry:" + where, "--timeout", "10s");
    try (var errors = new BufferedReader(new InputStreamReader(alone.getErrorStream()))) {
      String words = "rmiregistry at " + where + " accepts names only from its own host";
      Hosts.awaitLine(errors, ".*" + Pattern.quote(words) + ".*");
    }
    BufferedReader first = member(0, "--create", "--announce", "rmiregistry:" + where).inputReader();
    Hosts.awaitLine(first, "view \\S+ primary: n0");
    Process second = member(1, "--join", "rmiregistry:" + where, "--timeout", "60s");
    Hosts.awaitLine(second.inputReader(), "view \\S+ primary: n0 n1");
    Hosts.awaitLine(first, "view \\S+ primary: n0 n1");
  }
}
