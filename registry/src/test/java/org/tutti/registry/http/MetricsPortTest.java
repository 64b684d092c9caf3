package org.tutti.registry.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.Metric;

/// A port that shows metrics, and those who ask there.
class MetricsPortTest {
  private static final List<Metric> SOME =
      List.of(
          Metric.gauge("any.open.doors", "Doors are open.").with(7),
          Metric.counter("any.doors.shut", "A door was shut.").tagged("reason", "wind").with(3),
          Metric.counter("any.doors.shut", "A door was shut.").tagged("reason", "cold").with(2));

  private MetricsPort port;

  @AfterEach
  void close() {
    port.close();
  }

  private void open(Callable<List<Metric>> metrics) throws IOException {
    port = MetricsPort.open(new InetSocketAddress("127.0.0.1", 0), metrics);
  }

  private String ask(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port.address().getPort())) {
      socket.getOutputStream().write(request.getBytes(UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void metricsAreShownAsPrometheusReadsThem() throws Exception {
    open(() -> SOME);
    String expected =
        """
        # HELP tutti_any_doors_shut_total A door was shut.
        # TYPE tutti_any_doors_shut_total counter
        tutti_any_doors_shut_total{reason="cold"} 2
        tutti_any_doors_shut_total{reason="wind"} 3
        # HELP tutti_any_open_doors Doors are open.
        # TYPE tutti_any_open_doors gauge
        tutti_any_open_doors 7
        """;
    assertThat(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4")
        .contains("\r\nContent-Length: " + expected.length() + "\r\n")
        .endsWith("\r\n\r\n" + expected);
  }

  @Test
  void whatIsNoQuestionForMetricsIsRefused() throws Exception {
    open(() -> SOME);
    assertThat(ask("GET / HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ");
    assertThat(ask("POST /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 405 ").contains("\r\nAllow: GET, HEAD\r\n");
    String filled = "POST /metrics HTTP/1.1\r\nContent-Length: 1000000\r\n\r\nx";
    assertThat(ask(filled)).startsWith("HTTP/1.1 405 ").contains("\r\nAllow: GET, HEAD\r\n");
    assertThat(ask("HEAD /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\n");
    assertThat(ask("GIOP\0\0\0\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(ask("x".repeat(100_000))).startsWith("HTTP/1.1 413 ");
  }

  @Test
  void whatIsShownMayHaveEnded() throws Exception {
    open(() -> {
      throw new IllegalStateException("the node is closed");
    });
    assertThat(ask("GET /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 503 ").contains("the node is closed");
    assertThatThrownBy(() -> MetricsPort.open(port.address(), List::of))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + port.address().getPort());
  }
}
