package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `tutti status`, `tutti members` and `tutti why` tell what a running member says of itself and of the others.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StatusCommandTest {
  private final List<CommandProcess> launched = new ArrayList<>();

  @AfterEach
  void close() {
    launched.forEach(CommandProcess::close);
  }

  private CommandProcess run(String... args) throws Exception {
    launched.add(CommandProcess.tutti(args));
    return launched.getLast();
  }

  private static String[] arguments(String[] last, String... first) {
    return Stream.of(first, last).flatMap(Stream::of).toArray(String[]::new);
  }

  private void fails(String message, String... args) throws Exception {
    CommandProcess command = run(args);
    assertThat(command.exitCode()).isEqualTo(1);
    assertThat(command.rest()).isEmpty();
    assertThat(command.errors()).containsExactly("tutti " + args[0] + ": " + message);
  }

  private void saysBuildAndClock(Map<String, Object> status, Instant before) throws Exception {
    assertThat(Instant.parse((String) status.get("time"))).isBetween(before, Instant.now());
    assertThat(Instant.parse((String) status.get("started"))).isBefore(before);
    assertThat(run("version").line()).isEqualTo("tutti " + status.get("build"));
  }

  /// After the other one was killed.
  private void saysWhyItIsGone(CommandProcess first, String health) throws Exception {
    first.lineMatching("view \\S+ \\w+( \\w+)?: n1");
    List<String> why = run("why", health, "n2").rest();
    assertThat(why.getFirst()).matches("\\S+Z view \\d+: primary view of n1, n2; joined: n2");
    assertThat(why.getLast()).matches("\\S+Z view \\d+: (primary )?view .*of n1; gone: n2 \\(.*\\)");
    Map<String, Object> last = JSON.std.mapFrom(run("why", "--json", health).rest().getLast());
    assertThat(last).containsEntry("event", "logged").containsEntry("members", List.of("n2"));
    fails("nothing is known there of a member n9", "why", health, "n9");
  }

  @Test
  void aMemberTellsOfItselfAndOfTheOthers() throws Exception {
    String[] held = {"--group-version-max=5", "--listen=127.0.0.1:0", "--health=127.0.0.1:0"};
    CommandProcess first = run(arguments(held, "member", "--group=bank", "--create", "--name=n1"));
    String contact = first.lineMatching("n1 listens on .*").replaceFirst(".* on ", "");
    String health = first.lineMatching("health at .*").replaceFirst(".* at ", "");
    CommandProcess second = run("member", "--group=bank", "--join=" + contact, "--name=n2", "--listen=127.0.0.1:0");
    second.lineMatching("view \\S+ primary: n1 n2");

    CommandProcess probe = run("probe", "--wait=1m", health);
    assertThat(probe.line()).matches("group bank: primary view \\d+ of n1, n2 at position 0");
    assertThat(probe.exitCode()).isZero();
    CommandProcess status = run("status", health);
    assertThat(status.line()).matches("group bank: primary view \\d+ of n1, n2 at position 0");
    assertThat(status.line()).isEqualTo("its members speak version 5 of the protocol");
    assertThat(status.line()).isEqualTo("this one lets it rise to version 5 at most");
    String instant = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";
    assertThat(status.line())
        .matches("it runs tutti \\S+ on Java 25\\S* since " + instant + "; its clock says " + instant);
    assertThat(status.exitCode()).isZero();
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    Map<String, Object> object = JSON.std.mapFrom(run("status", "--json", health).line());
    saysBuildAndClock(object, before);
    assertThat(object)
        .containsEntry("event", "status")
        .containsEntry("group", "bank")
        .containsEntry("serving", true)
        .containsEntry("phase", "CAUGHT_UP")
        .containsEntry("undecided", 0)
        .doesNotContainKey("closed");
    assertThat(object.get("view")).asInstanceOf(InstanceOfAssertFactories.MAP).containsEntry("version", 5);
    assertThat(object).containsEntry("speaks", Map.of("oldest", 5, "newest", 5, "limit", 5));

    Map<String, Object> other = Map.of();
    while (!other.containsKey("roundTripMicros")) { // until the engine has looked
      CommandProcess members = run("members", "--json", health);
      Map<String, Object> own = JSON.std.mapFrom(members.line());
      assertThat(own)
          .containsEntry("event", "member")
          .containsEntry("name", "n1")
          .containsEntry("address", contact)
          .containsEntry("role", "voter")
          .containsEntry("self", true)
          .containsEntry("position", 0)
          .containsEntry("newestVersion", 5);
      other = JSON.std.mapFrom(members.line());
      assertThat(members.exitCode()).isZero();
      assertThat(members.rest()).isEmpty();
    }
    assertThat(other)
        .containsEntry("name", "n2")
        .containsEntry("lagMessages", 0)
        .containsEntry("acknowledgedPosition", 0)
        .containsEntry("oldestVersion", 5)
        .containsEntry("newestVersion", 5)
        .doesNotContainKeys("self", "position");
    CommandProcess words = run("members", health);
    assertThat(words.line()).isEqualTo("n1 " + contact + " voter, asked, at position 0, speaks version 5");
    assertThat(words.line())
        .matches(
            "n2 127\\.0\\.0\\.1:\\d+ voter, heard \\d+ ms ago, acknowledged position 0, lags by 0 messages, takes up 0"
                + " bytes of the window, \\d+ bytes queued, round trip \\d+\\.\\d ms, speaks version 5");

    CommandProcess mistaken = run("status", contact); // the port of the group
    assertThat(mistaken.exitCode()).isEqualTo(1);
    assertThat(mistaken.errors()).singleElement().asString().contains(contact);

    second.signal("KILL");
    saysWhyItIsGone(first, health);
  }

  @Test
  @Tag("deep")
  void aProbeEndsWellWhenTheMemberServes() throws Exception {
    CommandProcess first =
        run(
            "member",
            "--group=bank",
            "--create",
            "--name=n1",
            "--electorate=n1,n2",
            "--listen=127.0.0.1:0",
            "--health=127.0.0.1:0");
    String contact = first.lineMatching("n1 listens on .*").replaceFirst(".* on ", "");
    String health = first.lineMatching("health at .*").replaceFirst(".* at ", "");
    CommandProcess alone = run("probe", health);
    assertThat(alone.exitCode()).isEqualTo(1);
    assertThat(alone.errors()).singleElement().asString().startsWith("tutti probe: no: group bank: ");
    CommandProcess object = run("probe", "--json", health);
    assertThat(JSON.std.mapFrom(object.line())).containsEntry("event", "probe").containsEntry("ready", false);
    assertThat(object.exitCode()).isEqualTo(1);
    CommandProcess lives = run("probe", "--live", health);
    assertThat(lives.line()).isEqualTo("the engine turns");
    assertThat(lives.exitCode()).isZero();
    CommandProcess patient = run("probe", "--wait=2m", health);
    run("member", "--group=bank", "--join=" + contact, "--name=n2", "--listen=127.0.0.1:0");
    assertThat(patient.exitCode()).isZero();
    fails("nobody listens at 127.0.0.1:1: give the address of tutti member --health", "probe", "127.0.0.1:1");
    fails("no TLS: no file /none/cert.pem", "probe", "--wait=1000m", "--tls=/none", "127.0.0.1:1");
  }

  @Test
  @Tag("deep")
  void whoDoesNotAnswerAsAMemberIsNamed() throws Exception {
    String closed;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = "127.0.0.1:" + socket.getLocalPort();
    }
    fails("nobody listens at " + closed + ": give the address of tutti member --health", "status", closed);
    fails("nobody listens at " + closed + ": give the address of tutti member --health", "members", closed);

    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    try {
      var answers =
          new ArrayList<>(List.of("404 ", "200 hello", "200 {}", "200 {\"group\":\"a\",\"words\":\"w\"}", "200 {}"));
      server.createContext(
          "/",
          exchange -> {
            String[] answer = answers.removeFirst().split(" ", 2);
            byte[] body = answer[1].getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(Integer.parseInt(answer[0]), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
      String at = "127.0.0.1:" + server.getAddress().getPort();
      String hint = "): give the address of tutti member --health";
      fails(at + " does not answer as a member does (HTTP status 404" + hint, "status", at);
      fails(at + " does not answer as a member does (no JSON" + hint, "status", at);
      fails(at + " does not answer as a member does (no status of a group" + hint, "status", at);
      fails("the member has no view: w", "members", at);
      fails(at + " does not answer as a member does (no log of a group" + hint, "why", at);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void theAddressIsRequired() {
    assertThat(Refusal.of("status").exitCode()).isEqualTo(2);
    assertThat(Refusal.of("members", "nowhere").exitCode()).isEqualTo(2);
  }
}
