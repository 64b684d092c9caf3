package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Durability;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Names;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Outcome;
import org.tutti.certs.Authority;
import org.tutti.storage.StorageException;
import org.tutti.transport.Address;
import org.tutti.transport.Profile;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.memory.InProcess;

/// Nodes that are started by plain settings.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeBuilderTest {
  private static final int SOON_SECONDS = 60;

  private final List<Node> nodes = new ArrayList<>();

  @TempDir Path directory;

  @AfterEach
  void end() {
    nodes.reversed().forEach(Node::close);
  }

  private Node start(NodeBuilder builder) {
    Node node = builder.start();
    nodes.add(node);
    return node;
  }

  private static String address(Node node) {
    return node.self().address().text();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "udp", "grpc"})
  void nodesFindTheirTransportByItsName(String transport) throws Exception {
    Node first = start(Node.named("n1").transport(transport));
    Node second = start(Node.named("n2").transport(transport).contacts(address(first)));
    Group one = first.create("bank", GroupConfig.standard());
    Group two = second.join("bank");
    assertThat(two.multicast(new byte[] {5}).get(SOON_SECONDS, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    assertThat(next(one, Event.Delivery.class).payload().get(0)).isEqualTo((byte) 5);
  }

  @Test
  void nodesWithCertificatesSpeakWithEachOther() throws Exception {
    Authority authority = Authority.in(directory.resolve("authority"));
    Path one = authority.issue("n1", "tutti", Duration.ofDays(1));
    Path two = authority.issue("n2", "tutti", Duration.ofDays(1));
    Node first = start(Node.named("n1").tls(one));
    Node second = start(Node.named("n2").tls(two).contacts(address(first)));
    untilViewOf(first.create("bank", GroupConfig.standard()), 1);
    untilViewOf(second.join("bank"), 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named("n3").transport("udp").tls(one).start())
        .withMessage("transport udp has no TLS");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "grpc", "rmi", "iiop"})
  void certificatesOfAnotherClusterAreRefused(String transport) throws Exception {
    assumeThat(TransportProvider.installed()).containsKey(transport); // some builds have no ORB
    Path other = Authority.in(directory.resolve("authority")).issue("n1", "other", Duration.ofDays(1));
    Path data = directory.resolve("n1");
    NodeBuilder builder = Node.named("n1").transport(transport).tls(other).data(data);
    assertThatExceptionOfType(TransportException.class)
        .isThrownBy(builder::start)
        .withMessage("the certificate in " + other + " is for cluster other, not for tutti");
    assertThat(data).doesNotExist();
    assertThat(start(builder.cluster("other")).self().name()).isEqualTo("n1");
  }

  @Test
  void whatIsKeptInADirectoryIsThereAgain() throws Exception {
    GroupConfig durable = GroupConfig.builder().durability(Durability.VIEWS).build();
    Node first = start(Node.named("n1").data(directory.resolve("n1")));
    MemberConfig all = MemberConfig.builder().position(0).build();
    Group group = first.create("bank", durable, all);
    assertThat(group.multicast(new byte[] {9}).get(SOON_SECONDS, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    assertThatExceptionOfType(StorageException.class)
        .isThrownBy(() -> Node.named("n1").data(directory.resolve("n1")).start())
        .withMessageContaining("is in use");
    first.close();
    Group again = start(Node.named("n1").data(directory.resolve("n1"))).join("bank", all);
    assertThat(next(again, Event.Delivery.class).payload().get(0)).isEqualTo((byte) 9);
  }

  @Test
  void whereTheTransportCannotBeOpenedTheDirectoryIsFreeAgain() throws Exception {
    Path data = directory.resolve("n1");
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      NodeBuilder builder = Node.named("n1").data(data).listen("127.0.0.1:" + taken.getLocalPort());
      assertThatExceptionOfType(TransportException.class).isThrownBy(builder::start);
      assertThat(Files.isDirectory(data)).isTrue();
      assertThat(start(builder.listen("127.0.0.1:0")).self().name()).isEqualTo("n1");
    }
  }

  @Test
  void aTransportThatIsOpenIsTakenAsItIs() {
    Transport given = new InProcess().open(new Address("here"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named("n1").transport(given).listen("127.0.0.1:0").start())
        .withMessage("listen, advertise, tls and insecure do not go with a transport that is open");
    assertThat(start(Node.named("n1").transport(given)).self().address()).isEqualTo(given.address());
  }

  @Test
  void whatWasGivenToANodeThatCannotStartStaysTheCallers() {
    var hub = new InProcess(Traits.FRAME_BYTES_MIN, Traits.FRAME_BYTES_MIN);
    var place = new Address("a".repeat(Address.BYTES_MAX));
    NodeBuilder builder = Node.named("n".repeat(Names.BYTES_MAX)).transport(hub.open(place));
    assertThatIllegalArgumentException().isThrownBy(builder::start);
    assertThatIllegalStateException().isThrownBy(() -> hub.open(place)).withMessageContaining("already in use");
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named("n1").transport("pigeon").start())
        .withMessageStartingWith("'pigeon' is none of: ")
        .withMessageContaining("tcp");
    assertThatIllegalArgumentException().isThrownBy(() -> Node.named("a b").start());
    assertThatIllegalArgumentException().isThrownBy(() -> Node.named("n1").contacts(""));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named("n1").times(Duration.ofMillis(50), Duration.ofMillis(100)).start());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named("n1").groupVersionMax(4).start())
        .withMessage("groupVersionMax is 4, but this node speaks version 5 of the protocol");
    assertThatExceptionOfType(TransportException.class)
        .isThrownBy(() -> Node.named("n1").listen("0.0.0.0:0").start())
        .withMessageContaining("peers need the address of one interface");
  }

  @Test
  void theTextShowsWhatIsNotTheDefault() {
    NodeBuilder builder = Node.named("n1").contacts("h:1", "h:2").profile(Profile.WAN);
    assertThat(builder.toString())
        .startsWith(
            "NodeBuilder{name=n1, contacts=[h:1, h:2], profile=WAN, heartbeat=500 ms, suspectAfter=5000 ms;"
                + " cluster=tutti, transport=tcp, listen=127.0.0.1:0, ");
  }
}
