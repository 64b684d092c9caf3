package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeConfig;
import org.tutti.lab.network.Conditions;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;
import org.tutti.net.UdpConfig;
import org.tutti.net.UdpKey;
import org.tutti.net.UdpMulticast;
import org.tutti.net.UdpTransport;
import org.tutti.transport.Address;

/// Multicasts between two namespaces that the test makes and removes: in one of them a sender, in the other one process
/// with five receivers. What leaves the sender's interface is counted by the kernel.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpMulticastTest {
  private static final int RECEIVERS = 5;
  private static final int MESSAGES = 300;
  private static final int BYTES = 600;
  private static final String GROUP = "239.192.7.7:7400@eth0";
  private static final String NONE = "-";

  private LabNetwork network;
  private final List<Process> processes = new ArrayList<>();

  /// One process with some members.
  static final class Members {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<Node> nodes = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();

    /// Arguments: host, how many, contact, multicast group, whether all will hear it.
    public static void main(String[] args) throws Exception {
      UdpConfig config = UdpConfig.lan().withKey(UdpKey.of(new byte[UdpKey.BYTES]));
      if (!args[3].equals(NONE)) {
        config = config.withMulticast(UdpMulticast.parse(args[3]));
      }
      boolean sender = args[2].equals(NONE);
      var members = new Members();
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        List<Address> contacts = sender ? List.of() : List.of(new Address(args[2]));
        NodeConfig how =
            NodeConfig.lan((sender ? "s" : "r") + i)
                .withContacts(contacts)
                .withTimes(Duration.ofMillis(500), Duration.ofSeconds(20));
        Node node = Node.start(how, UdpTransport.open(new Address(args[0] + ":0"), config));
        members.nodes.add(node);
        GroupConfig standard = GroupConfig.standard();
        members.groups.add(sender ? node.create("g", standard) : node.join("g", standard));
      }
      if (sender) {
        members.send(Boolean.parseBoolean(args[4]));
      } else {
        members.receive();
      }
      System.in.read(); // until the test has seen enough
      members.nodes.forEach(Node::close);
    }

    private void send(boolean heard) throws Exception {
      Node node = nodes.getFirst();
      Group group = groups.getFirst();
      System.out.println("address " + node.self().address());
      while (group.view() == null || group.view().size() != RECEIVERS + 1) {
        group.receive(Duration.ofMillis(100));
      }
      for (boolean ready = !heard; !ready; ) {
        long before = node.counters().get("casts-copies");
        group.multicast(new byte[BYTES]).get(60, TimeUnit.SECONDS);
        ready = node.counters().get("casts-copies") - before >= RECEIVERS;
      }
      Map<String, Long> before = node.counters();
      long[] kernel = kernel();
      for (int i = 0; i < MESSAGES; i++) {
        byte[] message = new byte[BYTES];
        new java.util.SplittableRandom(i).nextBytes(message);
        message[0] = 1;
        group.multicast(ByteBuffer.wrap(message).putInt(4, i).array()).get(60, TimeUnit.SECONDS);
      }
      long[] after = kernel();
      Map<String, Long> counted = node.counters();
      System.out.printf(
          "counts %d %d %d %d %d %d%n",
          after[0] - kernel[0],
          after[1] - kernel[1],
          after[2] - kernel[2],
          counted.get("casts-sent") - before.get("casts-sent"),
          counted.get("casts-copies") - before.get("casts-copies"),
          Stream.of("casts-asked", "naks-sent", "repairs-sent", "repairs-sent-for-others")
              .mapToLong(name -> counted.get(name) - before.get(name))
              .sum());
    }

    private void receive() throws Exception {
      for (Group group : groups) {
        int hash = 0;
        for (int next = 0; next < MESSAGES; ) {
          Event event = group.receive(SOON);
          if (event == null) {
            throw new IllegalStateException("nothing comes");
          }
          if (event instanceof Event.Delivery delivery && delivery.payload().get(0) == 1) {
            if (delivery.payload().getInt(4) != next++) {
              throw new IllegalStateException("out of order");
            }
            hash = 31 * hash + delivery.payload().hashCode();
          }
        }
        System.out.println("all " + hash);
      }
    }

    /// What the kernel has sent in this namespace: multicast packets, packets and bytes of the interface.
    private static long[] kernel() throws IOException {
      List<String[]> ip =
          Files.readAllLines(Path.of("/proc/self/net/netstat")).stream()
              .filter(line -> line.startsWith("IpExt:"))
              .map(line -> line.split(" "))
              .toList();
      int at = Arrays.asList(ip.get(0)).indexOf("OutMcastPkts");
      String device =
          Files.readAllLines(Path.of("/proc/self/net/dev")).stream()
              .filter(line -> line.contains("eth0:"))
              .findFirst()
              .orElseThrow();
      String[] sent = device.strip().split("[: ]+");
      return new long[] {Long.parseLong(ip.get(1)[at]), Long.parseLong(sent[10]), Long.parseLong(sent[9])};
    }
  }

  private void begin() {
    try {
      network = LabNetwork.open(List.of("s", "r"), 1);
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
  }

  private BufferedReader start(int node, int count, String contact, String group, boolean heard) throws IOException {
    var command = new ArrayList<>(network.at(node));
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Members.class.getName(),
            network.addressOf(node),
            Integer.toString(count),
            contact,
            group,
            Boolean.toString(heard)));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.add(process);
    return process.inputReader();
  }

  @AfterEach
  void end() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    if (network != null) {
      network.close();
    }
  }

  private static String after(BufferedReader reader, String word) {
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

  /// Runs a sender and the receivers.
  ///
  /// @return what was sent meanwhile: multicast packets, packets, bytes, as the kernel says; casts, copies, what else
  ///     went to the group: questions and repairs
  private long[] run(String sendersGroup, String receiversGroup) throws IOException {
    BufferedReader sender = start(0, 1, NONE, sendersGroup, sendersGroup.equals(receiversGroup));
    BufferedReader receivers = start(1, RECEIVERS, after(sender, "address"), receiversGroup, true);
    long[] counts = Arrays.stream(after(sender, "counts").split(" ")).mapToLong(Long::parseLong).toArray();
    String first = after(receivers, "all");
    for (int i = 1; i < RECEIVERS; i++) {
      assertThat(after(receivers, "all")).isEqualTo(first);
    }
    System.out.printf(
        "%d multicasts of %d bytes to %d members: %d multicast packets, %d packets, %d bytes on the wire; %d casts for "
            + "%d peers, %d questions and repairs%n",
        MESSAGES, BYTES, RECEIVERS, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
    return counts;
  }

  @Test
  void aMulticastToFiveMembersIsOneDatagram() throws Exception {
    begin();
    long[] counts = run(GROUP, GROUP);
    assertThat(counts[0]).as("the kernel's count is the transport's").isEqualTo(counts[3] + counts[5]);
    assertThat(counts[4]).as("all of them are for all").isGreaterThanOrEqualTo((long) MESSAGES * RECEIVERS * 9 / 10);
    assertThat(counts[2]).as("bytes: less than twice that of one copy").isLessThan(2L * MESSAGES * (BYTES + 600));
  }

  @Test
  void whatIsLostIsRepeated() throws Exception {
    begin();
    Conditions lossy = Conditions.PERFECT.withLoss(0.05);
    network.set(0, 1, lossy);
    network.set(1, 0, lossy);
    long[] counts = run(GROUP, GROUP);
    assertThat(network.lost()).isPositive();
    assertThat(counts[3]).isPositive();
  }

  @Test
  void whoDoesNotHearMulticastsGetsDatagramsOfItsOwn() throws Exception {
    begin();
    long[] counts = run("239.192.7.7:7401@eth0", NONE);
    assertThat(counts[3]).as("casts").isZero();
  }
}
