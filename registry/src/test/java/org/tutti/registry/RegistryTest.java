package org.tutti.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Told;
import org.tutti.store.FileStorage;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Role;

/// The registry over loopback: what members are told, what it remembers, and what strangers may do to it.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegistryTest {
  private static final RegistryConfig THREE = RegistryConfig.expecting(3);

  private final List<AutoCloseable> open = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> news = new ConcurrentLinkedQueue<>();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    http.close();
  }

  private Registry registry(RegistryConfig config, @Nullable Path data, int port) throws IOException {
    FileStorage storage = data == null ? null : FileStorage.open(data);
    Registry registry = Registry.open(new InetSocketAddress("127.0.0.1", port), config, storage, null, news::add);
    open.add(registry);
    return registry;
  }

  private static String at(Registry registry) {
    return "127.0.0.1:" + registry.address().getPort();
  }

  private RegistryDiscovery member(Registry registry, String name) {
    return member(registry, "bank", name);
  }

  private RegistryDiscovery member(Registry registry, String group, String name) {
    var member = RegistryDiscovery.member(at(registry), group, name, new Address(name + ":1"), null);
    open.add(member);
    return member;
  }

  private static List<String> names(GroupState state) {
    return state.members().stream().map(member -> member.id() + " " + member.name()).toList();
  }

  @Test
  void membersAreNumberedByArrivalAndLearnTheOthersWhenAllAreThere() throws Exception {
    Registry registry = registry(THREE, null, 0);
    RegistryDiscovery one = member(registry, "n1");
    RegistryDiscovery two = member(registry, "n2");
    RegistryDiscovery onlooker = RegistryDiscovery.onlooker(at(registry), "bank", null);
    assertThat(onlooker.ask()).isEqualTo(new GroupState(-1, 3, 0, 0, false, false, false, List.of()));
    assertThat(one.ask()).isEqualTo(new GroupState(0, 3, 0, 1, false, false, false, List.of()));
    assertThat(two.ask()).isEqualTo(new GroupState(1, 3, 0, 2, false, false, false, List.of()));
    assertThat(one.find()).isEmpty();
    GroupState third = member(registry, "n3").ask();
    assertThat(third.founder()).isFalse();
    assertThat(names(third)).containsExactly("0 n1", "1 n2", "2 n3");
    assertThat(one.ask().founder()).isTrue();
    assertThat(two.ask().founder()).isFalse();
    assertThat(onlooker.find()).extracting(Address::text).containsExactly("n1:1", "n2:1", "n3:1");
    assertThat(member(registry, "shop", "n1").ask().id()).isZero();
    assertThat(news)
        .containsExactly(
            "bank: n1 is 0, at n1:1", "bank: n2 is 1, at n2:1", "bank: n3 is 2, at n3:1", "shop: n1 is 0, at n1:1");
  }

  @Test
  void membersComeAndGoAndNumbersStay() throws Exception {
    Registry registry = registry(RegistryConfig.expecting(2), null, 0);
    RegistryDiscovery one = member(registry, "n1");
    RegistryDiscovery two = member(registry, "n2");
    one.ask();
    two.ask();
    one.close();
    GroupState now = two.ask();
    assertThat(now.founder()).as("the next one, as nobody was in the group").isTrue();
    two.entered();
    now = two.ask();
    assertThat(now.founded()).isTrue();
    assertThat(names(now)).containsExactly("1 n2");
    assertThat(names(member(registry, "n3").ask())).containsExactly("1 n2", "2 n3");
    // A later life of a name has its number; the earlier one is told so.
    assertThat(member(registry, "n2").ask().id()).isEqualTo(1);
    assertThatThrownBy(two::ask)
        .isInstanceOf(IOException.class)
        .hasMessage("refused: a later life of n2 is registered");
    two.close();
    assertThat(names(member(registry, "n1").ask())).containsExactly("1 n2", "2 n3", "3 n1");
  }

  @Test
  void aRegistryThatIsStartedAgainGoesOn(@TempDir Path data) throws Exception {
    Registry first = registry(THREE, data, 0);
    RegistryDiscovery one = member(first, "n1");
    RegistryDiscovery two = member(first, "n2");
    one.ask();
    two.ask();
    first.close();
    assertThatThrownBy(one::ask).isInstanceOf(IOException.class).hasMessage("nobody listens");
    Registry second = registry(THREE, data, first.address().getPort());
    assertThat(names(member(second, "n3").ask())).containsExactly("0 n1", "1 n2", "2 n3");
    assertThat(one.ask().founder()).isTrue();
    second.close();
    // Even with its disk lost: members claim their numbers again.
    Registry third = registry(THREE, null, first.address().getPort());
    two.entered();
    assertThat(two.ask().id()).isEqualTo(1);
    assertThat(one.ask().id()).isZero();
    assertThat(names(member(third, "n4").ask())).containsExactly("0 n1", "1 n2", "2 n4");
  }

  @Test
  void whoIsNotHeardIsForgotten() throws Exception {
    Registry registry = registry(RegistryConfig.expecting(2).withLease(Duration.ofSeconds(5)), null, 0);
    member(registry, "crashed").ask();
    RegistryDiscovery two = member(registry, "n2");
    assertThat(two.ask().founder()).isFalse();
    while (two.ask().present() > 1) {
      Thread.onSpinWait();
    }
    assertThat(two.ask().founder()).isTrue();
    assertThat(news).endsWith("bank: crashed was not heard any more");
  }

  private static List<String> registered(RoleRegistration.State state) {
    return state.registrants().stream().map(one -> one.id() + " " + one.role().word() + " " + one.name()).toList();
  }

  @Test
  void clientsHaveTheLowNumbersAndTheNumberExpectedIsExact() throws Exception {
    Registry registry = registry(RegistryConfig.expecting(4).withClients(2), null, 0);
    RoleRegistration server = member(registry, "s1").inRole(Role.SERVER);
    assertThat(server.register()).isEqualTo(new RoleRegistration.State(2, 2, false, List.of()));
    RegistryDiscovery leaving = member(registry, "c1");
    RoleRegistration client = leaving.inRole(Role.CLIENT);
    assertThat(client.register().id()).isZero();
    assertThat(member(registry, "n1").ask().id()).as("without a role").isEqualTo(3);
    assertThat(server.register().complete()).as("with one client of two").isFalse();
    assertThat(member(registry, "c2").inRole(Role.CLIENT).register().id()).isOne();
    RoleRegistration.State all = server.register();
    assertThat(all.complete()).isTrue();
    assertThat(registered(all)).containsExactly("0 client c1", "1 client c2", "2 server s1");
    assertThat(server.find()).hasSize(4);
    RoleRegistration third = member(registry, "c3").inRole(Role.CLIENT);
    assertThatThrownBy(third::register)
        .isInstanceOf(IOException.class)
        .hasMessage("refused: no number is free for a client: all 2 are taken");
    leaving.close();
    assertThat(third.register().id()).isZero();
    assertThat(member(registry, "s2").inRole(Role.SERVER).register().id()).isEqualTo(4);
    assertThatThrownBy(() -> RegistryDiscovery.onlooker(at(registry), "bank", null).inRole(Role.CLIENT))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aClientCreatesNoGroup() throws Exception {
    Registry registry = registry(RegistryConfig.expecting(2).withClients(1), null, 0);
    RegistryDiscovery client = member(registry, "c1");
    client.inRole(Role.CLIENT).register();
    GroupState server = member(registry, "n1").ask();
    assertThat(server.id()).isOne();
    assertThat(server.founder()).isTrue();
    assertThat(client.ask().founder()).isFalse();
    assertThat(member(registry, "c1").inRole(Role.SERVER).register().id()).as("in another role").isEqualTo(2);
    assertThat(member(registry, "c2").inRole(Role.CLIENT).register().id()).isZero();
  }

  @Test
  void rolesAndNumbersAreKeptWhenTheRegistryIsStartedAgain(@TempDir Path data) throws Exception {
    RegistryConfig config = RegistryConfig.expecting(2).withClients(1);
    Registry first = registry(config, data, 0);
    RoleRegistration client = member(first, "c1").inRole(Role.CLIENT);
    RoleRegistration server = member(first, "s1").inRole(Role.SERVER);
    client.register();
    server.register();
    first.close();
    Registry second = registry(config, data, first.address().getPort());
    RoleRegistration.State now = member(second, "c1").inRole(Role.CLIENT).register();
    assertThat(now.id()).isZero();
    assertThat(registered(now)).containsExactly("0 client c1", "1 server s1");
    assertThatThrownBy(client::register).hasMessage("refused: a later life of c1 is registered");
    second.close();
    // Even with its disk lost.
    Registry third = registry(config.withClients(0), null, first.address().getPort());
    RoleRegistration other = member(third, "c1").inRole(Role.CLIENT);
    assertThatThrownBy(other::register).hasMessage("refused: no number is free for a client: all 0 are taken");
    assertThat(server.register().id()).isOne();
  }

  private HttpResponse<String> send(Registry registry, String path, String body) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("http://" + at(registry) + path))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void whatIsNotOfTheFormIsRefusedAndCounted() throws Exception {
    Registry registry = registry(THREE, null, 0);
    List<String> malformed =
        List.of(
            "",
            "{",
            "[]",
            "7",
            "{}",
            "[".repeat(4000),
            "{\"group\":7}",
            "{\"group\":\"\"}",
            "{\"group\":\"a\\nb\"}",
            "{\"group\":\"" + "g".repeat(256) + "\"}",
            "{\"group\":\"bank\",\"name\":\"n1\",\"life\":\"x\"}",
            "{\"group\":\"bank\",\"name\":\"n1\",\"life\":1e999}",
            "{\"group\":\"bank\",\"name\":\"n1\",\"life\":99999999999999999999999}",
            "{\"group\":\"bank\",\"name\":\"n1\",\"life\":1,\"address\":\"a:1\",\"in\":1,\"id\":-1}",
            "{\"group\":\"bank\",\"name\":\"n1\",\"life\":1,\"address\":\"a:1\",\"in\":true,\"id\":-1,\"role\":7}");
    for (String body : malformed) {
      assertThat(send(registry, "/v1/announce", body).statusCode()).as(body).isEqualTo(400);
    }
    assertThat(send(registry, "/v1/announce", " ".repeat(5000)).statusCode()).isEqualTo(413);
    assertThat(send(registry, "/v2/announce", "{}").statusCode()).isEqualTo(404);
    assertThat(send(registry, "/", "{}").statusCode()).isEqualTo(404);
    var get = HttpRequest.newBuilder(URI.create("http://" + at(registry) + "/v1/look")).build();
    HttpResponse<String> refused = http.send(get, HttpResponse.BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("Allow")).hasValue("POST");
    assertThat(refused(registry, "malformed")).isEqualTo(malformed.size());
    assertThat(refused(registry, "too-long")).isEqualTo(1);
    assertThat(refused(registry, "unknown-path")).isEqualTo(2);
    assertThat(refused(registry, "wrong-method")).isEqualTo(1);
    assertThat(send(registry, "/v1/counters", "").body())
        .contains("\"registry.requests.refused{reason=malformed}\":" + malformed.size());
    assertThat(member(registry, "n1").ask().id()).isZero();
    assertThat(registry.failure()).isNotDone();
  }

  private static long refused(Registry registry, String reason) {
    return Told.of(registry.metrics(), "registry.requests.refused{reason=" + reason + "}");
  }

  @Test
  void groupsAndMembersAreBoundedInNumber() throws Exception {
    Registry registry = registry(new RegistryConfig(1, Duration.ofSeconds(60), 2, 3, 0), null, 0);
    for (String name : List.of("n1", "n2", "n3")) {
      member(registry, name).ask();
    }
    assertThatThrownBy(() -> member(registry, "n4").ask()).hasMessage("refused: the group has 3 members already");
    member(registry, "shop", "n1").ask();
    RegistryDiscovery third = member(registry, "third", "n1");
    assertThatThrownBy(third::ask).hasMessage("refused: there are 2 groups already");
    assertThat(refused(registry, "full")).isEqualTo(2);
    Registry brief = registry(new RegistryConfig(1, Duration.ofSeconds(1), 1, 3, 0), null, 0);
    member(brief, "n1").ask();
    RegistryDiscovery next = member(brief, "third", "n1");
    while (!isTaken(next)) {
      Thread.onSpinWait(); // until the lease of the other one is over
    }
    assertThat(next.ask().id()).isZero();
  }

  private static boolean isTaken(RegistryDiscovery member) throws InterruptedException {
    try {
      return member.ask().id() >= 0;
    } catch (IOException full) {
      return false;
    }
  }

  private static String said(Registry registry, String words) throws IOException {
    try (var socket = new Socket("127.0.0.1", registry.address().getPort())) {
      socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void whatIsUnusualInHttpIsRefusedAndTheConnectionEnds() throws Exception {
    Registry registry = registry(RegistryConfig.expecting(1), null, 0);
    String end = "\r\n\r\n";
    assertThat(said(registry, "GET /v1/counters HTTP/1.1" + end)).startsWith("HTTP/1.1 200 OK\r\n").contains("{\"");
    assertThat(said(registry, "HEAD /v1/counters?x=1 HTTP/1.0" + end)).startsWith("HTTP/1.1 200 OK").endsWith(end);
    assertThat(said(registry, "POST /v1/look HTTP/1.1\r\nTransfer-Encoding: chunked" + end)).contains(" 411 ");
    String twice = "Content-Length: 2\r\nContent-Length: 3";
    assertThat(said(registry, "POST /v1/look HTTP/1.1\r\n" + twice + end + "{}")).contains(" 400 ");
    assertThat(said(registry, "POST /v1/look HTTP/1.1\r\nContent-Length: -1" + end)).contains(" 400 ");
    assertThat(said(registry, "POST /v1/look HTTP/1.1\r\nno field" + end)).contains(" 400 ");
    assertThat(said(registry, "\u0016\u0003\u0001 a handshake" + end)).contains(" 400 ");
    assertThat(said(registry, "GET /" + "x".repeat(9000) + " HTTP/1.1" + end)).contains(" 413 ");
    String waits = "POST /v1/look HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 16";
    assertThat(said(registry, waits + end + "{\"group\":\"bank\"}"))
        .startsWith("HTTP/1.1 100 Continue" + end + "HTTP/1.1 200 OK");
    assertThat(refused(registry, "malformed")).isEqualTo(4);
    assertThat(refused(registry, "no-length")).isEqualTo(1);
    assertThat(registry.failure()).isNotDone();
  }

  @Test
  void noiseAndIdleConnectionsHarmNobody() throws Exception {
    Registry registry = registry(RegistryConfig.expecting(1), null, 0);
    var random = new Random(1);
    for (int i = 0; i < 50; i++) {
      try (var noisy = new Socket("127.0.0.1", registry.address().getPort())) {
        byte[] noise = new byte[1000];
        random.nextBytes(noise);
        noisy.getOutputStream().write(noise);
      }
    }
    var idle = new ArrayList<Socket>();
    for (int i = 0; i < 300; i++) {
      idle.add(new Socket("127.0.0.1", registry.address().getPort()));
    }
    assertThat(member(registry, "n1").ask().founder()).isTrue();
    for (Socket socket : idle) {
      socket.close();
    }
  }
}
