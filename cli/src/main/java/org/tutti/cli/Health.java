package org.tutti.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Group;
import org.tutti.GroupMetrics;
import org.tutti.LatencyHistogram;
import org.tutti.LoggedEvent;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.registry.http.HttpPort;
import org.tutti.registry.http.PrometheusText;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

/// A member's health over HTTP, for probes, for Prometheus and for people with `curl`; read only.
///
/// | path | answer |
/// | --- | --- |
/// | `/health/ready` | 200 while the member is ready, as said below; else 503 |
/// | `/health/live` | 200 while the node's engine thread takes turns; else 503 |
/// | `/status` | the group's status as JSON |
/// | `/log` | the last lines of the group's log as JSON |
/// | `/metrics` | the node's metrics and the group's in Prometheus' text format |
///
/// A member is ready while it serves (it is caught up, in a primary view), its engine thread takes turns, its
/// application has not been at one event for ten seconds, and it is not too far behind what is delivered, with what is
/// spilled: so who asks it gets no answer of the day before.
///
/// On a loopback address over HTTP. On another one over HTTPS, with the node's certificate: probes of an orchestrator
/// have none and are told whether the member is ready and whether it lives, and nothing else; the rest is for who shows
/// a certificate of the cluster. Those who connect and say nothing shut it for nobody ([HttpPort]).
final class Health implements AutoCloseable {
  /// How long a turn of the engine may take: as long as nobody suspects the node for it.
  private static final Duration TURN_MAX = Duration.ofSeconds(2);

  /// How long the application may be at one event.
  private static final Duration HELD_MAX = Duration.ofSeconds(10);

  private static final String DOES_NOT_TURN = "the engine does not turn";
  private static final List<Integer> PERCENTS = List.of(50, 99);
  private static final List<String> READING = List.of("GET", "HEAD"); // balancers probe by HEAD
  private static final int CONTENT_MAX = 0;
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int UNAVAILABLE = 503;
  private static final String TEXT = "text/plain; charset=utf-8";

  private record Answer(int code, String type, String body) {}

  private final Node node;
  private final Group group;
  private final Duration behindMax;
  private final HttpPort port;
  private final boolean open; // to whoever reaches the port
  private final @Nullable String started; // the process, if the system tells that
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private @Nullable CompletableFuture<List<Metric>> asked;

  /// A port that is bound, so that nobody else has it, where nobody is answered yet.
  static final class Place implements AutoCloseable {
    private final HttpPort port;
    private final boolean open;
    private volatile @Nullable Health health;

    private Place(Address at, @Nullable SSLContext tls) throws IOException {
      this.open = tls == null;
      this.port =
          new HttpPort(
              socket(at),
              tls,
              HttpPort.Clients.ANY,
              CONTENT_MAX,
              asked -> Objects.requireNonNull(health, "started").handle(asked));
    }

    /// Answers from now on.
    ///
    /// @param behindMax how far behind the application may be for the member to be ready; zero for any time
    Health answer(Node node, Group group, Duration behindMax) {
      var answering = new Health(this, node, group, behindMax);
      health = answering;
      port.start();
      return answering;
    }

    @Override
    public void close() {
      port.close();
    }
  }

  private Health(Place place, Node node, Group group, Duration behindMax) {
    this.node = node;
    this.group = group;
    this.behindMax = behindMax;
    this.open = place.open;
    this.port = place.port;
    this.started = ProcessHandle.current().info().startInstant().map(Instant::toString).orElse(null);
  }

  /// Takes the port: before the node enters a group, which it would leave again where the port is in use.
  ///
  /// @param at      where to listen
  /// @param carrier has the node's certificate, which is not used on loopback
  static Place bind(Address at, TransportOption carrier) {
    SSLContext context = isLoopback(at) ? null : carrier.operatorsContext();
    try {
      return new Place(at, context);
    } catch (IOException e) {
      throw new Failure("cannot listen on " + at + ": " + e.getMessage(), e);
    }
  }

  /// Whether strangers cannot reach an address.
  static boolean isLoopback(Address at) {
    return socket(at).getAddress().isLoopbackAddress();
  }

  private static InetSocketAddress socket(Address at) {
    int colon = at.text().lastIndexOf(':');
    String host = at.text().substring(0, colon).replaceAll("[\\[\\]]", "");
    return new InetSocketAddress(InetAddress.ofLiteral(host), Integer.parseInt(at.text().substring(colon + 1)));
  }

  /// Where it listens.
  Address address() {
    return AddressConverter.of(port.address().getAddress(), port.address().getPort());
  }

  private HttpPort.Answer handle(HttpPort.Asked asked) {
    if (asked.method() instanceof String method && !READING.contains(method)) {
      byte[] words = "GET only\n".getBytes(StandardCharsets.UTF_8);
      return new HttpPort.Answer(WRONG_METHOD, TEXT, words, String.join(", ", READING));
    }
    Answer answer;
    try {
      answer = answer(asked.request().path(), open || asked.isKnown());
    } catch (HttpPort.Malformed wrong) {
      answer = new Answer(wrong.status, TEXT, wrong.getMessage() + "\n");
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return new HttpPort.Answer(answer.code, answer.type, answer.body.getBytes(StandardCharsets.UTF_8));
  }

  private Answer answer(String path, boolean isKnown) throws IOException {
    if (isKnown) {
      return answer(path);
    }
    return switch (path) {
      case "/health/ready" -> bare(group.status().isServing() && obstacle() == null);
      case "/health/live" -> bare(node.isTurning(TURN_MAX));
      default -> new Answer(FORBIDDEN, TEXT, "show a certificate of the cluster\n");
    };
  }

  /// Why a member that serves should not be asked to do so now.
  ///
  /// @return words for people; null when it is ready
  private @Nullable String obstacle() {
    GroupMetrics now = group.metrics();
    if (now.eventHeld().compareTo(HELD_MAX) >= 0) {
      long seconds = now.eventHeld().toSeconds();
      return "the application has been at an event, or has not asked for the next one, for " + seconds + " s";
    }
    if (!behindMax.isZero() && now.behind().compareTo(behindMax) >= 0) {
      return "the application is %d ms behind, %d ms or more are too much"
          .formatted(now.behind().toMillis(), behindMax.toMillis());
    }
    return node.isTurning(TURN_MAX) ? null : DOES_NOT_TURN;
  }

  /// For who may not know more.
  private static Answer bare(boolean yes) {
    return new Answer(yes ? OK : UNAVAILABLE, TEXT, yes ? "yes\n" : "no\n");
  }

  private Answer answer(String path) throws IOException {
    return switch (path) {
      case "/health/ready" -> {
        Status status = group.status();
        String obstacle = status.isServing() ? obstacle() : null;
        yield obstacle == null
            ? new Answer(status.isServing() ? OK : UNAVAILABLE, TEXT, status + "\n")
            : new Answer(UNAVAILABLE, TEXT, status + "; " + obstacle + "\n");
      }
      case "/health/live" -> {
        boolean lives = node.isTurning(TURN_MAX);
        yield new Answer(lives ? OK : UNAVAILABLE, TEXT, lives ? "the engine turns\n" : DOES_NOT_TURN + "\n");
      }
      case "/status" -> new Answer(OK, "application/json", json() + "\n");
      case "/log" -> new Answer(OK, "application/json", log(group.logged()) + "\n");
      case "/metrics" -> {
        List<Metric> metrics = metrics();
        yield metrics == null
            ? new Answer(UNAVAILABLE, TEXT, DOES_NOT_TURN + "\n")
            : new Answer(OK, PrometheusText.TYPE, PrometheusText.of(joined(metrics, group.metrics().list())));
      }
      default -> new Answer(NOT_FOUND, TEXT, "/health/ready, /health/live, /status, /log, /metrics\n");
    };
  }

  /// What the engine thread tells in a turn; null when it takes none in time.
  private @Nullable List<Metric> metrics() {
    try {
      return node.failure() == null ? asked().get(TURN_MAX.toNanos(), TimeUnit.NANOSECONDS) : null;
    } catch (TimeoutException | ExecutionException late) {
      return null;
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /// Of an engine that does not turn only one thread waits, however often somebody asks here.
  private synchronized CompletableFuture<List<Metric>> asked() {
    CompletableFuture<List<Metric>> before = asked;
    if (before == null || before.isDone()) {
      before =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return node.metrics();
                } catch (InterruptedException closing) {
                  throw new IllegalStateException(closing);
                }
              },
              threads);
      asked = before;
    }
    return before;
  }

  private static List<Metric> joined(List<Metric> one, List<Metric> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  // ---- the status as JSON ----------------------------------------------------------------------------------------

  private String json() throws IOException {
    Status status = group.status();
    Ordering ordering = group.ordering();
    GroupMetrics metrics = group.metrics();
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("group", status.group());
    all.put("self", member(status.self()));
    all.put("build", Tutti.Version.number());
    all.put("java", Runtime.version().toString());
    all.put("started", started);
    all.put("phase", status.phase().name());
    all.put("serving", status.isServing());
    all.put("view", view(status.view()));
    all.put("lastPrimary", view(status.lastPrimary()));
    all.put("speaks", speaks());
    all.put("ordering", ordering == null ? null : WordConverter.word(ordering));
    all.put("position", status.position().isPresent() ? status.position().getAsLong() : null);
    all.put("forced", status.forced().stream().map(Health::forced).toList());
    all.put("waits", status.waits().stream().map(Health::wait).toList());
    all.put("refused", status.refused().stream().map(Health::refused).toList());
    all.put("closed", closed(status.closed()));
    all.put("windowUsedBytes", metrics.windowUsedBytes());
    all.put("windowBytes", metrics.windowBytes());
    all.put("undecided", metrics.undecided());
    all.put("latencyMicros", latency(metrics.latency()));
    all.put("spilledMessages", metrics.spilled().messages());
    all.put("spilledBytes", metrics.spilled().bytes());
    all.put("behindMillis", metrics.behind().toMillis());
    all.put("eventHeldMillis", metrics.eventHeld().toMillis());
    all.put("peers", metrics.peers().stream().map(Health::peer).toList());
    all.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString()); // when nothing is waited for any more
    all.put("words", status.toString());
    return JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(all);
  }

  /// How long its own multicasts take here.
  private static Map<String, @Nullable Object> latency(LatencyHistogram latency) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("count", latency.count());
    PERCENTS.forEach(percent -> {
      Duration most = latency.percentile(percent);
      shown.put("p" + percent, most == null ? null : most.toNanos() / 1000);
    });
    return shown;
  }

  /// Which versions of the protocol the node speaks, and how far it lets its groups rise if it holds them back.
  ///
  /// @return null when its engine does not turn
  private @Nullable Map<String, Object> speaks() {
    List<Metric> metrics = metrics();
    if (metrics == null) {
      return null;
    }
    Map<String, Object> shown = new LinkedHashMap<>();
    for (Metric metric : metrics) {
      String[] words = metric.name().split("\\.");
      boolean is = words[0].equals("node") && words[words.length - 1].equals("version");
      if (is && (!words[1].equals("limit") || metric.value() < View.VERSION_MAX)) {
        shown.put(words[1], metric.value());
      }
    }
    return shown;
  }

  private String log(List<LoggedEvent> events) throws IOException {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("group", group.name());
    all.put("events", events.stream().map(Health::event).toList());
    return JSON.std.asString(all);
  }

  private static Map<String, Object> event(LoggedEvent event) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("at", event.at().toString());
    shown.put("kind", event.kind());
    event.view().ifPresent(view -> shown.put("view", view));
    shown.put("members", event.members());
    shown.put("words", event.words());
    return shown;
  }

  private static Map<String, Object> member(MemberId member) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", member.name());
    shown.put("address", member.address().text());
    shown.put("incarnation", member.incarnation());
    return shown;
  }

  private static @Nullable Map<String, Object> view(@Nullable View view) {
    if (view == null) {
      return null;
    }
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", view.id().toString());
    shown.put("epoch", view.id().epoch());
    shown.put("primary", view.primary());
    shown.put("members", view.members().stream().map(Health::member).toList());
    shown.put("voters", view.voters());
    shown.put("version", view.version());
    return shown;
  }

  private static Map<String, @Nullable Object> peer(GroupMetrics.Peer peer) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("name", peer.member().name());
    shown.put("acknowledgedPosition", peer.acknowledged().isPresent() ? peer.acknowledged().getAsLong() : null);
    shown.put("lagMessages", peer.lag() == null ? null : peer.lag().messages());
    shown.put("lagBytes", peer.lag() == null ? null : peer.lag().bytes());
    shown.put("windowBytes", peer.windowBytes());
    shown.put("silentMillis", peer.silent().toMillis());
    shown.put("roundTripMicros", peer.roundTrip() == null ? null : peer.roundTrip().toNanos() / 1000);
    shown.put("queuedBytes", peer.queuedBytes());
    shown.put("repeatedPackets", peer.repeated());
    shown.put("speaks", peer.speaks() == null ? null : versions(peer.speaks()));
    return shown;
  }

  private static Map<String, Object> versions(GroupMetrics.Versions versions) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("oldest", versions.oldest());
    shown.put("newest", versions.newest());
    return shown;
  }

  private static Map<String, Object> forced(Status.Forced forced) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("by", forced.by().name());
    shown.put("time", forced.time().toString());
    shown.put("position", forced.position());
    return shown;
  }

  private static Map<String, Object> refused(Refused refused) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("by", refused.by().text());
    shown.put("reason", refused.reason().name());
    shown.put("words", refused.words());
    return shown;
  }

  private static @Nullable Map<String, Object> closed(@Nullable End end) {
    if (end == null) {
      return null;
    }
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("cause", end.cause().name());
    shown.put("words", end.words());
    return shown;
  }

  private static Map<String, Object> wait(Status.Wait wait) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("cause", wait.cause().name());
    shown.put("members", wait.members().stream().map(MemberId::name).toList());
    shown.put("needed", wait.needed());
    shown.put("sinceMillis", wait.since().toMillis());
    shown.put("bytes", wait.bytes());
    return shown;
  }

  @Override
  public void close() {
    port.close();
    threads.shutdownNow();
  }
}
