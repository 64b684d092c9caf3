package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// `tutti groups` tells in which group a running member is, and how that stands.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupsCommandTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @Test
  void aMemberTellsItsGroup() throws Exception {
    CommandProcess first =
        tutti.run(
            "member",
            "--group=bank",
            "--create",
            "--order=skeen",
            "--name=n1",
            "--listen=127.0.0.1:0",
            "--health=127.0.0.1:0");
    String contact = first.lineMatching("n1 listens on .*").replaceFirst(".* on ", "");
    String health = first.lineMatching("health at .*").replaceFirst(".* at ", "");
    tutti.run("member", "--group=bank", "--join=" + contact, "--name=n2", "--listen=127.0.0.1:0");
    String id = first.lineMatching("view \\S+ primary: n1 n2").replaceFirst("view (\\S+) .*", "$1");

    CommandProcess groups = tutti.run("groups", health);
    assertThat(groups.rest()).containsExactly("bank: view " + id + " primary, order skeen: n1 n2");
    assertThat(groups.exitCode()).isZero();
    assertThat(JSON.std.mapFrom(tutti.run("groups", "--json", health).line()))
        .containsEntry("event", "group")
        .containsEntry("name", "bank")
        .containsEntry("view", id)
        .containsEntry("primary", true)
        .containsEntry("ordering", "skeen")
        .containsEntry("members", List.of("n1", "n2"))
        .doesNotContainKey("observers");
  }

  @Test
  void aMemberThatWaitsForOthersIsInAViewThatIsNotPrimary() throws Exception {
    CommandProcess alone =
        tutti.run(
            "member",
            "--group=bank",
            "--join=127.0.0.1:1",
            "--expect=n1,n2",
            "--name=n1",
            "--listen=127.0.0.1:0",
            "--health=127.0.0.1:0");
    String health = alone.lineMatching("health at .*").replaceFirst(".* at ", "");
    String id = alone.lineMatching("view \\S+ non-primary: n1").replaceFirst("view (\\S+) .*", "$1");
    CommandProcess groups = tutti.run("groups", health);
    assertThat(groups.rest()).containsExactly("bank: view " + id + " non-primary: n1");
    assertThat(groups.exitCode()).isZero();
    assertThat(JSON.std.mapFrom(tutti.run("groups", "--json", health).line()))
        .containsEntry("primary", false)
        .doesNotContainKey("ordering");
  }

  @Test
  void observersAndAMemberWithoutAViewAreShown() throws Exception {
    String member = "{\"name\":\"%s\"}";
    String view =
        "{\"id\":\"4\",\"primary\":true,\"voters\":1,\"members\":[%s,%s]}"
            .formatted(member.formatted("n1"), member.formatted("o1"));
    String status = "{\"group\":\"bank\",\"words\":\"it waits\",\"ordering\":\"sequencer\",\"view\":%s}";
    var answers = new ArrayList<>(List.of(status.formatted(view), status.formatted("null"), status.formatted("null")));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    try {
      server.createContext(
          "/status",
          exchange -> {
            byte[] body = answers.removeFirst().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
      String at = "127.0.0.1:" + server.getAddress().getPort();
      assertThat(tutti.run("groups", at).rest())
          .containsExactly("bank: view 4 primary, order sequencer: n1; observers: o1");
      assertThat(tutti.run("groups", at).rest()).containsExactly("bank: no view; it waits");
      assertThat(JSON.std.mapFrom(tutti.run("groups", "--json", at).line()))
          .containsOnly(Map.entry("event", "group"), Map.entry("name", "bank"));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void theAddressIsRequired() {
    Refusal groups = Refusal.of("groups");
    assertThat(groups.exitCode()).isEqualTo(2);
    assertThat(groups.errors()).singleElement().asString().contains("HOST:PORT");
  }
}
