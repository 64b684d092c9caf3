package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.verify.transport.IpcMulticastHosts.BYTES;
import static org.tutti.verify.transport.IpcMulticastHosts.MEMBERS;
import static org.tutti.verify.transport.IpcMulticastHosts.MESSAGES;
import static org.tutti.verify.transport.IpcMulticastHosts.NONE;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.verify.lab.Hosts;

/// Questions to members at several hosts over UDP with IP multicast, between namespaces that the test makes and
/// removes: each leaves the sender's host as one datagram, however many hosts there are and members at each.
@Tag("system")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IpcMulticastTest {
  private static final int HOSTS = 4;
  private static final String GROUP = "239.192.7.9:7400@eth0";

  private static Process start(Hosts hosts, int node, int count, String contact) throws IOException {
    List<String> args =
        List.of(hosts.addressOf(node), Integer.toString(count), contact, GROUP, Integer.toString(HOSTS));
    return hosts.start(node, Hosts.java(IpcMulticastHosts.class, args), ProcessBuilder.Redirect.INHERIT);
  }

  private static void tell(Process process, String command) throws IOException {
    process.outputWriter().append(command).append('\n').flush();
  }

  @Test
  void aQuestionToFourHostsIsOneDatagram() throws Exception {
    try (Hosts hosts = Hosts.open("s", "r")) {
      Process sender = start(hosts, 0, 1, NONE);
      BufferedReader said = sender.inputReader();
      Process receivers = start(hosts, 1, HOSTS, UdpPathMtuTest.after(said, "address"));
      UdpPathMtuTest.after(said, "ready");
      tell(receivers, "receive");
      tell(sender, "send");
      String[] counts = UdpPathMtuTest.after(said, "counts").split(" ");
      assertThat(UdpPathMtuTest.after(receivers.inputReader(), "received")).isEqualTo("" + HOSTS * MEMBERS);
      int casts = Integer.parseInt(counts[0]);
      int copies = Integer.parseInt(counts[1]);
      System.out.printf(
          "%d questions of %d bytes to %d members at %d hosts, all answered: %d multicasts for %d hosts%n",
          MESSAGES, BYTES, HOSTS * MEMBERS, HOSTS, casts, copies);
      assertThat(copies).as("nearly all questions are for all hosts").isGreaterThan(MESSAGES * HOSTS * 9 / 10);
      // The word that a communication is over goes to all hosts, too, in a datagram with the next question or of its
      // own.
      assertThat(casts).as("multicasts").isBetween(MESSAGES * 9 / 10, 2 * MESSAGES + MESSAGES / 2);
    }
  }
}
