package org.tutti.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Asks a running member, where [Health] answers: the options of the commands that do so.
final class HealthClient {
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);
  private static final int BYTES_MAX = 4 << 20; // of a group of some thousand members
  private static final String REFUSED = "Received fatal alert: certificate_unknown"; // also one for another role
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where the member that is asked answers health checks: its --health.")
  Address at = new Address("127.0.0.1:0");

  @Option(
      names = "--tls",
      paramLabel = "DIR",
      description = {
        "Ask over HTTPS, as a member answers that does not listen on loopback; DIR has the cert.pem, key.pem and"
            + " ca.pem to show. A member on loopback, which has no TLS there, is asked over HTTP all the same."
      })
  @Nullable Path tls;

  @Mixin Settings.Options settings = new Settings.Options();

  private Duration wait = WAIT_MAX;

  HealthClient() {}

  HealthClient(Address at, @Nullable Path tls) {
    this.at = at;
    this.tls = tls;
  }

  /// Waits for each answer no longer than this, and than usual.
  HealthClient within(Duration most) {
    wait = most.compareTo(WAIT_MAX) < 0 ? most : WAIT_MAX;
    return this;
  }

  /// The status, as [Health] writes it: at least a group, words, and maybe a view.
  ///
  /// @throws Failure when nobody answers, or not as a member does
  Map<String, Object> status() throws InterruptedException {
    return ask(this::status);
  }

  /// A status, and how long it took to come.
  ///
  /// @param status    as of [#status()]
  /// @param sent      when it was asked for, by the clock of this host
  /// @param roundTrip from then until it was here
  record Timed(Map<String, Object> status, Instant sent, Duration roundTrip) {}

  /// Asks for the status several times, over one connection if the member keeps it.
  ///
  /// @param times at least 1
  /// @return the one that took the least time
  /// @throws Failure when nobody answers, or not as a member does
  Timed quickest(int times) throws InterruptedException {
    return ask(server -> {
      Timed quickest = timed(server);
      for (int more = 1; more < times; more++) {
        Timed next = timed(server);
        quickest = next.roundTrip.compareTo(quickest.roundTrip) < 0 ? next : quickest;
      }
      return quickest;
    });
  }

  private Timed timed(Server server) throws IOException, InterruptedException {
    Instant sent = Instant.now();
    long begin = System.nanoTime();
    Map<String, Object> status = status(server);
    return new Timed(status, sent, Duration.ofNanos(System.nanoTime() - begin));
  }

  private Map<String, Object> status(Server server) throws IOException, InterruptedException {
    return read("status", "words", server.get("status"));
  }

  /// The last lines of the log, as [Health] writes them.
  ///
  /// @throws Failure when nobody answers, or not as a member does
  List<Map<?, ?>> log() throws InterruptedException {
    return objects(ask(server -> read("log", "events", server.get("log"))).get("events"));
  }

  /// What a member says of itself.
  ///
  /// @param yes   whether it does
  /// @param words how it stands
  record Verdict(boolean yes, String words) {}

  /// Whether it is `ready` or `live`.
  ///
  /// @throws Failure when nobody answers, or not as a member does
  Verdict verdict(String what) throws InterruptedException {
    return ask(server -> verdict(server.get("health/" + what)));
  }

  /// Who answers there.
  private interface Server {
    HttpResponse<InputStream> get(String path) throws IOException, InterruptedException;
  }

  /// What is asked, and how the answers are read.
  private interface Asking<T> {
    T of(Server server) throws IOException, InterruptedException;
  }

  /// A member has no TLS on loopback, whatever a file of options says of the certificate to show.
  private <T> T ask(Asking<T> asking) throws InterruptedException {
    if (tls == null || !Health.isLoopback(at)) {
      return ask(asking, tls);
    }
    try {
      return ask(asking, tls);
    } catch (Failure e) {
      if (e.getCause() instanceof SSLException) {
        try {
          return ask(asking, null);
        } catch (Failure neither) {
          // The first one is told.
        }
      }
      throw e;
    }
  }

  private <T> T ask(Asking<T> asking, @Nullable Path shown) throws InterruptedException {
    String scheme = shown == null ? "http://" : "https://";
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(wait);
    if (shown != null) {
      builder.sslContext(TransportOption.credentials(shown).context());
    }
    try (HttpClient client = builder.build()) {
      try {
        return asking.of(path -> {
          URI uri = URI.create(scheme + at + "/" + path);
          HttpRequest request = HttpRequest.newBuilder(uri).timeout(wait).build();
          return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        });
      } finally {
        client.shutdownNow(); // a close alone would wait for an answer that does not end
      }
    } catch (ConnectException refused) {
      throw new Failure("nobody listens at " + at + ": give the address of tutti member --health", refused);
    } catch (HttpTimeoutException late) {
      throw new Failure("no answer from " + at + " for " + TimeConverter.show(wait), late);
    } catch (SSLException e) {
      String words = String.valueOf(e.getMessage());
      String refusal = words.contains(REFUSED) ? "; it refuses this certificate: use one for operator or member" : "";
      throw new Failure("no TLS with " + at + ": " + words + refusal, e);
    } catch (IOException e) {
      String secured = tls == null ? ", and --tls DIR if it is not on loopback" : "";
      throw new Failure(other(String.valueOf(e.getMessage())) + secured, e);
    }
  }

  private Verdict verdict(HttpResponse<InputStream> answer) throws IOException {
    if (answer.statusCode() != OK && answer.statusCode() != UNAVAILABLE) {
      throw new Failure(other("HTTP status " + answer.statusCode()));
    }
    try (InputStream in = answer.body()) {
      String words = new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8).strip();
      return new Verdict(answer.statusCode() == OK, words);
    }
  }

  private Map<String, Object> read(String what, String field, HttpResponse<InputStream> answer) throws IOException {
    if (answer.statusCode() != OK) {
      throw new Failure(other("HTTP status " + answer.statusCode()));
    }
    byte[] body;
    try (InputStream in = answer.body()) {
      body = in.readNBytes(BYTES_MAX);
    }
    Map<String, Object> read;
    try {
      read = JSON.std.mapFrom(body);
    } catch (IOException noJson) {
      throw new Failure(other("no JSON"), noJson);
    }
    if (!(read.get("group") instanceof String) || read.get(field) == null) {
      throw new Failure(other("no " + what + " of a group"));
    }
    return read;
  }

  private String other(String what) {
    return at + " does not answer as a member does (" + what + "): give the address of tutti member --health";
  }

  /// An object within an answer; empty when there is none.
  static Map<?, ?> object(@Nullable Object value) {
    return value instanceof Map<?, ?> object ? object : Map.of();
  }

  /// The objects of a list within an answer.
  static List<Map<?, ?>> objects(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().<Map<?, ?>>map(HealthClient::object).toList() : List.of();
  }
}
