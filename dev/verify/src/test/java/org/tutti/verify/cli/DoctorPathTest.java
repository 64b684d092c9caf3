package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.tutti.verify.transport.RoutedHosts;

/// `tutti doctor` finds out what a path lets pass, between routers of the kernel; nobody listens at its end.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorPathTest {
  private static final String NARROW =
      "warn path 10.214.3.2: datagrams of 1372 bytes pass, none of 1392: the MTU of the path is 1400 or more, below"
          + " 1420; that of interface eth0 is 1500; ";

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @AutoClose private final RoutedHosts hosts = new RoutedHosts();

  private String path() throws Exception {
    List<String> doctor =
        TuttiCommand.of(
            List.of(),
            "doctor",
            "--group=bank",
            "--join=" + RoutedHosts.B + ":7400," + RoutedHosts.B + ":7401",
            "--insecure",
            "--timeout=20s");
    CommandProcess process = tutti.start(hosts.at("a", doctor));
    List<String> paths = process.rest().stream().filter(line -> line.contains(" path ")).toList();
    assertThat(paths).as("one for a host").hasSize(1);
    return paths.getFirst();
  }

  @Test
  void aPathAsWideAsTheInterfaceIsWell() throws Exception {
    hosts.build(1500, true);
    assertThat(path()).isEqualTo("ok   path 10.214.3.2: datagrams of 1472 bytes pass, MTU 1500");
    hosts.silence("b");
    assertThat(path()).isEqualTo("ok   path 10.214.3.2: not known: nothing answers datagrams (a firewall between)");
  }

  @Test
  void aNarrowPathThatNobodyTellsIsABlackHole() throws Exception {
    hosts.build(1400, true);
    assertThat(path()).startsWith(NARROW + "nobody says so, thus connections stop at large messages only");
  }

  @Test
  void aNarrowPathThatRoutersTellIsToldToo() throws Exception {
    hosts.build(1400, false);
    assertThat(path()).startsWith(NARROW + "right if a tunnel is between");
    assertThat(path()).as("the kernel has kept it").startsWith(NARROW + "right if a tunnel is between");
  }

  @Test
  void aHostThatHasAnsweredEnoughForNowIsAskedUntilItIsKnown() throws Exception {
    hosts.build(1400, true);
    for (int i = 0; i < 4; i++) { // the kernel answers six times, then once in a second
      assertThat(path()).as("time " + i).startsWith(NARROW + "nobody says so");
    }
  }
}
