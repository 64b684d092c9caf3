package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.transport.MulticastMembers.BYTES;
import static org.tutti.verify.transport.MulticastMembers.MESSAGES;
import static org.tutti.verify.transport.MulticastMembers.NONE;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.lab.network.Conditions;
import org.tutti.verify.lab.Hosts;

/// Multicasts between namespaces that the test makes and removes: in one of them a sender, in others receivers. The
/// kernel and tcpdump count what leaves the sender's interface, and nftables drops what is to be lost.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpMulticastTest {
  private static final int RECEIVERS = 5;
  private static final String GROUP = "239.192.7.7:7400@eth0";
  private static final int LINK_BYTES = 14;

  /// A process with members, and what it says.
  private record Members(Process process, BufferedReader out) {
    String after(String word) throws IOException {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith(word + " ")) {
          return line.substring(word.length() + 1);
        }
      }
      throw new AssertionError("no line with " + word);
    }

    void tell(String command) throws IOException {
      process.outputWriter().append(command).append('\n').flush();
    }

    Map<String, Long> counters() throws IOException {
      tell("counters");
      var counters = new TreeMap<String, Long>();
      for (String one : after("counters").split(" ")) {
        counters.put(one.substring(0, one.lastIndexOf('=')), Long.parseLong(one.substring(one.lastIndexOf('=') + 1)));
      }
      return counters;
    }
  }

  private Hosts hosts;

  private Process run(int node, List<String> command) throws IOException {
    return hosts.start(node, command, ProcessBuilder.Redirect.INHERIT);
  }

  private Members start(int node, int count, String contact, String group, boolean heard, int atOnce)
      throws IOException {
    int nodes = hosts.network().names().size();
    List<String> args =
        List.of(
            hosts.addressOf(node),
            Integer.toString(count),
            contact,
            group,
            Integer.toString(1 + (nodes == 2 ? RECEIVERS : nodes - 1)),
            Boolean.toString(heard),
            Integer.toString(atOnce));
    Process process = run(node, Hosts.java(MulticastMembers.class, args));
    return new Members(process, process.inputReader());
  }

  private static void needs(String command) {
    boolean there =
        List.of(System.getenv("PATH").split(":")).stream().anyMatch(at -> Files.isExecutable(Path.of(at, command)))
            || Files.isExecutable(Path.of("/usr/sbin", command));
    Assumptions.assumeTrue(there, "skipped: there is no command '" + command + "' here");
  }

  @AfterEach
  void end() {
    if (hosts != null) {
      hosts.close();
    }
  }

  /// What was sent meanwhile: multicast packets, packets, bytes, as the kernel says; multicasts, copies, what else went
  /// to the group: questions and repairs.
  private static long[] counts(Members sender) throws IOException {
    return Arrays.stream(sender.after("counts").split(" ")).mapToLong(Long::parseLong).toArray();
  }

  // ---- one datagram ------------------------------------------------------------------------------------------------

  /// Runs a sender and five receivers in one process.
  private long[] run(String sendersGroup, String receiversGroup, Runnable meanwhile) throws IOException {
    Members sender = start(0, 1, NONE, sendersGroup, sendersGroup.equals(receiversGroup), 1);
    Members receivers = start(1, RECEIVERS, sender.after("address"), receiversGroup, true, 1);
    sender.after("ready");
    meanwhile.run();
    receivers.tell("receive");
    sender.tell("send");
    long[] counts = counts(sender);
    String first = receivers.after("all");
    for (int i = 1; i < RECEIVERS; i++) {
      assertThat(receivers.after("all")).isEqualTo(first);
    }
    System.out.printf(
        "%d multicasts of %d bytes to %d members: %d multicast packets, %d packets, %d bytes on the wire; %d casts for "
            + "%d peers, %d questions and repairs%n",
        MESSAGES, BYTES, RECEIVERS, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
    return counts;
  }

  @Test
  void aMulticastToFiveMembersIsOneDatagram() throws Exception {
    hosts = Hosts.open("s", "r");
    long[] counts = run(GROUP, GROUP, () -> {});
    // The kernel repeats its IGMP reports in the first seconds, and the transport counts after it has sent. With each
    // question goes a long one, in two or three fragments.
    long counted = counts[3] + counts[5];
    assertThat(counts[0]).as("the kernel's count is the transport's").isBetween(counted, counted + 5 + 3 * counts[5]);
    assertThat(counts[4]).as("all of them are for all").isGreaterThanOrEqualTo((long) MESSAGES * RECEIVERS * 9 / 10);
    assertThat(counts[2]).as("bytes: less than twice that of one copy").isLessThan(2L * MESSAGES * (BYTES + 600));
  }

  @Test
  @Tag("deep")
  void tcpdumpSeesOneDatagramForFiveMembers(@TempDir Path directory) throws Exception {
    needs("tcpdump");
    hosts = Hosts.open("s", "r");
    Path file = directory.resolve("sender.pcap");
    var dump = new ArrayList<Process>();
    run(GROUP, GROUP, () -> dump.add(tcpdump(file)));
    dump.getFirst().destroy(); // it writes what it has
    assertThat(dump.getFirst().waitFor(10, TimeUnit.SECONDS)).isTrue();
    int[] packets = longPackets(file);
    System.out.printf(
        "tcpdump at the sender: %d packets to the group and %d to single members that are long enough for a message%n",
        packets[0], packets[1]);
    assertThat(packets[0]).as("one for each multicast, and repairs").isBetween(MESSAGES, MESSAGES * 3 / 2);
    assertThat(packets[1]).as("what links repeat too soon on a busy machine").isLessThan(MESSAGES);
  }

  /// Captures what leaves the sender's interface.
  private Process tcpdump(Path file) {
    try {
      String options = "-i eth0 -Q out -s 64 --immediate-mode -U -Z root -w";
      var command = new ArrayList<>(List.of("tcpdump"));
      command.addAll(List.of(options.split(" ")));
      command.addAll(List.of(file.toString(), "udp"));
      Process process = hosts.start(0, command, ProcessBuilder.Redirect.PIPE);
      BufferedReader out = process.errorReader();
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.contains("listening on")) {
          return process;
        }
      }
      throw new AssertionError("tcpdump does not listen");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// How many packets of a capture can carry a message, to the group and to others.
  private static int[] longPackets(Path file) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
    int group = ByteBuffer.wrap(InetAddress.ofLiteral("239.192.7.7").getAddress()).getInt();
    int[] counts = new int[2];
    for (int at = 24; at + 16 <= in.limit(); at += 16 + in.getInt(at + 8)) {
      int ip = at + 16 + LINK_BYTES;
      int to = in.duplicate().order(ByteOrder.BIG_ENDIAN).getInt(ip + 16);
      if (in.getInt(at + 12) > BYTES) {
        counts[to == group ? 0 : 1]++;
      }
    }
    return counts;
  }

  @Test
  void whoDoesNotHearMulticastsGetsDatagramsOfItsOwn() throws Exception {
    hosts = Hosts.open("s", "r");
    long[] counts = run("239.192.7.7:7401@eth0", NONE, () -> {});
    assertThat(counts[3]).as("casts").isZero();
  }

  @Test
  @Tag("deep")
  void whatIsLostIsRepeated() throws Exception {
    hosts = Hosts.open("s", "r");
    Conditions lossy = Conditions.PERFECT.withLoss(0.05);
    hosts.network().set(0, 1, lossy);
    hosts.network().set(1, 0, lossy);
    long[] counts = run(GROUP, GROUP, () -> {});
    assertThat(hosts.network().lost()).isPositive();
    assertThat(counts[3]).isPositive();
  }

  // ---- losses ------------------------------------------------------------------------------------------------------

  /// Drops some of the datagrams that leave a node or come to it.
  private void lose(int node, String hook, int percent) throws Exception {
    String rules =
        "add table ip loss; add chain ip loss here { type filter hook %s priority 0; }; "
            + "add rule ip loss here ip daddr 239.192.7.7 numgen random mod 100 < %d drop";
    Process nft = run(node, List.of("nft", rules.formatted(hook, percent)));
    Assumptions.assumeTrue(nft.waitFor() == 0, "skipped: nftables does not work here");
  }

  /// Runs a sender and three receivers, each in a namespace of its own.
  ///
  /// @return all counters, the sender's first
  private List<Map<String, Long>> run(String what, Loss loss) throws Exception {
    needs("nft");
    hosts = Hosts.open("s", "r1", "r2", "r3");
    var members = new ArrayList<Members>();
    members.add(start(0, 1, NONE, GROUP, true, 8));
    String contact = members.getFirst().after("address");
    for (int node = 1; node < 4; node++) {
      members.add(start(node, 1, contact, GROUP, true, 8));
    }
    members.getFirst().after("ready");
    loss.begin();
    for (Members one : members.subList(1, 4)) {
      one.tell("receive");
    }
    members.getFirst().tell("send");
    counts(members.getFirst());
    var counters = new ArrayList<Map<String, Long>>();
    counters.add(members.getFirst().counters());
    String first = members.get(1).after("all");
    for (Members one : members.subList(1, 4)) {
      assertThat(one == members.get(1) ? first : one.after("all")).isEqualTo(first);
      counters.add(one.counters());
    }
    System.out.printf(
        "%s: %d casts, %d missed, %d given up; %d questions, %d not asked as others did; %d repairs by the sender, "
            + "%d by others, %d taken; %d frames repeated by links, %d timeouts%n",
        what,
        counters.getFirst().get("udp.casts.sent"),
        sum(counters, "udp.casts.missed"),
        sum(counters, "udp.casts.abandoned"),
        sum(counters, "udp.naks.sent"),
        sum(counters, "udp.naks.suppressed"),
        sum(counters, "udp.repairs.sent{of=own}"),
        sum(counters, "udp.repairs.sent{of=others}"),
        sum(counters, "udp.repairs.received"),
        counters.getFirst().get("link.packets.repeated"),
        counters.getFirst().get("link.timeouts.expired"));
    return counters;
  }

  private interface Loss {
    void begin() throws Exception;
  }

  private static long sum(List<Map<String, Long>> counters, String name) {
    return counters.stream().mapToLong(one -> one.get(name)).sum();
  }

  @Test
  @Tag("deep")
  void whatAllMissIsAskedForByFew() throws Exception {
    List<Map<String, Long>> counters = run("a tenth is lost to all", () -> lose(0, "output", 10));
    assertThat(sum(counters, "udp.casts.missed")).isPositive();
    assertThat(sum(counters, "udp.repairs.received")).isPositive();
    assertThat(sum(counters, "udp.naks.suppressed")).isPositive();
    assertThat(sum(counters, "udp.naks.sent")).isLessThan(sum(counters, "udp.casts.missed"));
  }

  @Test
  @Tag("deep")
  void whatOneMissesOthersRepair() throws Exception {
    List<Map<String, Long>> counters =
        run(
            "a tenth is lost to each, and half of the questions to the sender",
            () -> {
              lose(0, "input", 50);
              for (int node = 1; node < 4; node++) {
                lose(node, "input", 10);
              }
            });
    assertThat(sum(counters, "udp.naks.sent")).isPositive();
    assertThat(sum(counters, "udp.repairs.received")).isPositive();
    assertThat(sum(counters, "udp.repairs.sent{of=others}")).isPositive();
  }
}
