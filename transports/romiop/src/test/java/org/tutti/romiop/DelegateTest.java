package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.replica.consolidation.Consolidation;

/// A group of one delegate, whose process with servants is this test.
class DelegateTest {
  private static final Duration SUSPECT_AFTER = Duration.ofSeconds(15);

  @TempDir private Path directory;
  private DeliveryPeer peer;
  private String address;

  @BeforeEach
  void open() throws IOException {
    peer = new DeliveryPeer();
    address = LoopbackPorts.address();
  }

  @AfterEach
  void close() throws IOException {
    peer.close();
  }

  private Properties properties(String... more) throws IOException {
    Properties properties = new Properties();
    for (String each :
        new String[] {
          "cluster=c",
          "group=g",
          "name=m",
          "members=m",
          "listen=" + address,
          "contacts=" + address,
          "objects=Counter",
          "suspect_after=" + SUSPECT_AFTER.toMillis(),
          "delivery=" + peer.reference(directory)
        }) {
      set(properties, each);
    }
    for (String each : more) {
      set(properties, each);
    }
    return properties;
  }

  private static void set(Properties properties, String each) {
    int equals = each.indexOf('=');
    properties.setProperty("tutti.romiop." + each.substring(0, equals), each.substring(equals + 1));
  }

  private GroupCaller client() {
    var times = new GroupCaller.Times(new NodeProperties(SUSPECT_AFTER), Duration.ofMinutes(1), Duration.ZERO);
    Consolidation rule = Consolidation.first().within(Duration.ofMinutes(1));
    return GroupCaller.join(RomiopProfile.of("tutti:1.0@c!g!" + address), rule, times);
  }

  private static Giop request(int id) throws Exception {
    return Giop.of(new Requests(2, ByteOrder.BIG_ENDIAN).request(id, 1, "Counter", "body".getBytes(US_ASCII)));
  }

  @Test
  void clientsGetTheRepliesOfTheProcess() throws Exception {
    peer.serve(false);
    try (Delegate delegate = Delegate.start(properties("references=" + directory.resolve("refs")));
        GroupCaller client = client()) {
      assertThat(delegate).isNotNull();
      for (int i = 0; i < 10; i++) {
        client.request(request(i));
        Giop reply = Giop.of(client.next());
        assertThat(reply.requestId()).isEqualTo(i);
        assertThat(reply.body().ulong()).isEqualTo(7);
      }
    }
    assertThat(Files.readString(directory.resolve("refs/Counter.ior"))).startsWith("IOR:");
  }

  @Test
  void metricsTellWhatBecameOfRequests() throws Exception {
    peer.serve(false);
    int port = LoopbackPorts.free();
    var times = new GroupCaller.Times(new NodeProperties(SUSPECT_AFTER), Duration.ofMinutes(1), Duration.ZERO);
    Consolidation rule = Consolidation.first().within(Duration.ofMinutes(1));
    try (Delegate delegate = Delegate.start(properties("metrics=127.0.0.1:" + port));
        GroupCaller gateway = GroupCaller.join(RomiopProfile.of("tutti:1.0@c!g!" + address), rule, times, _ -> {})) {
      assertThat(delegate).isNotNull();
      byte[] context = ftRequest(1, FtRequest.now() + 60 * FtRequest.SECOND);
      for (int i = 0; i < 3; i++) {
        gateway.request(Giop.of(Requests.withContext("add", "Counter", i, context, new byte[4])));
        assertThat(Giop.of(gateway.next()).isResult()).isTrue();
      }
      byte[] late = ftRequest(2, FtRequest.now() - FtRequest.SECOND);
      gateway.request(Giop.of(Requests.withContext("add", "Counter", 4, late, new byte[4])));
      assertThat(Giop.of(gateway.next()).failure()).isEqualTo(RomiopFailure.EXPIRED);
      gateway.request(Giop.of(Requests.withContext("add", "Nobody", 5, late, new byte[4])));
      assertThat(Giop.of(gateway.next()).failure()).isEqualTo(RomiopFailure.NO_SUCH_OBJECT);
      assertThat(metrics(port))
          .contains("tutti_delivery_requests_executed_total 1\n")
          .contains("tutti_romiop_requests_executed_total 1\n")
          .contains("tutti_romiop_requests_repeated_total 2\n")
          .contains("tutti_romiop_requests_refused_total{reason=\"expired\"} 1\n")
          .contains("tutti_romiop_requests_refused_total{reason=\"no-such-object\"} 1\n")
          .contains("tutti_romiop_kept_replies 1\n")
          .contains("tutti_group_messages_delivered_total{group=\"g\"}")
          .contains("tutti_loop_turns_made_total");
    }
  }

  private static byte[] ftRequest(int call, long expiration) {
    return new CdrOut().octet(0).string("me").ulong(call).ulonglong(expiration).bytes();
  }

  private static String metrics(int port) throws Exception {
    try (InputStream in = URI.create("http://127.0.0.1:" + port + "/metrics").toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void metricsAreOnLoopbackOnlyUnlessThatIsWanted() throws Exception {
    Properties open = properties("metrics=0.0.0.0:9100");
    assertThatThrownBy(() -> Delegate.start(open))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only loopback unless tutti.romiop.insecure=true");
  }

  @Test
  void withCertificatesWhoHasNoneIsNotServed() throws Exception {
    peer.serve(false);
    Authority authority = Authority.in(directory.resolve("ca"));
    Path server = authority.issue("s1", "c", Duration.ofDays(1));
    Path caller = authority.issue("caller", "c", Duration.ofDays(1));
    RomiopProfile group = RomiopProfile.of("tutti:1.0@c!g!" + address);
    Consolidation rule = Consolidation.first().within(Duration.ofMinutes(1));
    var nodes = new NodeProperties(SUSPECT_AFTER, "127.0.0.1:0", caller, false);
    var soon = new GroupCaller.Times(new NodeProperties(SUSPECT_AFTER), Duration.ofSeconds(1), Duration.ZERO);
    try (Delegate delegate = Delegate.start(properties("tls=" + server));
        GroupCaller client =
            GroupCaller.join(group, rule, new GroupCaller.Times(nodes, Duration.ofMinutes(1), Duration.ZERO))) {
      assertThat(delegate).isNotNull();
      client.request(request(1));
      assertThat(Giop.of(client.next()).body().ulong()).isEqualTo(7);
      assertThatThrownBy(() -> GroupCaller.join(group, rule, soon)).isInstanceOf(org.omg.CORBA.TRANSIENT.class);
    }
  }

  @Test
  void servantsThatWereUsedFoundNoGroup() throws Exception {
    peer.serve(true);
    try (Delegate delegate = Delegate.start(properties("recoverable=true"));
        GroupCaller client = client()) {
      client.request(request(1));
      assertThat(delegate.awaitEnd()).contains("executed requests in an earlier life and got no state");
    }
    assertThatThrownBy(() -> Delegate.start(properties())).hasMessageContaining("restart their process");
  }

  @Test
  void theEndOfTheProcessIsThatOfTheMember() throws Exception {
    Thread.ofVirtual()
        .start(() -> {
          try (DeliveryPeer.Connection connection = peer.accept()) {
            connection.begun(false);
            connection.delivered();
            peer.close();
          } catch (IOException | Giop.BrokenGiopException _) {
            // The test fails.
          }
        });
    try (Delegate delegate = Delegate.start(properties());
        GroupCaller client = client()) {
      client.request(request(1));
      assertThat(delegate.awaitEnd()).contains("its connection has ended, and there is no other");
      assertThat(Giop.of(client.next()).isResult()).isFalse();
    }
  }

  @Test
  void whatDoesNotGoWithTheProcessIsRefused() throws Exception {
    peer.serve(false);
    assertThatThrownBy(() -> Delegate.start(properties("objects=Counter,Other")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tutti.romiop.objects=Counter,Other: the process has [Counter]");
    assertThatThrownBy(() -> Delegate.start(properties("delivery_timeout=5")))
        .hasMessage("tutti.romiop.delivery_timeout: 10 to 3600000 ms, not 5");
    assertThatThrownBy(() -> Delegate.start(properties("delivery=" + directory.resolve("none"))))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot read ");
    Path wrong = Files.writeString(directory.resolve("wrong"), "IOR:00");
    assertThatThrownBy(() -> Delegate.start(properties("delivery=" + wrong)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a value that ends behind the message");
    peer.close();
    assertThatThrownBy(() -> Delegate.start(properties())).isInstanceOf(IOException.class);
  }
}
