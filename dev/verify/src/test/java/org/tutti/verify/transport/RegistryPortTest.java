package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.Metric;
import org.tutti.fixture.Told;
import org.tutti.registry.Registry;
import org.tutti.registry.RegistryConfig;
import org.tutti.tls.Credentials;

final class RegistryPortTest extends TlsPortContract {
  private static final String QUESTION = "GET /v1/counters HTTP/1.1\r\nHost: here\r\n\r\n";

  private static final int MANY = 2000;
  private static final Duration SOON = Duration.ofSeconds(4); // who waits for a silent one waits five

  private @Nullable Registry opened;

  @Override
  int most() {
    return 512;
  }

  @Test
  void besideTwoThousandSilentConnectionsItAnswersBeforeTheyEnd() throws IOException {
    OpenPort at = opened(null);
    assertThat(answers(at)).isTrue();
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 1; i <= MANY; i++) {
        silent.add(new Socket("127.0.0.1", at.port()));
        if (i == most() || i % 500 == 0) {
          long start = System.nanoTime();
          assertThat(answers(at)).as("served beside " + i).isTrue();
          assertThat(Duration.ofNanos(System.nanoTime() - start)).as("beside " + i).isLessThan(SOON);
        }
      }
      List<Metric> told = Objects.requireNonNull(opened).metrics();
      assertThat(Told.of(told, "{reason=crowded-out}") + Told.of(told, "{reason=greeting-timeout}"))
          .isGreaterThanOrEqualTo(MANY - most());
    } finally {
      for (Socket one : silent) {
        one.close();
      }
    }
  }

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    Registry registry =
        Registry.open(
            new InetSocketAddress("127.0.0.1", 0),
            RegistryConfig.expecting(3),
            null,
            tls == null ? null : tls.context(),
            _ -> {});
    opened = registry;
    return new OpenPort() {
      @Override
      public int port() {
        return registry.address().getPort();
      }

      @Override
      public byte[] question() {
        return QUESTION.getBytes(StandardCharsets.US_ASCII);
      }

      @Override
      public void close() {
        registry.close();
      }
    };
  }
}
