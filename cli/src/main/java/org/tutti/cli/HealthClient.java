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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;

/// Asks a running member, where [Health] answers.
final class HealthClient {
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);
  private static final int BYTES_MAX = 4 << 20; // of a group of some thousand members
  private static final int OK = 200;

  private HealthClient() {}

  /// The status, as [Health] writes it: at least a group, words, and maybe a view.
  ///
  /// @throws Failure when nobody answers, or not as a member does
  static Map<String, Object> status(Address at) throws InterruptedException {
    return get(at, "status", "words");
  }

  /// The last lines of the log, as [Health] writes them.
  ///
  /// @throws Failure when nobody answers, or not as a member does
  static List<Map<?, ?>> log(Address at) throws InterruptedException {
    return objects(get(at, "log", "events").get("events"));
  }

  private static Map<String, Object> get(Address at, String what, String field) throws InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + at + "/" + what)).timeout(WAIT_MAX).build();
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(WAIT_MAX).build()) {
      try {
        return read(at, what, field, client.send(request, HttpResponse.BodyHandlers.ofInputStream()));
      } finally {
        client.shutdownNow(); // a close alone would wait for an answer that does not end
      }
    } catch (ConnectException refused) {
      throw new Failure("nobody listens at " + at + ": give the address of tutti member --health", refused);
    } catch (HttpTimeoutException late) {
      throw new Failure("no answer from " + at + " for " + WAIT_MAX.toSeconds() + " s", late);
    } catch (IOException e) {
      throw new Failure(other(at, String.valueOf(e.getMessage())), e);
    }
  }

  private static Map<String, Object> read(Address at, String what, String field, HttpResponse<InputStream> answer)
      throws IOException {
    if (answer.statusCode() != OK) {
      throw new Failure(other(at, "HTTP status " + answer.statusCode()));
    }
    byte[] body;
    try (InputStream in = answer.body()) {
      body = in.readNBytes(BYTES_MAX);
    }
    Map<String, Object> read;
    try {
      read = JSON.std.mapFrom(body);
    } catch (IOException noJson) {
      throw new Failure(other(at, "no JSON"), noJson);
    }
    if (!(read.get("group") instanceof String) || read.get(field) == null) {
      throw new Failure(other(at, "no " + what + " of a group"));
    }
    return read;
  }

  private static String other(Address at, String what) {
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
