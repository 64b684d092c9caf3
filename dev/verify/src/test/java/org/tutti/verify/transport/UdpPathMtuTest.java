package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.verify.lab.Hosts;

/// A group of two on both sides of a link with a smaller MTU, between two routers of the kernel: four namespaces that
/// the test makes and removes. Everybody's own interface has Ethernet's 1500 bytes.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpPathMtuTest {
  private static final int ETHERNET = 1500;
  private static final int HEADERS = 28;
  private static final int SEAL = 36;
  private static final int NEAR = 64; // the search may not have ended
  private static final int MESSAGES = 400;
  private static final int BYTES = 6000;
  private static final List<String> SHOWN =
      List.of(
          "gap-millis",
          "udp.path.bytes",
          "udp.probes.sent{kind=size}",
          "udp.datagrams.unsent{reason=too-long}",
          "udp.datagrams.cut",
          "udp.pieces.sent",
          "udp.pieces.joined",
          "udp.datagrams.dropped{reason=incomplete}");

  private final RoutedHosts hosts = new RoutedHosts();
  private final List<Process> processes = new ArrayList<>();

  /// One member: sends, and reads what both send.
  static final class Member {
    private static final Duration SOON = Duration.ofSeconds(40);

    /// Arguments: host, contact or "-".
    public static void main(String[] args) throws Exception {
      boolean first = args[1].equals("-");
      UdpConfig config = UdpConfig.lan().withKey(UdpKey.of(new byte[UdpKey.BYTES]));
      List<Address> contacts = first ? List.of() : List.of(new Address(args[1]));
      NodeBuilder how =
          Node.named(first ? "a" : "b").contacts(contacts).times(Duration.ofMillis(200), Duration.ofSeconds(10));
      try (Node node = how.transport(UdpTransport.open(new Address(args[0] + ":0"), config)).start()) {
        Group group = first ? node.create("g", GroupConfig.standard()) : node.join("g");
        System.out.println("address " + node.self().address());
        while (group.view() == null || group.view().size() != 2) {
          group.receive(Duration.ofMillis(100));
        }
        System.out.println("ready now");
        for (int c = System.in.read(); c == 'm'; c = System.in.read()) {
          exchange(node, group);
        }
        group.receive(Duration.ofSeconds(1)); // the other one may still need an answer
      }
    }

    private static void exchange(Node node, Group group) throws Exception {
      Thread.ofVirtual().start(() -> send(group));
      long gap = 0;
      long last = System.nanoTime();
      int[] next = {0, 0};
      while (next[0] < MESSAGES || next[1] < MESSAGES) {
        Event event = group.receive(SOON);
        if (event instanceof Event.CaughtUp || event instanceof Event.ViewChange(var view) && view.size() == 2) {
          continue; // a request to join that was sent again makes one more view of the same members
        }
        if (!(event instanceof Event.Delivery delivery)) {
          throw new IllegalStateException("not a message but " + event);
        }
        int who = delivery.sender().name().equals("a") ? 0 : 1;
        if (delivery.payload().getInt(0) != next[who]++) {
          throw new IllegalStateException("out of order");
        }
        gap = Math.max(gap, System.nanoTime() - last);
        last = System.nanoTime();
        if (next[0] + next[1] == MESSAGES / 4) {
          System.out.println("quarter now");
        }
      }
      var out = new StringBuilder("done gap-millis=" + Duration.ofNanos(gap).toMillis());
      node.metrics().forEach(one -> out.append(';').append(one.key()).append('=').append(one.value()));
      System.out.println(out);
    }

    private static void send(Group group) {
      try {
        var random = new SplittableRandom(1);
        for (int i = 0; i < MESSAGES; i++) {
          byte[] message = new byte[4 + random.nextInt(BYTES)];
          random.nextBytes(message);
          group.multicast(ByteBuffer.wrap(message).putInt(0, i).array());
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- namespaces --------------------------------------------------------------------------------------------------

  static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + ": " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    return said;
  }

  @AfterEach
  void end() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    hosts.close();
  }

  // ---- members -----------------------------------------------------------------------------------------------------

  private Process start(String at, String host, String contact) throws IOException {
    Process process =
        new ProcessBuilder(hosts.at(at, Hosts.java(Member.class, List.of(host, contact))))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    processes.add(process);
    return process;
  }

  static String after(BufferedReader reader, String word) {
    try {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(word + " ")) {
          return line.substring(word.length() + 1);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("no line with " + word);
  }

  private static Map<String, Long> counters(BufferedReader of) {
    Map<String, Long> counters = new TreeMap<>();
    for (String pair : after(of, "done").split(";")) {
      int at = pair.lastIndexOf('=');
      counters.put(pair.substring(0, at), Long.parseLong(pair.substring(at + 1)));
    }
    return counters;
  }

  private static void go(Process... all) throws IOException {
    for (Process process : all) {
      process.getOutputStream().write('m');
      process.getOutputStream().flush();
    }
  }

  private static void print(String what, Map<String, Long> counters) {
    var out = new StringBuilder(what);
    for (String name : SHOWN) {
      out.append(' ').append(name).append(' ').append(counters.get(name));
    }
    System.out.println(out);
  }

  private static boolean isNear(Map<String, Long> counters, int mtu) {
    return counters.get("udp.path.bytes") >= mtu - HEADERS - SEAL - NEAR;
  }

  private static void assertSize(Map<String, Long> counters, int mtu) {
    int most = mtu - HEADERS - SEAL;
    assertThat(counters.get("udp.path.bytes")).isBetween((long) most - NEAR, (long) most);
  }

  /// Runs both members through two exchanges, with the link's MTU as it is at first and then as it becomes.
  private void exchange(int firstMtu, int thenMtu, boolean silent) throws IOException {
    hosts.build(firstMtu, silent);
    Process a = start("a", RoutedHosts.A, "-");
    BufferedReader ofA = a.inputReader();
    Process b = start("b", RoutedHosts.B, after(ofA, "address"));
    BufferedReader ofB = b.inputReader();
    after(ofA, "ready");
    after(ofB, "ready");
    go(a, b);
    after(ofA, "quarter");
    hosts.middle(thenMtu);
    List<Map<String, Long>> first = List.of(counters(ofA), counters(ofB));
    go(a, b);
    List<Map<String, Long>> second = List.of(counters(ofA), counters(ofB));
    for (int i = 0; i < 20 && !(isNear(second.get(0), thenMtu) && isNear(second.get(1), thenMtu)); i++) {
      go(a, b); // the search goes on meanwhile
      second = List.of(counters(ofA), counters(ofB));
    }
    String what = "MTU " + firstMtu + ", then " + thenMtu + (silent ? ", silent routers:" : ":");
    for (int i = 0; i < 2; i++) {
      print(what, first.get(i));
      print(what, second.get(i));
      assertSize(second.get(i), thenMtu);
      assertThat(second.get(i).get("udp.pieces.dropped{reason=bad}")).isZero();
      assertThat(second.get(i).get("gap-millis")).as("nothing stands still once the size is known").isLessThan(5000);
      if (thenMtu < ETHERNET) {
        assertThat(second.get(i).get("udp.pieces.joined")).isPositive();
        if (silent) {
          assertThat(second.get(i).get("udp.datagrams.unsent{reason=too-long}")).isZero();
        } else {
          assertThat(second.get(i).get("udp.datagrams.unsent{reason=too-long}"))
              .as("the kernel knows the path")
              .isPositive();
        }
      } else {
        assertThat(second.get(i).get("udp.datagrams.unsent{reason=too-long}")).isZero();
        assertThat(second.get(i).get("udp.probes.sent{kind=size}")).isLessThan(10);
      }
    }
    hosts.assertNoFragments();
  }

  @Test
  void framesPassARouterThatSaysNothing() throws IOException {
    exchange(1280, 1280, true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1400, 1000})
  @Tag("deep")
  void otherSizesPassARouterThatSaysNothing(int mtu) throws IOException {
    exchange(mtu, mtu, true);
  }

  @Test
  @Tag("deep")
  void framesPassARouterThatSaysThatTheyAreTooLong() throws IOException {
    exchange(1280, 1280, false);
  }

  @ParameterizedTest
  @ValueSource(ints = {1400, 1000})
  @Tag("deep")
  void otherSizesPassARouterThatSaysThatTheyAreTooLong(int mtu) throws IOException {
    exchange(mtu, mtu, false);
  }

  @Test
  @Tag("deep")
  void aWidePathIsLeftAlone() throws IOException {
    exchange(ETHERNET, ETHERNET, true);
  }

  @Test
  @Tag("deep")
  void anMtuThatBecomesSmallerDuringTrafficIsFoundThoughNothingIsSaid() throws IOException {
    exchange(ETHERNET, 1280, true);
  }

  @Test
  @Tag("deep")
  void anMtuThatBecomesSmallerDuringTrafficIsFoundByWhatTheRouterSays() throws IOException {
    exchange(ETHERNET, 1280, false);
  }
}
