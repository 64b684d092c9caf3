package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.fixture.Told;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpKeys;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;

/// A group over UDP multicasts on while its members' keys are changed.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeysChangeTest {
  private static final Address ANYWHERE = new Address("127.0.0.1:0");
  private static final int MEMBERS = 3;
  private static final String OLD = HexFormat.of().formatHex(new byte[UdpKey.BYTES]);
  private static final String NEW = "5".repeat(2 * UdpKey.BYTES);

  @TempDir Path directory;

  private final List<UdpTransport> transports = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  private MulticastRounds traffic = new MulticastRounds(List.of());

  private void begin() throws Exception {
    for (int i = 0; i < MEMBERS; i++) {
      write(i, OLD);
      transports.add(UdpTransport.open(ANYWHERE, UdpConfig.lan().withKeys(UdpKeys.follow(file(i)))));
      List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
      NodeBuilder how = Node.named("n" + i).contacts(contacts).times(Duration.ofMillis(100), Duration.ofSeconds(10));
      nodes.add(how.transport(transports.get(i)).start());
      groups.add(i == 0 ? nodes.get(0).create("bank", GroupConfig.standard()) : join(i));
    }
    for (Group group : groups) {
      untilViewOf(group, MEMBERS);
    }
    traffic = new MulticastRounds(groups);
  }

  private Group join(int member) throws Exception {
    return nodes.get(member).join("bank");
  }

  @AfterEach
  void end() throws IOException {
    for (Node node : nodes) {
      assertThat(node.failure()).isNull();
      node.close();
    }
  }

  private Path file(int member) {
    return directory.resolve("key" + member);
  }

  private void write(int member, String... lines) throws IOException {
    Path fresh = Files.write(directory.resolve("fresh"), List.of(lines));
    Files.move(fresh, file(member), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private long counted(int member, String what) {
    return Told.of(transports.get(member).metrics(), what);
  }

  private void step(String... lines) throws Exception {
    for (int i = 0; i < MEMBERS; i++) {
      int member = i;
      long changes = counted(member, "keys.changed");
      write(member, lines);
      traffic.until(() -> counted(member, "keys.changed") > changes);
    }
  }

  /// Whether who has only this key is refused.
  private boolean isStrange(String key) throws IOException {
    long refused = counted(0, "datagrams.dropped{reason=unknown-key}");
    UdpKey secret = UdpKey.of(HexFormat.of().parseHex(key));
    try (UdpTransport stranger = UdpTransport.open(ANYWHERE, UdpConfig.lan().withKey(secret))) {
      stranger.start(
          new Receiver() {
            @Override
            public void onFrame(ByteBuffer frame) {}

            @Override
            public void onReady(Address peer) {}
          });
      boolean known = false;
      while (!known && counted(0, "datagrams.dropped{reason=unknown-key}") == refused) {
        stranger.claim(nodes.getFirst().self().address(), 1);
        stranger.poll(TimeUnit.MILLISECONDS.toNanos(10));
        known = Told.of(stranger.metrics(), "peers.connected") > 0;
      }
      return !known;
    }
  }

  @Test
  void neitherTheViewChangesNorAMessageIsLost() throws Exception {
    begin();
    assertThat(isStrange(OLD)).isFalse();
    assertThat(isStrange(NEW)).isTrue();
    step(OLD, NEW);
    step(NEW, OLD);
    step(NEW);
    assertThat(isStrange(NEW)).isFalse();
    assertThat(isStrange(OLD)).isTrue();
    for (int i = 0; i < MEMBERS; i++) {
      assertThat(counted(i, "keys.changed")).isEqualTo(3);
      assertThat(counted(i, "datagrams.opened{key=other}")).as("while the first two had changed").isPositive();
    }
  }

  @Test
  void aBadFileChangesNothing() throws Exception {
    begin();
    Files.writeString(file(1), NEW.substring(1));
    traffic.until(() -> counted(1, "keys.unusable") > 1);
    Files.delete(file(2));
    traffic.until(() -> counted(2, "keys.unusable") > 1);
    step(OLD, NEW);
    long before = counted(1, "keys.unusable");
    traffic.until(() -> true);
    assertThat(counted(1, "keys.unusable")).isEqualTo(before);
  }
}
