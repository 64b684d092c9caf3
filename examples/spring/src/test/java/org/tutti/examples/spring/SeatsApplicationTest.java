package org.tutti.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.replica.Replica;

/// Three applications in one JVM, over real sockets: what they tell orchestrators, and what a stop costs.
@Tag("socket")
@Tag("deep")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeatsApplicationTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /// So long that a busy machine makes nobody suspect anybody. The tenth of it, a heartbeat, is what founding takes.
  private static final String SUSPECT_AFTER = "10s";

  private record Answer(int status, String body) {}

  private record Application(ConfigurableApplicationContext context, HttpClient http) {
    HttpRequest.Builder request(String path) {
      String port = context.getEnvironment().getRequiredProperty("local.server.port");
      return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(SOON);
    }

    HttpRequest put(int seat, String holder) {
      return request("/seats/" + seat + "?holder=" + holder).PUT(HttpRequest.BodyPublishers.noBody()).build();
    }

    Answer send(HttpRequest request) throws IOException, InterruptedException {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    }

    Answer get(String path) throws IOException, InterruptedException {
      return send(request(path).build());
    }

    /// Asks again until the answer is as wanted.
    Answer await(String path, int status, String part) throws IOException, InterruptedException {
      long end = System.nanoTime() + SOON.toNanos();
      while (true) {
        Answer answer = get(path);
        if (answer.status == status && answer.body.contains(part)) {
          return answer;
        }
        assertThat(System.nanoTime()).as("%s is %s", path, answer).isLessThan(end);
      }
    }

    Replica replica() {
      return context.getBean(SeatReplica.class).replica();
    }

    Node node() {
      return context.getBean(SeatReplica.class).node();
    }
  }

  private final List<Application> started = new ArrayList<>();
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Application start(String name, String callDeadline) {
    String contact = started.isEmpty() ? "" : started.getFirst().node().self().address().text();
    var context =
        new SpringApplicationBuilder(SeatsApplication.class)
            .run(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=WARN",
                "--tutti.name=" + name,
                "--tutti.listen=127.0.0.1:0",
                "--tutti.clients=127.0.0.1:0",
                "--tutti.contacts=" + contact,
                "--tutti.expecting=n1,n2,n3",
                "--tutti.suspect-after=" + SUSPECT_AFTER,
                "--tutti.call-deadline=" + callDeadline);
    var application = new Application(context, http);
    started.add(application);
    return application;
  }

  @AfterEach
  void stop() {
    started.forEach(application -> application.context.close());
    http.close();
  }

  @Test
  void threeApplicationsAreOneService() throws Exception {
    Application n1 = start("n1", "60s");
    // Alone it is no majority of those who found the service: it lives, and is not ready.
    assertThat(n1.get("/actuator/health/readiness").status).isEqualTo(503);
    assertThat(n1.get("/actuator/health/liveness").status).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> early = http.sendAsync(n1.put(1, "ann"), BodyHandlers.ofString());
    Application n2 = start("n2", "60s");
    Application n3 = start("n3", "1s");
    for (Application application : started) {
      application.replica().awaitServing(SOON);
      assertThat(application.get("/actuator/health/readiness").status).isEqualTo(200);
    }
    assertThat(early.get().statusCode()).as("a call that has waited for the quorum").isEqualTo(200);
    assertThat(n2.get("/seats/1")).isEqualTo(new Answer(200, "{\"seat\":1,\"holder\":\"ann\"}"));
    n3.await("/seats/1", 200, "ann");
    assertThat(n2.send(n2.put(1, "bob"))).isEqualTo(new Answer(409, "{\"seat\":1,\"holder\":\"ann\"}"));
    assertThat(n2.send(n2.request("/seats/1?holder=ann").DELETE().build()).status).isEqualTo(200);
    assertThat(n1.get("/seats/1").body).contains("\"holder\":\"\"");
    assertThat(n1.get("/seats/0")).matches(answer -> answer.status == 400 && answer.body.contains("not 0"));
    assertThat(n1.send(n1.put(1, "x".repeat(65))).status).isEqualTo(400);
    n3.await("/actuator/prometheus", 200, "tutti_link_packets_repeated_total{node=\"n3\"}");

    aStopLosesNothing(n1, n2, n3);
    n3.await("/seats/1", 200, "\"\"");
    withoutAQuorumItLivesAndIsNotReady(n2, n3);
  }

  /// Two clients write all the time, to the one that stops and to another one.
  private static void aStopLosesNothing(Application stopped, Application... others) throws Exception {
    Map<Integer, String> acknowledged = new ConcurrentHashMap<>();
    var warm = new CountDownLatch(2);
    var closed = new CountDownLatch(1);
    CompletableFuture<Void> toStopped = write(stopped, 1000, acknowledged, warm, closed);
    CompletableFuture<Void> toOther = write(others[0], 5000, acknowledged, warm, closed);
    assertThat(warm.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    stopped.context.close();
    for (Application other : others) {
      long end = System.nanoTime() + SOON.toNanos();
      while (other.replica().group().view().size() != others.length) {
        assertThat(System.nanoTime()).as("%s", other.replica().status()).isLessThan(end);
        Thread.onSpinWait();
      }
      assertThat(other.get("/actuator/health/readiness").status).isEqualTo(200);
      assertThat(other.replica().group().logged()).extracting(line -> line.kind()).doesNotContain("SUSPECTED");
    }
    closed.countDown();
    toStopped.get(SOON.toSeconds(), TimeUnit.SECONDS);
    toOther.get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThat(acknowledged).hasSizeGreaterThan(2 * WARM);
    for (var entry : acknowledged.entrySet()) {
      assertThat(others[0].get("/seats/" + entry.getKey()).body).contains("\"" + entry.getValue() + "\"");
    }
  }

  private static final int WARM = 20;

  /// Takes one seat after the other, until the application has closed its port, or the other one has stopped.
  private static CompletableFuture<Void> write(
      Application to, int first, Map<Integer, String> acknowledged, CountDownLatch warm, CountDownLatch closed) {
    var end = new CompletableFuture<Void>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            for (int seat = first; closed.getCount() > 0 && seat < first + 4000; seat++) {
              Answer answer = to.send(to.put(seat, "h" + seat));
              assertThat(answer.status).as(answer.body).isEqualTo(200); // also while it stops
              acknowledged.put(seat, "h" + seat);
              if (seat == first + WARM) {
                warm.countDown();
              }
            }
            end.complete(null);
          } catch (IOException portIsClosed) {
            end.complete(null);
          } catch (InterruptedException | RuntimeException | Error e) {
            end.completeExceptionally(e);
          }
        });
    return end;
  }

  /// Of two replicas the senior one stands still, as something holds its engine thread: half without the senior one is
  /// no quorum.
  private static void withoutAQuorumItLivesAndIsNotReady(Application held, Application left) throws Exception {
    assertThat(left.replica().group().view().members().getFirst().name()).isEqualTo(held.node().self().name());
    var release = new CountDownLatch(1);
    GroupListener listener = (_, _, _, _) -> awaitUninterruptibly(release); // what must not be done
    held.node()
        .create("other", GroupConfig.standard(), MemberConfig.builder().listener(listener).build())
        .multicast(new byte[1]);
    left.await("/actuator/health/readiness", 503, "");
    assertThat(left.get("/actuator/health/liveness").status).isEqualTo(200);
    Answer answer = left.send(left.put(2, "ann"));
    assertThat(answer.status).as(answer.body).isEqualTo(503);
    held.await("/actuator/health/liveness", 503, "");
    release.countDown();
    left.await("/actuator/health/readiness", 200, "");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
