package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.LogRecords;
import org.tutti.net.udp.UdpKeys;
import org.tutti.tls.Credentials;
import org.tutti.tls.SecretFile;

/// Who starts a node whose keys others may read is told so.
final class SecretFileTest {
  @TempDir Path directory;

  /// What is logged while something is done.
  private static List<String> warnings(Reading reading) throws IOException {
    try (var log = new LogRecords(SecretFile.class.getName())) {
      reading.read();
      return log.all().stream().map(LogRecord::getMessage).toList();
    }
  }

  private interface Reading {
    void read() throws IOException;
  }

  private static void permit(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void aPrivateKeyThatOthersMayReadIsWarnedOf() throws IOException {
    Path member = Authority.in(directory).issue("n1", "tutti", Duration.ofDays(1));
    assertThat(warnings(() -> Credentials.load(member))).isEmpty();
    permit(member.resolve("key.pem"), "rw-r-----");
    assertThat(warnings(() -> Credentials.load(member)))
        .singleElement()
        .asString()
        .contains("other users may use the key in " + member.resolve("key.pem"));
  }

  @Test
  void aKeyOfUdpThatOthersMayReadIsWarnedOf() throws IOException {
    Path file = Files.writeString(directory.resolve("udp.key"), "ab".repeat(32) + "\n");
    permit(file, "rw-------");
    assertThat(warnings(() -> UdpKeys.follow(file))).isEmpty();
    permit(file, "rw----r--");
    assertThat(warnings(() -> UdpKeys.follow(file))).singleElement().asString().contains("chmod 600 " + file);
  }
}
