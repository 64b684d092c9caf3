package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.tls.Credentials;

/// A member's health over HTTP is what its status says.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HealthTest {
  private static final String LABEL = "[a-z]+=\"(\\\\.|[^\"\\\\])+\"";
  private static final String SAMPLE = "tutti(_[a-z]+){2,5}(\\{" + LABEL + "(," + LABEL + ")*})? \\d+";

  private final List<CommandProcess> launched = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    client.close();
    launched.forEach(CommandProcess::close);
  }

  private CommandProcess member(String... more) throws Exception {
    return memberOf("bank", more);
  }

  private CommandProcess memberOf(String group, String... more) throws Exception {
    List<String> all = new ArrayList<>(List.of("member", "--group=" + group, "--listen=127.0.0.1:0", "--create"));
    all.add("--name=n1");
    all.addAll(List.of(more));
    if (all.stream().noneMatch(option -> option.startsWith("--health="))) {
      all.add("--health=127.0.0.1:0");
    }
    launched.add(CommandProcess.tutti(all.toArray(String[]::new)));
    return launched.getLast();
  }

  private static String address(CommandProcess member) throws Exception {
    return member.lineMatching("health at .*").replaceFirst(".* at ", "");
  }

  private HttpResponse<String> get(String at, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + at + path)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /// On a busy machine a single turn may take two seconds, while the classes of a new process are loaded.
  private void awaitLive(String at) throws Exception {
    while (get(at, "/health/live").statusCode() != 200) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whoServesIsReady() throws Exception {
    CommandProcess member = member();
    String at = address(member);
    member.lineMatching("view \\S+ primary: n1");
    HttpResponse<String> ready = get(at, "/health/ready");
    assertThat(ready.statusCode()).isEqualTo(200);
    assertThat(ready.body()).matches("group bank: primary view \\d+ of n1 at position 0\n");
    awaitLive(at);
    Map<String, Object> status = JSON.std.mapFrom(get(at, "/status").body());
    assertThat(status).containsEntry("group", "bank").containsEntry("serving", true).containsEntry("position", 0);
    assertThat(status).containsEntry("phase", "CAUGHT_UP").containsEntry("closed", null);
    assertThat(get(at, "/").statusCode()).isEqualTo(404);
    HttpRequest post =
        HttpRequest.newBuilder(URI.create("http://" + at + "/status"))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    URI there = URI.create("http://" + at + "/health/ready");
    HttpRequest head = HttpRequest.newBuilder(there).HEAD().build();
    HttpResponse<String> bare = client.send(head, HttpResponse.BodyHandlers.ofString());
    assertThat(bare.statusCode()).isEqualTo(200);
    assertThat(bare.body()).isEmpty();
    HttpRequest filled = HttpRequest.newBuilder(there).POST(HttpRequest.BodyPublishers.ofString("x")).build();
    HttpResponse<String> refused = client.send(filled, HttpResponse.BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("Allow")).hasValue("GET, HEAD");
  }

  @Test
  void whoWaitsForAQuorumLivesButIsNotReady() throws Exception {
    CommandProcess member = member("--electorate=n1,n2");
    String at = address(member);
    HttpResponse<String> ready = get(at, "/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    awaitLive(at);
    assertThat(JSON.std.mapFrom(get(at, "/status").body())).containsEntry("serving", false);
  }

  private static String after(BufferedReader lines, String words) throws IOException {
    String line = lines.readLine();
    while (!line.contains(words)) {
      line = lines.readLine();
    }
    return line.substring(line.indexOf(words) + words.length());
  }

  /// Nobody reads what it prints, so its application, which is the command, hangs.
  private Process unread(String... more) throws Exception {
    List<String> all = new ArrayList<>(List.of("member", "--group=bank", "--listen=127.0.0.1:0"));
    all.add("--health=127.0.0.1:0");
    all.addAll(List.of(more));
    var program = new ProcessBuilder(TuttiCommand.of(List.of(), all.toArray(String[]::new)));
    program.environment().put("TUTTI_SUSPECT_AFTER", "15s"); // as CommandProcess has it
    return program.start();
  }

  private void multicast(String contact, int lines) throws Exception {
    CommandProcess send = CommandProcess.tutti("send", "--group=bank", "--join=" + contact);
    launched.add(send);
    for (int i = 0; i < lines; i++) {
      send.type("x".repeat(30_000) + "\n");
    }
    send.endInput();
    assertThat(send.exitCode()).as("%s", send.errors()).isZero();
  }

  @Test
  void whoseApplicationIsBehindIsNotReady() throws Exception {
    Process member = unread("--name=n1", "--create", "--ready-behind=300ms");
    try (BufferedReader lines = member.inputReader()) {
      String contact = after(lines, "n1 listens on ");
      String at = after(lines, "health at ");
      after(lines, " primary: n1");
      assertThat(get(at, "/health/ready").statusCode()).isEqualTo(200);
      multicast(contact, 8);
      HttpResponse<String> ready = get(at, "/health/ready");
      while (ready.statusCode() == 200) {
        ready = get(at, "/health/ready");
      }
      assertThat(ready.body())
          .matches("group bank: .*; the application is \\d+ ms behind, 300 ms or more are too much\n");
      awaitLive(at);
      Map<String, Object> status = JSON.std.mapFrom(get(at, "/status").body());
      assertThat(status).containsEntry("serving", true);
      assertThat((Integer) status.get("behindMillis")).isGreaterThanOrEqualTo(300);
      assertThat(get(at, "/metrics").body()).contains("tutti_group_behind_milliseconds{group=\"bank\"} ");
      Thread.ofPlatform().daemon().start(() -> lines.lines().forEach(_ -> {}));
      while (get(at, "/health/ready").statusCode() != 200) {
        Thread.onSpinWait();
      }
      member.destroyForcibly(); // or who closes would wait for who reads
    } finally {
      member.destroyForcibly();
    }
  }

  /// So that the others need not wait for it.
  @Test
  void whoseApplicationIsBehindMayLeave() throws Exception {
    CommandProcess first = member();
    String contact = first.lineMatching("n1 listens on .*").replaceFirst(".* on ", "");
    CommandProcess second =
        CommandProcess.tutti("member", "--group=bank", "--name=n2", "--listen=127.0.0.1:0", "--join=" + contact);
    launched.add(second);
    second.lineMatching("view \\S+ primary: n1 n2");
    Process third = unread("--name=n3", "--join=" + contact, "--leave-when-behind=500ms");
    try (BufferedReader lines = third.inputReader()) {
      after(lines, " primary: n1 n2 n3");
      first.lineMatching("view \\S+ primary: n1 n2 n3.*");
      multicast(contact, 8);
      first.lineMatching("view \\S+ primary: n1 n2(; .*)?");
      Thread.ofPlatform().daemon().start(() -> lines.lines().forEach(_ -> {}));
      String last =
          third.errorReader().lines().filter(line -> line.startsWith("tutti member: ")).findFirst().orElse("");
      assertThat(last)
          .matches(".*this member left, as its application was \\d+ ms behind, more than leaveWhenBehind=500 ms.*");
      assertThat(third.waitFor()).isEqualTo(1);
    } finally {
      third.destroyForcibly();
    }
  }

  @Test
  void namesOfPeopleAreEscaped() throws Exception {
    CommandProcess first = memberOf("a\"b\\c");
    String contact = first.lineMatching("n1 listens on .*").replaceFirst(".* on ", "");
    String at = address(first);
    CommandProcess second =
        CommandProcess.tutti("member", "--group=a\"b\\c", "--listen=127.0.0.1:0", "--name=n\"2", "--join=" + contact);
    launched.add(second);
    second.lineMatching("view \\S+ primary: n1 n\"2");
    String body = get(at, "/metrics").body();
    while (!body.contains("tutti_peer_queue_bytes")) { // until the engine has looked
      body = get(at, "/metrics").body();
    }
    assertThat(body).contains("tutti_peer_queue_bytes{group=\"a\\\"b\\\\c\",peer=\"n\\\"2\"} ");
    assertThat(body.lines().filter(line -> !line.startsWith("#"))).allMatch(line -> line.matches(SAMPLE));
  }

  @Test
  void metricsAreInTheFormatOfPrometheus() throws Exception {
    String at = address(member());
    HttpResponse<String> metrics = get(at, "/metrics");
    assertThat(metrics.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
    List<String> lines = metrics.body().lines().toList();
    List<String> samples = lines.stream().filter(line -> !line.startsWith("#")).toList();
    assertThat(samples).hasSizeGreaterThan(50).allMatch(line -> line.matches(SAMPLE)).doesNotHaveDuplicates();
    assertThat(samples).anyMatch(line -> line.matches("tutti_loop_turns_made_total [1-9]\\d*"));
    List<String> types = lines.stream().filter(line -> line.startsWith("# TYPE ")).toList();
    assertThat(types).doesNotHaveDuplicates().contains("# TYPE tutti_link_packets_dropped_total counter");
    assertThat(samples)
        .contains("tutti_group_messages_sent_total{group=\"bank\"} 0")
        .anyMatch(line -> line.matches("tutti_group_milliseconds_primary_total\\{group=\"bank\"} \\d+"));
    assertThat(types).hasSameSizeAs(lines.stream().filter(line -> line.startsWith("# HELP ")).toList());
  }

  @Test
  void withoutCertificatesItIsNotShownToOtherHosts() throws Exception {
    CommandProcess member = member("--health=0.0.0.0:0");
    assertThat(member.exitCode()).isEqualTo(1);
    assertThat(member.errors())
        .singleElement()
        .asString()
        .contains("cannot listen on 0.0.0.0:0: without certificates on loopback only; give --tls DIR");
  }

  private static HttpClient showing(Credentials credentials) {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(credentials.context()).build();
  }

  private static HttpResponse<String> getSecured(HttpClient from, String at, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create("https://" + at + path)).build();
    return from.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /// A file of options may say it for all members.
  @Test
  void aMemberOnLoopbackIsAskedWithACertificateToo(@TempDir Path directory) throws Exception {
    Path own = Authority.in(directory.resolve("ca")).issue("n1", "tutti", Duration.ofDays(1));
    CommandProcess status = CommandProcess.tutti("status", "--tls=" + own, address(member()));
    launched.add(status);
    assertThat(status.exitCode()).as("%s", status.errors()).isZero();
  }

  /// An orchestrator's probe has no certificate.
  @Test
  void otherHostsAreToldMoreOnlyIfTheyShowACertificate(@TempDir Path directory) throws Exception {
    Authority authority = Authority.in(directory.resolve("ca"));
    Path own = authority.issue("n1", "tutti", Duration.ofDays(1));
    CommandProcess member = member("--tls=" + own, "--health=0.0.0.0:0");
    String at = address(member).replace("0.0.0.0", "127.0.0.1");
    member.lineMatching("view \\S+ primary: n1");

    try (HttpClient probe = showing(Credentials.trusting(own, "tutti"))) {
      HttpResponse<String> ready = getSecured(probe, at, "/health/ready");
      assertThat(ready.statusCode()).isEqualTo(200);
      assertThat(ready.body()).isEqualTo("yes\n");
      assertThat(getSecured(probe, at, "/health/live").statusCode()).isEqualTo(200);
      for (String path : List.of("/status", "/log", "/metrics", "/")) {
        HttpResponse<String> more = getSecured(probe, at, path);
        assertThat(more.statusCode()).isEqualTo(403);
        assertThat(more.body()).isEqualTo("show a certificate of the cluster\n");
      }
    }
    try (HttpClient operator = showing(Credentials.load(own))) {
      assertThat(getSecured(operator, at, "/health/ready").body()).startsWith("group bank: primary view ");
      assertThat(getSecured(operator, at, "/metrics").body()).contains("tutti_group_messages_sent_total");
    }
    Path asking = authority.issue("op", "tutti", List.of("operator"), Duration.ofDays(1));
    try (HttpClient operator = showing(Credentials.load(asking))) {
      assertThat(getSecured(operator, at, "/status").statusCode()).isEqualTo(200);
    }
    Path calling = authority.issue("web", "tutti", List.of("client"), Duration.ofDays(1));
    try (HttpClient client = showing(Credentials.load(calling))) {
      assertThatThrownBy(() -> getSecured(client, at, "/health/ready")).isInstanceOf(IOException.class);
    }
    Path foreign = authority.issue("n9", "other", Duration.ofDays(1));
    try (HttpClient stranger = showing(Credentials.load(foreign))) {
      assertThatThrownBy(() -> getSecured(stranger, at, "/health/ready")).isInstanceOf(IOException.class);
    }

    CommandProcess status = CommandProcess.tutti("status", "--tls=" + own, at);
    launched.add(status);
    assertThat(status.exitCode()).isZero();
    assertThat(status.line()).startsWith("group bank: primary view ");
    assertThat(status.line()).startsWith("its members speak version ");
    CommandProcess wrong = CommandProcess.tutti("status", "--tls=" + calling, at);
    launched.add(wrong);
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.errors())
        .singleElement()
        .asString()
        .endsWith("certificate_unknown; it refuses this certificate: use one for operator or member");
    CommandProcess unsecured = CommandProcess.tutti("status", at);
    launched.add(unsecured);
    assertThat(unsecured.exitCode()).isEqualTo(1);
    assertThat(unsecured.errors()).singleElement().asString().endsWith("and --tls DIR if it is not on loopback");
  }
}
