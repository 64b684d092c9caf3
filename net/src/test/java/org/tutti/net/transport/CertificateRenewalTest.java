package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.certs.Authority;
import org.tutti.fixture.LogRecords;
import org.tutti.tls.Credentials;

/// Whose certificate has to be renewed soon is told so, before peers refuse it.
final class CertificateRenewalTest {
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  @TempDir Path directory;

  private Path issued(Duration old, Duration left) throws IOException {
    return Authority.in(directory).issue("n1", "tutti", now.minus(old), now.plus(left));
  }

  private static List<String> warnings(Path member) throws IOException {
    try (var log = new LogRecords(Credentials.class.getName())) {
      Credentials.load(member).reload();
      return log.all().stream().map(CertificateRenewalTest::text).toList();
    }
  }

  private static String text(LogRecord record) {
    return MessageFormat.format(record.getMessage(), record.getParameters());
  }

  @ParameterizedTest
  @CsvSource({"P83D, P6D", "PT19H, PT5H", "P2D, PT-1H"})
  void oneIsToBeRenewed(Duration old, Duration left) throws IOException {
    Path member = issued(old, left);
    assertThat(warnings(member))
        .containsExactly("the certificate in " + member + " is valid until " + now.plus(left) + ": renew it");
  }

  @ParameterizedTest
  @CsvSource({"P82D, P8D", "PT1H, PT23H", "P0D, P1D"})
  void oneLastsLongEnough(Duration old, Duration left) throws IOException {
    assertThat(warnings(issued(old, left))).isEmpty();
  }

  @Test
  void whoHasNoneIsToldNothing() throws IOException {
    issued(Duration.ofDays(2), Duration.ofHours(-1));
    try (var log = new LogRecords(Credentials.class.getName())) {
      assertThat(Credentials.trusting(directory.resolve("n1"), "tutti").roles()).isEmpty();
      assertThat(log.all()).isEmpty();
    }
  }
}
