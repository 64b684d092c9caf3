package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.cli.Tutti;
import org.tutti.verify.lab.Hosts;

/// `--join multicast:...` between namespaces that the test makes and removes.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MulticastJoiningTest {
  private static final String WHERE = "multicast:239.192.7.8:7410@eth0";

  private Hosts hosts;

  private BufferedReader member(int node, String... how) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--insecure"));
    args.addAll(List.of("--listen", hosts.addressOf(node) + ":0", "--name", "n" + node));
    args.addAll(List.of(how));
    return hosts.start(node, Hosts.java(Tutti.class, args, "-Xmx128m"), ProcessBuilder.Redirect.INHERIT).inputReader();
  }

  @AfterEach
  void end() {
    if (hosts != null) {
      hosts.close();
    }
  }

  @Test
  void membersOfASegmentFindEachOther() throws Exception {
    hosts = Hosts.open("a", "b", "c");
    BufferedReader second = member(1, "--join", WHERE, "--timeout", "60s");
    BufferedReader other = member(2, "--join", WHERE, "--cluster", "other", "--timeout", "8s");
    BufferedReader first = member(0, "--create", "--announce", WHERE);
    Hosts.awaitLine(first, "view \\S+ primary: n0 n1");
    Hosts.awaitLine(second, "view \\S+ primary: n0 n1");
    assertThat(other.lines().toList()).singleElement().asString().startsWith("n2 listens on ");
  }
}
