package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.cli.CommandProcess.tutti;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.certs.Authority;

/// Members meet over the transport that they name.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class TransportsTest {
  @ParameterizedTest
  @ValueSource(strings = {"rmi", "grpc"})
  void aMulticastArrivesOverTheTransportThatIsNamed(String transport) throws Exception {
    multicast("--group", "bank", "--transport", transport);
  }

  /// Other tests do not name it.
  @Test
  @Tag("deep")
  void aMulticastArrivesOverTcpAlsoWhenItIsNamed() throws Exception {
    multicast("--group", "bank", "--transport", "tcp");
  }

  @ParameterizedTest
  @Tag("deep")
  @ValueSource(strings = {"rmi", "grpc"})
  void itArrivesEncryptedBetweenMembersWithCertificates(String transport, @TempDir Path directory) throws Exception {
    Path own = Authority.in(directory).issue("both", "tutti", Duration.ofDays(1));
    multicast("--group", "bank", "--transport", transport, "--tls", own.toString());
  }

  static void multicast(String... options) throws Exception {
    try (CommandProcess member =
        tutti(with(options, "member", "--listen", "127.0.0.1:0", "--create", "--name", "n1"))) {
      String contact = member.address();
      try (CommandProcess send = tutti(with(options, "send", "--join", contact, "--name", "s", "--timeout", "60s"))) {
        send.type("hello\n");
        send.endInput();
        assertThat(send.line()).isEqualTo("0");
        assertThat(send.exitCode()).isZero();
        // On a busy machine one may look crashed to the other, and the line is decided in the next view.
        assertThat(send.errors())
            .as("warnings")
            .allMatch(line -> line.startsWith("line 1 is undecided: not in a primary"));
      }
      assertThat(member.lineMatching("0 .*")).isEqualTo("0 s: hello");
      member.signal("TERM");
      assertThat(member.exitCode()).isZero();
      assertThat(member.errors()).as("warnings").isEmpty();
    }
  }

  private static String[] with(String[] options, String... command) {
    return Stream.concat(Stream.of(command), Stream.of(options)).toArray(String[]::new);
  }
}
