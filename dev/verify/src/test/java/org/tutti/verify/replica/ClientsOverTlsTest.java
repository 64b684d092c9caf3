package org.tutti.verify.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.example.counter.Counter;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.certs.Authority;
import org.tutti.fixture.Told;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.TransportException;
import org.tutti.transport.memory.InProcess;

/// One replica, and clients that come to it with certificates of several kinds, or none.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientsOverTlsTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MANY = 1000;

  @TempDir Path directory;
  private Authority authority;
  private Node node;
  private @Nullable Replica replica;
  private final List<Client> clients = new ArrayList<>();

  @BeforeEach
  void begin() throws Exception {
    authority = Authority.in(directory.resolve("ca"));
    node = Node.named("a").transport(new InProcess().open(new Address("a"))).start();
  }

  @AfterEach
  void end() {
    clients.forEach(Client::close);
    if (replica != null) {
      replica.close();
    }
    node.close();
  }

  private Path issue(String name, String cluster) throws Exception {
    return authority.issue(name, cluster, DAY);
  }

  private Path issue(String name, String cluster, String role) throws Exception {
    return authority.issue(name, cluster, List.of(role), DAY);
  }

  private static Replica.Builder settings() {
    return Replica.of("counter", new Counter()).founding();
  }

  private Replica serve(Replica.Builder settings) throws Exception {
    Replica started = settings.start(node);
    replica = started;
    started.awaitServing(PATIENCE);
    return started;
  }

  private Client client(Replica at, @Nullable Credentials own) {
    Client.Builder settings = Client.of("counter").at(at.clients()).deadline(PATIENCE).silence(Duration.ofSeconds(10));
    Client client = (own == null ? settings : settings.tls(own)).connect();
    clients.add(client);
    return client;
  }

  private static ByteBuffer number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
  }

  private static long call(Client client, long amount) throws Exception {
    return client.call(number(amount)).get().getLong();
  }

  /// A call that is not served, until the replica has counted why.
  private static void assertRefused(Client client, Replica at, String reason, String words) throws Exception {
    CompletableFuture<ByteBuffer> call = client.call(number(1), Duration.ofSeconds(5));
    Instant end = Instant.now().plus(PATIENCE);
    while (Told.of(at.metrics(), "{reason=" + reason + "}") == 0) {
      assertThat(Instant.now()).as("not counted: " + at.metrics()).isBefore(end);
      LockSupport.parkNanos(1_000_000);
    }
    var late = catchThrowableOfType(ExecutionException.class, call::get);
    assertThat(late.getCause()).isInstanceOf(CallTimeoutException.class).hasMessageContaining(words);
    assertThat(Metric.sum(at.metrics(), "replica.commands.executed")).isZero();
  }

  @Test
  void clientsWithACertificateOfTheClusterAreServed() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank-clients")));
    assertThat(call(client(at, Credentials.load(issue("c", "bank-clients"))), 5)).isEqualTo(5);
    Client other = Client.of("counter").at(at.clients()).tls(issue("d", "bank-clients")).connect();
    clients.add(other);
    List<CompletableFuture<ByteBuffer>> replies = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      replies.add(other.call(ByteBuffer.allocate(1 + 16 * i + Long.BYTES).putLong(0, 1)));
    }
    assertThat(replies.getLast().get().getLong()).isEqualTo(1005);
  }

  @Test
  void aCertificateOfAnotherClusterIsRefused() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank-clients")));
    assertRefused(client(at, Credentials.load(issue("c", "other"))), at, "refused-by-peer", "cluster bank-clients");
  }

  @Test
  void aCertificateForClientsIsServed() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank", "member")));
    assertThat(call(client(at, Credentials.load(issue("c", "bank", "client"))), 7)).isEqualTo(7);
  }

  @Test
  void aCertificateForOperatorsIsRefused() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank", "member")));
    Credentials operator = Credentials.load(issue("o", "bank", "operator"));
    assertRefused(client(at, operator), at, "wrong-role", "it refuses this node's certificate");
  }

  @Test
  void whoHasAClientsCertificateIsNoReplica() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank", "client")));
    Client client = client(at, Credentials.load(issue("c", "bank", "client")));
    assertRefused(client, at, "refused-by-peer", "the certificate is for the role client, not member");
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank")));
    Path strange = Authority.in(directory.resolve("strange")).issue("c", "bank", DAY);
    assertRefused(client(at, Credentials.load(strange)), at, "refused-by-peer", "its certificate is refused here");
  }

  @Test
  void whoShowsNoCertificateIsRefused() throws Exception {
    Path own = issue("a", "bank");
    Replica at = serve(settings().tls(own));
    assertRefused(client(at, Credentials.trusting(own, "bank")), at, "wrong-certificate", "it refuses");
  }

  @Test
  void unlessItIsAllowed() throws Exception {
    Path own = issue("a", "bank");
    Replica at = serve(settings().tls(own).withoutClientCertificates());
    assertThat(call(client(at, Credentials.trusting(own, "bank")), 3)).isEqualTo(3);
    assertRefusedCluster(at, own);
  }

  private void assertRefusedCluster(Replica at, Path own) throws Exception {
    Client wary = client(at, Credentials.trusting(own, "other"));
    var late = catchThrowableOfType(ExecutionException.class, () -> wary.call(number(1), Duration.ofSeconds(3)).get());
    assertThat(late.getCause()).hasMessageContaining("cluster bank");
  }

  @Test
  void whoSpeaksNoTlsIsRefused() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank")));
    assertRefused(client(at, null), at, "not-tls", "it speaks TLS, this client does not");
  }

  @Test
  void whoSpeaksTlsToAPortWithoutIsRefused() throws Exception {
    Replica at = serve(settings());
    assertRefused(client(at, Credentials.load(issue("c", "bank"))), at, "is-tls", "it does not speak TLS");
  }

  @Test
  void otherInterfacesThanLoopbackNeedTls() throws Exception {
    assertThatThrownBy(() -> settings().clients("192.0.2.1:0").start(node))
        .isInstanceOf(TransportException.class)
        .hasMessageContaining("clients are not encrypted");
    assertThatThrownBy(() -> settings().clients("192.0.2.1:0").tls(issue("a", "bank")).start(node))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot listen"); // as no host here has that address
  }

  @Test
  void certificatesThatCannotBeReadAreSaid() {
    assertThatThrownBy(() -> Client.of("counter").at("127.0.0.1:1").tls(directory).connect())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cert.pem");
    assertThatThrownBy(() -> settings().tls(directory).start(node))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cert.pem");
  }

  @Test
  @Tag("deep")
  void aThousandClientsAreServedByOneThread() throws Exception {
    Replica at = serve(settings().tls(issue("a", "bank")));
    Credentials own = Credentials.load(issue("c", "bank"));
    int port = Integer.parseInt(at.clients().substring(at.clients().lastIndexOf(':') + 1));
    List<SSLSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        sockets.add(greeted(own, port));
      }
      assertThat(Metric.sum(at.metrics(), "replica.connections.open")).isEqualTo(MANY);
      assertThat(call(client(at, own), 7)).isEqualTo(7);
      long threads =
          Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().startsWith("clients-")).count();
      assertThat(threads).isEqualTo(1);
    } finally {
      for (SSLSocket socket : sockets) {
        socket.close();
      }
    }
  }

  /// Says HELLO and is welcomed.
  private static SSLSocket greeted(Credentials own, int port) throws IOException {
    var socket = (SSLSocket) own.context().getSocketFactory().createSocket("127.0.0.1", port);
    socket.setTcpNoDelay(true); // else the greeting waits 40 ms for the acknowledgement of the handshake
    byte[] name = "counter".getBytes(UTF_8);
    ByteBuffer hello = ByteBuffer.allocate(15 + name.length).putInt(11 + name.length).put((byte) 1);
    hello.put("TUC1".getBytes(UTF_8)).putShort((short) 2).putInt(-1).put(name); // wants no policy
    socket.getOutputStream().write(hello.array());
    var in = new DataInputStream(socket.getInputStream());
    byte[] welcome = in.readNBytes(in.readInt());
    assertThat(welcome[0]).isEqualTo((byte) 16);
    return socket;
  }
}
