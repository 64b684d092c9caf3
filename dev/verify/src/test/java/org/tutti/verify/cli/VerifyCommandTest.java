package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.tutti.Node;
import org.tutti.replica.Command;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// `tutti verify` tells whether replicas have the same state.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VerifyCommandTest {
  /// A service whose state is nothing but its digest.
  private static final class Digested implements StateMachine {
    volatile OptionalLong digest = OptionalLong.of(0x2a);

    @Override
    public ByteBuffer apply(Command command) {
      return ByteBuffer.allocate(0);
    }

    @Override
    public OptionalLong digest() {
      return digest;
    }

    @Override
    public Snapshot snapshot() {
      return _ -> {};
    }

    @Override
    public void restore(InputStream in) throws IOException {
      in.readAllBytes();
    }
  }

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Digested> services = new ArrayList<>();
  private final List<Replica> replicas = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    for (String name : List.of("a", "b")) {
      Node node = Node.named(name).contacts(List.of(new Address("a"))).transport(hub.open(new Address(name))).start();
      nodes.add(node);
      services.add(new Digested());
      replicas.add(Replica.of("vault", services.getLast()).expecting("a", "b").start(node));
    }
    for (Replica replica : replicas) {
      replica.awaitServing(Duration.ofSeconds(60));
    }
  }

  @AfterEach
  void stop() {
    replicas.forEach(Replica::close);
    nodes.forEach(Node::close);
  }

  private CommandProcess verify(String... more) throws IOException {
    var args = new ArrayList<>(List.of("verify", "--service=vault", "127.0.0.1:1", replicas.getLast().clients()));
    args.addAll(List.of(more));
    return tutti.run(args.toArray(String[]::new));
  }

  private static void fails(CommandProcess process, String line) throws InterruptedException {
    assertThat(process.exitCode()).isEqualTo(1);
    assertThat(process.errors()).singleElement().asString().matches(line);
  }

  @Test
  void equalStatesAreSuccess() throws Exception {
    CommandProcess equal = verify();
    assertThat(equal.rest()).containsExactly("a 000000000000002a", "b 000000000000002a");
    assertThat(equal.exitCode()).isZero();
    assertThat(verify("--json").rest())
        .hasSize(2)
        .allMatch(line -> line.contains("\"event\":\"digest\"") && line.contains("\"digest\":\"000000000000002a\""));
  }

  @Test
  void whoHasAnotherStateIsSeenAndNoDigestAtAllIsSaid() throws Exception {
    services.getFirst().digest = OptionalLong.of(-1);
    CommandProcess different = verify();
    assertThat(different.rest()).containsExactly("a ffffffffffffffff", "b 000000000000002a");
    fails(different, "tutti verify: the states differ at position \\d+");
    services.forEach(service -> service.digest = OptionalLong.empty());
    CommandProcess none = verify();
    assertThat(none.rest()).isEmpty();
    fails(none, "tutti verify: the service gives no digest of its state");
  }

  @Test
  void whoIsNoReplicaOfTheServiceIsNamed() throws Exception {
    CommandProcess other = tutti.run("verify", "--service=bank", replicas.getFirst().clients(), "--timeout=5s");
    fails(other, "tutti verify: .*this is service \"vault\", not the one that was asked for.*");
    fails(
        tutti.run("verify", "--service=vault", "127.0.0.1:1", "--timeout=5s"),
        "tutti verify: .*127\\.0\\.0\\.1:1.*refused.*");
    assertThat(Refusal.of("verify", "--service=vault").errors()).singleElement().asString().contains("HOST:PORT");
    assertThat(Refusal.of("verify", "127.0.0.1:1").errors()).singleElement().asString().contains("--service=NAME");
  }
}
