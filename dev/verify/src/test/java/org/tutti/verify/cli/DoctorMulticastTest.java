package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.verify.lab.Hosts;

/// `tutti doctor` tells whether multicasts arrive, between namespaces that the test makes and removes.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorMulticastTest {
  private static final String GROUP = "239.192.7.7:7400@eth0";
  private static final String DISCOVERY = "multicast:239.192.7.9:7410@eth0";

  @TempDir Path directory;

  private Hosts hosts;

  @AfterEach
  void end() {
    if (hosts != null) {
      hosts.close();
    }
  }

  private BufferedReader tutti(int host, String multicast, String command, String... more) throws Exception {
    String[] args =
        Stream.of(new String[] {command, "--group=bank", "--transport=udp", "--insecure"}, more)
            .flatMap(Stream::of)
            .toArray(String[]::new);
    List<String> java = List.of("-Dtutti.udp.key=" + directory.resolve("key"), "-Dtutti.udp.multicast=" + multicast);
    return hosts.start(host, TuttiCommand.of(java, args), ProcessBuilder.Redirect.INHERIT).inputReader();
  }

  private List<String> multicasts(String group, String contacts, String timeout) throws Exception {
    return tutti(1, group, "doctor", "--join=" + contacts, "--timeout=" + timeout)
        .lines()
        .filter(line -> line.contains(" multicast ") && !line.contains("interface"))
        .toList();
  }

  @Test
  void whoGetsThemIsTold() throws Exception {
    hosts = Hosts.open("a", "b");
    Path key = Files.writeString(directory.resolve("key"), "11".repeat(32));
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    String at = hosts.addressOf(0) + ":7400";
    String[] member = {"--name=n1", "--create", "--listen=" + at, "--announce=" + DISCOVERY};
    BufferedReader said = tutti(0, GROUP, "member", member);
    Hosts.awaitLine(said, "view \\S+ primary: n1");
    String arrive = "multicasts arrive there, and those from there here";
    assertThat(multicasts(GROUP, at + "," + DISCOVERY, "40s"))
        .containsExactly(
            "ok   multicast " + at + ": " + arrive,
            "ok   multicast " + DISCOVERY + ": multicasts arrive here from 1 member",
            "ok   multicast " + DISCOVERY + ": at " + at + ", " + arrive);
    assertThat(multicasts("239.192.7.8:7400@eth0", at, "10s"))
        .singleElement()
        .asString()
        .startsWith(
            "warn multicast "
                + at
                + ": multicasts arrive neither there nor from there here (waited 10 s): unicast is used; give -D");
  }
}
