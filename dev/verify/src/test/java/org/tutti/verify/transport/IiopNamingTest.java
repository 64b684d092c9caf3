package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.corba.NamingDiscovery;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.transport.Address;
import org.tutti.verify.discovery.LaunchedNamingService;

/// Members that find each other by a naming service, JacORB's and omniORB's.
class IiopNamingTest {
  private static final Address FIRST = new Address("127.0.0.1:7001");
  private static final Address SECOND = new Address("[::1]:7002");

  @TempDir Path directory;

  @Test
  void membersAreFoundByJacorbsNamingService() throws Exception {
    int port = LoopbackPorts.free();
    try (AutoCloseable _ = LaunchedNamingService.ofJacorb(port, directory)) {
      membersAreFound(new Address("127.0.0.1:" + port));
    }
  }

  @Test
  void membersAreFoundByOmniNames() throws Exception {
    int port = LoopbackPorts.free();
    try (AutoCloseable _ = LaunchedNamingService.ofOmniOrb(port, directory)) {
      membersAreFound(new Address("127.0.0.1:" + port));
    }
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
}
