package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.cli.Launched.tutti;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Members meet over the transport that they name.
@Timeout(120)
class TransportsTest {
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rmi", "grpc"})
  void aMulticastArrivesOverTheTransportThatIsNamed(String transport) throws Exception {
    try (Launched member =
        tutti(
            "member",
            "--group",
            "bank",
            "--transport",
            transport,
            "--listen",
            "127.0.0.1:0",
            "--create",
            "--name",
            "n1")) {
      String contact = member.lineMatching("n1 listens on .*").replaceFirst(".* on ", "");
      try (Launched send =
          tutti("send", "--group", "bank", "--transport", transport, "--join", contact, "--name", "s")) {
        send.type("hello\n");
        send.endInput();
        assertThat(send.line()).isEqualTo("0");
        assertThat(send.exitCode()).isZero();
        assertThat(send.errors()).as("warnings").isEmpty();
      }
      assertThat(member.lineMatching("0 .*")).isEqualTo("0 s: hello");
      member.signal();
      assertThat(member.exitCode()).isZero();
      assertThat(member.errors()).as("warnings").isEmpty();
    }
  }
}
