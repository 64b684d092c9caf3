package org.tutti.registry.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tutti.Metric;

/// Shows metrics to Prometheus, and to people with `curl`, at `/metrics` over HTTP, without TLS: whoever opens it
/// decides where it may listen.
///
/// Metrics are read for one request at a time, as reading may wait for an engine thread that does not turn; others are
/// told so after two seconds.
public final class MetricsPort implements AutoCloseable {
  private static final List<String> READING = List.of("GET", "HEAD");
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final long READING_SECONDS_MAX = 2;
  private static final int CONTENT_MAX = 0;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int UNAVAILABLE = 503;

  private final HttpPort port;
  private final Callable<? extends Collection<Metric>> metrics;
  private final Semaphore reading = new Semaphore(1);

  private MetricsPort(InetSocketAddress at, Callable<? extends Collection<Metric>> metrics) throws IOException {
    this.metrics = metrics;
    this.port = new HttpPort(at, null, HttpPort.Clients.ANY, CONTENT_MAX, this::answer);
  }

  /// Listens and answers from now on.
  ///
  /// @param at      where; port 0: any free one
  /// @param metrics are read for each request; may throw, when there are none
  /// @return is listening
  /// @throws IOException when the address cannot be used
  public static MetricsPort open(InetSocketAddress at, Callable<? extends Collection<Metric>> metrics)
      throws IOException {
    try {
      var opened = new MetricsPort(at, metrics);
      opened.port.start();
      return opened;
    } catch (IOException e) {
      throw new IOException("cannot listen on " + at.getHostString() + ":" + at.getPort() + ": " + e.getMessage(), e);
    }
  }

  /// Where it listens.
  ///
  /// @return with the port that it has
  public InetSocketAddress address() {
    return port.address();
  }

  private HttpPort.Answer answer(HttpPort.Asked asked) {
    try {
      if (asked.method() instanceof String method && !READING.contains(method)) {
        return new HttpPort.Answer(WRONG_METHOD, TEXT, bytes("GET only"), String.join(", ", READING));
      }
      HttpPort.Request request = asked.request();
      return request.path().equals("/metrics") ? read() : text(NOT_FOUND, "/metrics");
    } catch (HttpPort.Malformed wrong) {
      return text(wrong.status, String.valueOf(wrong.getMessage()));
    }
  }

  private HttpPort.Answer read() {
    try {
      if (!reading.tryAcquire(READING_SECONDS_MAX, TimeUnit.SECONDS)) {
        return text(UNAVAILABLE, "the engine does not turn");
      }
      try {
        byte[] all = PrometheusText.of(metrics.call()).getBytes(StandardCharsets.UTF_8);
        return new HttpPort.Answer(OK, PrometheusText.TYPE, all);
      } finally {
        reading.release();
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return text(UNAVAILABLE, "closing");
    } catch (Exception e) { // what metrics are read from has ended
      return text(UNAVAILABLE, String.valueOf(e.getMessage()));
    }
  }

  private static HttpPort.Answer text(int status, String line) {
    return new HttpPort.Answer(status, TEXT, bytes(line));
  }

  private static byte[] bytes(String line) {
    return (line + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /// Ends all connections.
  @Override
  public void close() {
    port.close();
  }
}
