package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/// Two hosts, `a` and `b`, on both sides of a link between two routers of the kernel, `r` and `s`: four namespaces.
/// Everybody's own interface has Ethernet's 1500 bytes.
public final class RoutedHosts implements AutoCloseable {
  /// The address of `a`.
  public static final String A = "10.214.1.2";

  /// The address of `b`.
  public static final String B = "10.214.3.2";

  private static final String[] NAMES = {"a", "r", "s", "b"};
  private static final AtomicInteger NETWORKS = new AtomicInteger();

  private final String prefix = "tutti-" + ProcessHandle.current().pid() + "-9" + NETWORKS.incrementAndGet() + "-";

  /// The command that runs another one on a host.
  ///
  /// @param host    its name
  /// @param command and its arguments
  /// @return a new list
  public List<String> at(String host, List<String> command) {
    var whole = new ArrayList<>(List.of("ip", "netns", "exec", prefix + host));
    whole.addAll(command);
    return whole;
  }

  /// A host answers nothing, nor says that a port is closed.
  ///
  /// @param host its name
  /// @throws IOException when that is not possible
  public void silence(String host) throws IOException {
    ip(host, "rule add iif lo ipproto icmp priority 1 blackhole");
  }

  private void ip(String at, String command) throws IOException {
    var words = new ArrayList<>(List.of("ip", "-n", prefix + at));
    words.addAll(List.of(command.split(" ")));
    UdpPathMtuTest.run(words.toArray(String[]::new));
  }

  private void link(String one, String device, String other, String itsDevice) throws IOException {
    UdpPathMtuTest.run(
        "ip",
        "link",
        "add",
        device,
        "netns",
        prefix + one,
        "type",
        "veth",
        "peer",
        "name",
        itsDevice,
        "netns",
        prefix + other);
    ip(one, "link set " + device + " up");
    ip(other, "link set " + itsDevice + " up");
  }

  /// The link between the routers.
  ///
  /// @param mtu its MTU from now on
  /// @throws IOException when that is not possible
  public void middle(int mtu) throws IOException {
    ip("r", "link set mid mtu " + mtu);
    ip("s", "link set mid mtu " + mtu);
  }

  /// Makes them, or skips the test and says why.
  ///
  /// @param mtu    of the link between the routers
  /// @param silent whether the routers do not say that something is too long
  public void build(int mtu, boolean silent) {
    try {
      for (String name : NAMES) {
        UdpPathMtuTest.run("ip", "netns", "add", prefix + name);
        ip(name, "link set lo up");
      }
      link("a", "eth0", "r", "side");
      link("r", "mid", "s", "mid");
      link("s", "side", "b", "eth0");
      ip("a", "addr add " + A + "/24 dev eth0");
      ip("r", "addr add 10.214.1.1/24 dev side");
      ip("r", "addr add 10.214.2.1/24 dev mid");
      ip("s", "addr add 10.214.2.2/24 dev mid");
      ip("s", "addr add 10.214.3.1/24 dev side");
      ip("b", "addr add " + B + "/24 dev eth0");
      ip("a", "route add default via 10.214.1.1");
      ip("b", "route add default via 10.214.3.1");
      ip("r", "route add 10.214.3.0/24 via 10.214.2.2");
      ip("s", "route add 10.214.1.0/24 via 10.214.2.1");
      for (String router : new String[] {"r", "s"}) {
        UdpPathMtuTest.run("ip", "netns", "exec", prefix + router, "sysctl", "-qw", "net.ipv4.ip_forward=1");
        if (silent) {
          silence(router); // its own ICMP messages go nowhere
        }
      }
      middle(mtu);
    } catch (IOException e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
  }

  /// Removes them.
  @Override
  public void close() {
    for (String name : NAMES) {
      try {
        UdpPathMtuTest.run("ip", "netns", "delete", prefix + name);
      } catch (IOException _) {
        // it was never made
      }
    }
  }

  /// A counter of IP in a namespace.
  private long snmp(String at, String name) throws IOException {
    String[] ip =
        UdpPathMtuTest.run("ip", "netns", "exec", prefix + at, "cat", "/proc/net/snmp")
            .lines()
            .filter(line -> line.startsWith("Ip:"))
            .toArray(String[]::new);
    return Long.parseLong(ip[1].split(" ")[Arrays.asList(ip[0].split(" ")).indexOf(name)]);
  }

  /// Fails when a packet was fragmented.
  ///
  /// @throws IOException when the counters cannot be read
  void assertNoFragments() throws IOException {
    for (String name : NAMES) {
      assertThat(snmp(name, "FragCreates")).as("fragments made at " + name).isZero();
      assertThat(snmp(name, "ReasmReqds")).as("fragments come to " + name).isZero();
    }
  }
}
