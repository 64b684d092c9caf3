package org.tutti.verify.discovery;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.net.discovery.MulticastDiscovery;
import org.tutti.transport.Address;
import org.tutti.verify.lab.Hosts;

/// Members of a segment find each other while somebody there multicasts nonsense and invented addresses.
@Tag("system")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MulticastHostileTest {
  private static final String GROUP = "239.192.7.9";
  private static final int PORT = 7411;
  private static final Address AT = new Address(GROUP + ":" + PORT);

  private Hosts hosts;

  @AfterEach
  void end() {
    if (hosts != null) {
      hosts.close();
    }
  }

  private BufferedReader start(int node, String role) throws IOException {
    List<String> args = List.of(role, hosts.addressOf(node));
    return hosts
        .start(node, Hosts.java(MulticastHostileTest.class, args, "-Xmx32m"), ProcessBuilder.Redirect.INHERIT)
        .inputReader();
  }

  @Test
  void membersAreFoundBehindNonsenseAndInventedAddresses() throws Exception {
    hosts = Hosts.open("a", "b", "c");
    assertThat(start(1, "flood").readLine()).isEqualTo("flooding");
    BufferedReader first = start(0, "member");
    BufferedReader third = start(2, "member");
    for (BufferedReader member : List.of(first, third)) {
      List<String> said = member.lines().toList(); // until it has found the other one and met everything
      assertThat(said).as("the other member, and a bounded number of inventions").contains("found");
      for (String reason :
          List.of("foreign-protocol", "other-version", "bad-length", "other-cluster", "bad-address", "too-many")) {
        assertThat(said.getLast()).matches(".*dropped\\{reason=" + reason + "} [1-9].*");
      }
      assertThat(said.getLast()).matches(".*datagrams\\.taken [1-9].*");
    }
  }

  /// A role in a namespace: `member` or `flood`, and the own host.
  public static void main(String[] args) throws Exception {
    if (args[0].equals("flood")) {
      flood();
    } else {
      member(args[1]);
    }
  }

  private static void member(String host) throws IOException {
    String other = host.endsWith("1") ? host.replaceAll("1$", "3") : host.replaceAll("3$", "1");
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    boolean all = false;
    try (var discovery = MulticastDiscovery.member(AT, "eth0", "bank", new Address(host + ":7001"))) {
      while (!all && System.nanoTime() < endNanos) {
        List<Address> found = discovery.find();
        // Own address and the other's come from hosts of their own; of one that floods 64 are remembered.
        boolean good = found.contains(new Address(other + ":7001")) && found.size() <= 65;
        all = good && discovery.metrics().stream().allMatch(one -> one.value() > 0);
        if (good) {
          System.out.println("found");
        }
      }
      // The other member may have to hear this one a few times more.
      for (int i = 0; i < 20; i++) {
        discovery.find();
      }
      System.out.println(discovery.metrics());
    }
  }

  /// Multicasts all that a member must bear, until it is killed.
  private static void flood() throws Exception {
    var random = new Random(1);
    try (var socket = new MulticastSocket()) {
      socket.setOption(StandardSocketOptions.IP_MULTICAST_IF, NetworkInterface.getByName("eth0"));
      System.out.println("flooding");
      for (int i = 0; ; i++) {
        byte[] bytes = nonsense(i, random);
        socket.send(new DatagramPacket(bytes, bytes.length, new InetSocketAddress(InetAddress.ofLiteral(GROUP), PORT)));
        if (i % 16 == 0) {
          TimeUnit.MILLISECONDS.timedJoin(Thread.currentThread(), 1); // some thousands a second
        }
      }
    }
  }

  private static byte[] nonsense(int i, Random random) {
    byte[] noise = new byte[random.nextInt(i % 50 == 0 ? 9000 : 600)];
    random.nextBytes(noise);
    return switch (i % 6) {
      case 0 -> noise;
      case 1 -> announcement(2, "bank", "10.1.2.3:7");
      case 2 -> announcement(1, "shop", "10.1.2.3:7");
      case 3 -> announcement(1, "bank", "nobody:7");
      case 4 -> ByteBuffer.allocate(40).put(announcement(1, "bank", "10.1.2.3:7")).array();
      default -> announcement(1, "bank", "10." + random.nextInt(256) + "." + random.nextInt(256) + ".9:7");
    };
  }

  private static byte[] announcement(int version, String cluster, String address) {
    return ByteBuffer.allocate(7 + cluster.length() + address.length())
        .putInt(0x54757444)
        .put((byte) version)
        .put((byte) cluster.length())
        .put((byte) address.length())
        .put(cluster.getBytes(US_ASCII))
        .put(address.getBytes(US_ASCII))
        .array();
  }
}
