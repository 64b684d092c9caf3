package org.tutti.replica.spi;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tutti.Metric;
import org.tutti.spi.Admission;

/// Shows metrics to Prometheus, and to people with `curl`, at `/metrics` over HTTP:
///
/// ```java
/// try (var port = MetricsPort.open(new InetSocketAddress("127.0.0.1", 9100), () -> node.metrics())) {
///   // curl http://127.0.0.1:9100/metrics
/// }
/// ```
///
/// It knows nobody and has no TLS: whoever opens it decides where it may listen. A connection has one request; those
/// who connect and say nothing shut it for nobody ([Admission]). Metrics are read for one request at a time, as reading
/// may wait for an engine thread that does not turn; others are told so after two seconds.
///
/// **Threads**: one accepts, and a virtual one for each connection.
public final class MetricsPort implements AutoCloseable {
  private static final int CONNECTIONS_MAX = 50;
  private static final int REQUEST_BYTES_MAX = 8192;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long READING_SECONDS_MAX = 2;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final ServerSocket server;
  private final Callable<? extends Collection<Metric>> metrics;
  private final Admission<Closeable> admission = new Admission<>(CONNECTIONS_MAX, PATIENCE);
  private final Semaphore reading = new Semaphore(1);

  private MetricsPort(ServerSocket server, Callable<? extends Collection<Metric>> metrics) {
    this.server = server;
    this.metrics = metrics;
  }

  /// Listens and answers from now on.
  ///
  /// @param at      where; port 0: any free one
  /// @param metrics are read for each request; may throw, when there are none
  /// @return is listening
  /// @throws IOException when the address cannot be used
  public static MetricsPort open(InetSocketAddress at, Callable<? extends Collection<Metric>> metrics)
      throws IOException {
    ServerSocket server = new ServerSocket();
    try {
      server.bind(at);
    } catch (IOException e) {
      server.close();
      throw new IOException("cannot listen on " + at.getHostString() + ":" + at.getPort() + ": " + e.getMessage(), e);
    }
    MetricsPort port = new MetricsPort(server, metrics);
    Thread.ofPlatform().daemon().name("tutti-metrics").start(port::accept);
    return port;
  }

  /// Where it listens.
  ///
  /// @return with the port that it has
  public InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        if (admission.admit(socket)) {
          Thread.ofVirtual().name("tutti-metrics answer").start(() -> answer(socket));
        } else {
          socket.close();
        }
      } catch (IOException _) {
        // It is closed, or there are no descriptors: the next one may come when some are free.
        pause();
      }
    }
  }

  private void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(server.isClosed() ? 0 : 100);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      String request = request(socket.getInputStream());
      byte[] answer = answer(request).getBytes(StandardCharsets.UTF_8);
      socket.getOutputStream().write(answer);
      socket.shutdownOutput();
    } catch (IOException _) {
      // Whoever asked is gone, or its time was over.
    } finally {
      admission.left(socket);
    }
  }

  /// The first line of a request that came whole, or what there is of it.
  private static String request(InputStream in) throws IOException {
    var text = new StringBuilder();
    while (text.length() < REQUEST_BYTES_MAX && text.indexOf("\r\n\r\n") < 0 && text.indexOf("\n\n") < 0) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      text.append((char) next);
    }
    return text.toString().lines().findFirst().orElse("");
  }

  private String answer(String request) {
    String[] words = request.split(" ");
    if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
      return answer("400 Bad Request", TEXT, "no request\n");
    } else if (!words[0].equals("GET")) {
      return answer("405 Method Not Allowed", TEXT, "GET only\n");
    } else if (!words[1].equals("/metrics")) {
      return answer("404 Not Found", TEXT, "/metrics\n");
    }
    try {
      if (reading.tryAcquire(READING_SECONDS_MAX, TimeUnit.SECONDS)) {
        try {
          return answer("200 OK", PrometheusText.TYPE, PrometheusText.of(metrics.call()));
        } finally {
          reading.release();
        }
      }
      return answer("503 Service Unavailable", TEXT, "the engine does not turn\n");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return answer("503 Service Unavailable", TEXT, "closing\n");
    } catch (Exception e) { // what metrics are read from has ended
      return answer("503 Service Unavailable", TEXT, e + "\n");
    }
  }

  private static String answer(String status, String type, String body) {
    return "HTTP/1.1 "
        + status
        + "\r\nContent-Type: "
        + type
        + "\r\nContent-Length: "
        + body.getBytes(StandardCharsets.UTF_8).length
        + "\r\nConnection: close\r\n\r\n"
        + body;
  }

  /// Ends all connections.
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException _) {
      // Nobody can connect in any case.
    }
    admission.close();
  }
}
