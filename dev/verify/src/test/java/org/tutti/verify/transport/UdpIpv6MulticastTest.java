package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Multicasts over IPv6 between two namespaces that the test makes and removes, joined by a pair of interfaces.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpIpv6MulticastTest {
  private static final int RECEIVERS = 5;

  private final String prefix = "tutti-" + ProcessHandle.current().pid() + "-8-";
  private final List<Process> processes = new ArrayList<>();

  private void build() {
    try {
      for (String name : new String[] {"s", "r"}) {
        UdpPathMtuTest.run("ip", "netns", "add", prefix + name);
        UdpPathMtuTest.run("ip", "-n", prefix + name, "link", "set", "lo", "up");
      }
      String join = "link add eth0 netns " + prefix + "s type veth peer name eth0 netns " + prefix + "r";
      UdpPathMtuTest.run(("ip " + join).split(" "));
      for (String name : new String[] {"s", "r"}) {
        String at = "ip -n " + prefix + name + " ";
        UdpPathMtuTest.run((at + "link set eth0 up").split(" "));
        UdpPathMtuTest.run((at + "addr add " + host(name) + "/64 dev eth0 nodad").split(" "));
      }
    } catch (IOException e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
  }

  private static String host(String name) {
    return name.equals("s") ? "fd00:7::1" : "fd00:7::2";
  }

  private Process start(String name, int count, String contact, String group) throws IOException {
    Process process =
        new ProcessBuilder(
                "ip",
                "netns",
                "exec",
                prefix + name,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                MulticastMembers.class.getName(),
                "[" + host(name) + "]",
                Integer.toString(count),
                contact,
                group,
                Integer.toString(1 + RECEIVERS),
                "true",
                "1")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    processes.add(process);
    return process;
  }

  private static void tell(Process process, String command) throws IOException {
    process.outputWriter().append(command).append('\n').flush();
  }

  private long multicasts() throws IOException {
    return UdpPathMtuTest.run("ip", "netns", "exec", prefix + "s", "cat", "/proc/net/snmp6")
        .lines()
        .filter(line -> line.startsWith("Ip6OutMcastPkts"))
        .mapToLong(line -> Long.parseLong(line.split("\\s+")[1]))
        .sum();
  }

  @AfterEach
  void end() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    for (String name : new String[] {"s", "r"}) {
      try {
        UdpPathMtuTest.run("ip", "netns", "delete", prefix + name);
      } catch (IOException _) {
        // it was never made
      }
    }
  }

  @Test
  @Tag("deep")
  void aMulticastOfASiteToFiveMembersIsOneDatagram() throws Exception {
    isOneDatagram("[ff05::7:7]:7400@eth0");
  }

  /// It ends at the link, and needs the interface to mean anything.
  @Test
  @Tag("deep")
  void aMulticastToFiveMembersIsOneDatagram() throws Exception {
    isOneDatagram("[ff02::7:7]:7400@eth0");
  }

  private void isOneDatagram(String group) throws Exception {
    build();
    Process sender = start("s", 1, MulticastMembers.NONE, group);
    BufferedReader said = sender.inputReader();
    Process receivers = start("r", RECEIVERS, UdpPathMtuTest.after(said, "address"), group);
    UdpPathMtuTest.after(said, "ready");
    tell(receivers, "receive");
    tell(sender, "send");
    long[] counts = Arrays.stream(UdpPathMtuTest.after(said, "counts").split(" ")).mapToLong(Long::parseLong).toArray();
    String first = UdpPathMtuTest.after(receivers.inputReader(), "all");
    for (int i = 1; i < RECEIVERS; i++) {
      assertThat(UdpPathMtuTest.after(receivers.inputReader(), "all")).isEqualTo(first);
    }
    System.out.printf(
        "%s: %d messages to %d members: %d packets, %d bytes on the wire; %d casts for %d peers; %d multicasts%n",
        group, MulticastMembers.MESSAGES, RECEIVERS, counts[1], counts[2], counts[3], counts[4], multicasts());
    assertThat(counts[4])
        .as("all of them are for all")
        .isGreaterThanOrEqualTo((long) MulticastMembers.MESSAGES * RECEIVERS * 9 / 10);
    assertThat(multicasts()).as("the kernel's count").isGreaterThanOrEqualTo(counts[3]);
  }
}
