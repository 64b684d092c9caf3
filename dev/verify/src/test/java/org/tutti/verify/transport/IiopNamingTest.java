package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.tutti.fixture.Station.until;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.corba.NamingDiscovery;
import org.tutti.transport.Address;
import org.tutti.verify.LoopbackPorts;

/// Members that find each other by a naming service, JacORB's and omniORB's.
class IiopNamingTest {
  private static final Address FIRST = new Address("127.0.0.1:7001");
  private static final Address SECOND = new Address("[::1]:7002");

  @TempDir Path directory;
  private @Nullable Process server;

  @AfterEach
  void end() throws InterruptedException {
    if (server != null) {
      server.destroyForcibly().waitFor();
    }
  }

  @Test
  void membersAreFoundByJacorbsNamingService() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        start(
            java,
            "-cp",
            System.getProperty("java.class.path"),
            "-DOAIAddr=127.0.0.1",
            "-Djacorb.naming.print_ior=on",
            "org.jacorb.naming.NameServer");
    BufferedReader said = process.inputReader();
    String line = said.readLine();
    while (!line.startsWith("SERVER IOR: ")) {
      line = said.readLine();
    }
    int port = IiopInteropTest.portIn(line.substring("SERVER IOR: ".length()));
    membersAreFound(new Address("127.0.0.1:" + port));
  }

  @Test
  void membersAreFoundByOmniNames() throws Exception {
    IiopPrograms.assume(
        Files.isExecutable(Path.of("/usr/bin/omniNames")),
        "omniNames is not installed (Debian: apt-get install omniorb-nameserver): no naming service of another ORB");
    int port = LoopbackPorts.free();
    start(
        "omniNames",
        "-start",
        "" + port,
        "-datadir",
        directory.toString(),
        "-ORBendPoint",
        "giop:tcp:127.0.0.1:" + port);
    Address at = new Address("127.0.0.1:" + port);
    try (NamingDiscovery looking = NamingDiscovery.onlooker(at, "bank")) {
      until("the service", () -> isThere(looking));
    }
    membersAreFound(at);
  }

  @Test
  void noNamingServiceIsSaidInOneLine() throws Exception {
    try (NamingDiscovery looking = NamingDiscovery.onlooker(new Address("127.0.0.1:1"), "bank")) {
      assertThatIOException()
          .isThrownBy(looking::find)
          .withMessageStartingWith("no answer of the naming service at 127.0.0.1:1")
          .withMessageNotContaining("\n");
    }
  }

  private static void membersAreFound(Address service) throws IOException {
    try (NamingDiscovery looking = NamingDiscovery.onlooker(service, "bank");
        NamingDiscovery other = NamingDiscovery.member(service, "other", "n1", FIRST);
        NamingDiscovery first = NamingDiscovery.member(service, "bank", "n1", FIRST)) {
      until("the service", () -> isThere(looking)); // its first answer may take long
      assertThat(other.find()).containsExactly(FIRST);
      assertThat(first.find()).containsExactly(FIRST);
      NamingDiscovery second = NamingDiscovery.member(service, "bank", "n2", SECOND);
      assertThat(second.find()).containsExactlyInAnyOrder(FIRST, SECOND);
      assertThat(first.find()).containsExactlyInAnyOrder(FIRST, SECOND);
      assertThat(looking.find()).containsExactlyInAnyOrder(FIRST, SECOND);
      second.close();
      assertThat(looking.find()).containsExactly(FIRST);
      try (NamingDiscovery again = NamingDiscovery.member(service, "bank", "n1", SECOND)) {
        again.find();
        assertThat(looking.find()).as("the address of an earlier life").containsExactly(SECOND);
      }
    }
  }

  private static boolean isThere(NamingDiscovery looking) {
    try {
      return looking.find().isEmpty();
    } catch (IOException _) {
      return false;
    }
  }

  private Process start(String... command) throws IOException {
    Process process =
        new ProcessBuilder(List.of(command)).directory(directory.toFile()).redirectErrorStream(true).start();
    server = process;
    return process;
  }
}
