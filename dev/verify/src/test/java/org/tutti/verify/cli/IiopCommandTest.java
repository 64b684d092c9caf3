package org.tutti.verify.cli;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;

/// Members meet over IIOP, where it is installed.
@Timeout(120)
class IiopCommandTest {
  @Test
  void aMulticastArrivesOverIiop() throws Exception {
    TransportsTest.multicast("--group", "bank", "--transport", "iiop");
  }

  @Test
  @Tag("deep")
  void itArrivesEncryptedBetweenMembersWithCertificates(@TempDir Path directory) throws Exception {
    Path own = Authority.in(directory).issue("both", "tutti", Duration.ofDays(1));
    TransportsTest.multicast("--group", "bank", "--transport", "iiop", "--tls", own.toString());
  }
}
