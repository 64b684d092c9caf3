package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.fixture.LoopbackPorts;

/// A member that an operator runs, and runs again: a process of `tutti member`, its log, and what it answers over HTTP.
final class RehearsedMember {
  private static final long SECONDS_MAX = 60;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(4);
  private static final int OK = 200;
  private static final Pattern LOGGED = Pattern.compile("\\S+ (INFO|WARNING|SEVERE) org\\.tutti\\S* (.*)");

  final String name;
  final String address = LoopbackPorts.address();
  final String health = LoopbackPorts.address();
  private final Path errors;
  private final Path output;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build();
  private Map<String, Long> before = Map.of(); // metrics at the mark
  private int mark; // lines of the log that were there before
  private @Nullable Process process;

  RehearsedMember(String name, Path directory) {
    this.name = name;
    this.errors = directory.resolve(name + ".log");
    this.output = directory.resolve(name + ".out");
  }

  /// Starts it.
  ///
  /// @param unread whether nobody reads what it prints, until [#read]
  void start(ProcessBuilder builder, boolean unread) throws IOException {
    builder.redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
    if (!unread) {
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
    }
    process = builder.start();
  }

  /// Reads what it prints from now on.
  void read() {
    InputStream printed = running().getInputStream();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            printed.transferTo(OutputStream.nullOutputStream());
          } catch (IOException ended) {
            // The process has ended.
          }
        });
  }

  private Process running() {
    Process now = process;
    assertThat(now).as("process of " + name).isNotNull();
    return now;
  }

  void signal(String signal) throws IOException, InterruptedException {
    String id = Long.toString(running().pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, id).inheritIO().start().waitFor()).isZero();
  }

  int exitCode() throws InterruptedException {
    assertThat(running().waitFor(SECONDS_MAX, TimeUnit.SECONDS)).as(name + " ends").isTrue();
    return running().exitValue();
  }

  /// Kills it.
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
    http.close();
  }

  // ---- what it says ----------------------------------------------------------------------------------------------

  /// From here on the log is looked at, and metrics are compared with those of now.
  void mark() throws IOException {
    mark = logged().size();
    Map<String, Long> now = metrics();
    before = now == null ? Map.of() : now;
  }

  private List<String> logged() throws IOException {
    return Files.exists(errors) ? Files.readString(errors).lines().toList() : List.of();
  }

  /// Waits for a line of the log, or another one on standard error, since the mark.
  ///
  /// @param regex what the whole text of it is like
  /// @return the line without time and logger
  String log(String regex) {
    var found = new String[1];
    await(
        "a line of " + name + " like " + regex,
        () -> {
          found[0] = find(Pattern.compile(regex));
          return found[0] != null;
        });
    return found[0];
  }

  /// Whether the log has such a line since the mark.
  boolean hasLogged(String regex) {
    return find(Pattern.compile(regex)) != null;
  }

  private @Nullable String find(Pattern wanted) {
    try {
      List<String> lines = logged();
      for (String line : lines.subList(Math.min(mark, lines.size()), lines.size())) {
        Matcher parts = LOGGED.matcher(line);
        boolean record = parts.matches();
        if (wanted.matcher(record ? parts.group(2) : line).matches()) {
          return record ? parts.group(1) + " " + parts.group(2) : line;
        }
      }
      return null;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// Waits until a metric is greater than at the mark.
  ///
  /// @param key as Prometheus reads it
  String grows(String key) {
    await(
        key + " of " + name + " grows",
        () -> {
          Map<String, Long> now = metrics();
          return now != null && now.getOrDefault(key, 0L) > before.getOrDefault(key, 0L);
        });
    return key;
  }

  private @Nullable Map<String, Long> metrics() {
    HttpResponse<String> answer = get("/metrics");
    if (answer == null || answer.statusCode() != OK) {
      return null;
    }
    var values = new HashMap<String, Long>();
    answer
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(line -> values.put(line.replaceFirst(" \\S+$", ""), Long.parseLong(line.replaceFirst(".* ", ""))));
    return values;
  }

  /// What `/health/ready` and `/health/live` answer.
  String codes() {
    HttpResponse<String> ready = get("/health/ready");
    HttpResponse<String> live = get("/health/live");
    return ready == null || live == null
        ? name + ": no answer"
        : name + ": ready " + ready.statusCode() + ", live " + live.statusCode();
  }

  /// Its status; empty while it does not answer.
  Map<String, Object> status() {
    HttpResponse<String> answer = get("/status");
    try {
      return answer == null ? Map.of() : JSON.std.mapFrom(answer.body());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// The words of its status, that it serves, and with nothing to complain of.
  boolean isWhole(int members) {
    Map<String, Object> status = status();
    return Boolean.TRUE.equals(status.get("serving"))
        && members(status).size() == members
        && List.of().equals(status.get("waits"))
        && List.of().equals(status.get("refused"));
  }

  /// Who is in the view of a status.
  static List<String> members(Map<String, Object> status) {
    return status.get("view") instanceof Map<?, ?> view && view.get("members") instanceof List<?> members
        ? members.stream().map(one -> String.valueOf(((Map<?, ?>) one).get("name"))).toList()
        : List.of();
  }

  private @Nullable HttpResponse<String> get(String path) {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + health + path)).timeout(ANSWER_MAX).build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException nobody) {
      return null;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("time until " + what).isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }
}
