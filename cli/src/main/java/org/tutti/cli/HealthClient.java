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

/// Asks a running member for its status, where [Health] answers.
final class HealthClient {
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);
  private static final int BYTES_MAX = 4 << 20; // of a group of some thousand members
  private static final int OK = 200;

  private HealthClient() {}

  /// The status, as [Health] writes it: at least a group, words, and maybe a view.
  ///
  /// @throws Failure when nobody answers, or not as a member does
  static Map<String, Object> status(Address at) throws InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + at + "/status")).timeout(WAIT_MAX).build();
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(WAIT_MAX).build()) {
      try {
        return read(at, client.send(request, HttpResponse.BodyHandlers.ofInputStream()));
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

  private static Map<String, Object> read(Address at, HttpResponse<InputStream> answer) throws IOException {
    if (answer.statusCode() != OK) {
      throw new Failure(other(at, "HTTP status " + answer.statusCode()));
    }
    byte[] body;
    try (InputStream in = answer.body()) {
      body = in.readNBytes(BYTES_MAX);
    }
    Map<String, Object> status;
    try {
      status = JSON.std.mapFrom(body);
    } catch (IOException noJson) {
      throw new Failure(other(at, "no JSON"), noJson);
    }
    if (!(status.get("group") instanceof String) || !(status.get("words") instanceof String)) {
      throw new Failure(other(at, "no status of a group"));
    }
    return status;
  }

  private static String other(Address at, String what) {
    return at + " does not answer as a member does (" + what + "): give the address of tutti member --health";
  }

  /// An object within the status; empty when there is none.
  static Map<?, ?> object(@Nullable Object value) {
    return value instanceof Map<?, ?> object ? object : Map.of();
  }

  /// The objects of a list within the status.
  static List<Map<?, ?>> objects(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().<Map<?, ?>>map(HealthClient::object).toList() : List.of();
  }
}
