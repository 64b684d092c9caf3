package org.tutti.verify.transport;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.tutti.Metric;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.Result.Done;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpMulticast;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// A process of [IpcMulticastTest]: the host of a sender, or hosts with some members each. It does what it is told on
/// its input, a line at a time, and says what happened in lines of a word and values.
final class IpcMulticastHosts {
  static final int MESSAGES = 200;
  static final int BYTES = 600;
  static final int MEMBERS = 2; // at each host
  static final String NONE = "-";

  private static final GroupId GROUP = GroupId.named("multicast");
  private static final Duration SOON = Duration.ofSeconds(60);

  private final List<Ipc> hosts = new ArrayList<>();
  private final List<IpcProcess> members = new ArrayList<>();
  private final AtomicInteger inOrder = new AtomicInteger(); // members that have received all
  private UdpTransport transport;

  private IpcMulticastHosts() {}

  /// Arguments: address, how many hosts, the sender's address or none for the sender, the multicast group, and how many
  /// hosts with members there are in all.
  public static void main(String[] args) throws Exception {
    UdpConfig config =
        UdpConfig.lan().withKey(UdpKey.of(new byte[UdpKey.BYTES])).withMulticast(UdpMulticast.parse(args[3]));
    boolean sender = args[2].equals(NONE);
    var all = new IpcMulticastHosts();
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      all.transport = UdpTransport.open(new Address(args[0] + ":0"), config);
      List<Address> contacts = sender ? List.of() : List.of(new Address(args[2]));
      Ipc host = Ipc.open((sender ? "s" : "r") + i, all.transport, contacts);
      all.hosts.add(host);
      for (int member = 0; !sender && member < MEMBERS; member++) {
        all.members.add(host.process());
        all.members.getLast().join(GROUP).join();
      }
    }
    if (sender) {
      all.begin(Integer.parseInt(args[4]));
    }
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      switch (line) {
        case "send" -> all.send(Integer.parseInt(args[4]));
        case "receive" -> all.receive();
        default -> throw new IllegalArgumentException(line);
      }
    }
    all.hosts.forEach(Ipc::close);
  }

  /// Waits until all hosts are heard and hear multicasts.
  private void begin(int others) throws Exception {
    Ipc host = hosts.getFirst();
    System.out.println("address " + host.address());
    host.heard(others).get(SOON.toSeconds(), TimeUnit.SECONDS);
    IpcProcess process = host.process();
    for (boolean ready = false; !ready; ) {
      long before = replaced();
      process.send(GROUP, 0, ByteBuffer.allocate(BYTES), 0).get(SOON.toSeconds(), TimeUnit.SECONDS);
      ready = replaced() - before >= others;
    }
    process.close(); // those that are not received yet are over
    System.out.println("ready now");
  }

  private long replaced() {
    return counted().get("udp.copies.replaced");
  }

  private Map<String, Long> counted() {
    return Metric.byKey(transport.metrics());
  }

  /// Asks one question after the other; each is answered by all members.
  private void send(int others) throws Exception {
    Map<String, Long> before = counted();
    IpcProcess process = hosts.getFirst().process();
    for (int i = 0; i < MESSAGES; i++) {
      ByteBuffer message = ByteBuffer.allocate(BYTES).putInt(0, i);
      var result = process.ask(GROUP, message).replies(others * MEMBERS, SOON).get(SOON.toSeconds(), TimeUnit.SECONDS);
      if (!(result instanceof Done(IpcProcess.Answers answers)) || answers.replies().size() != others * MEMBERS) {
        throw new IllegalStateException("question " + i + ": " + result);
      }
    }
    Map<String, Long> after = counted();
    System.out.printf(
        "counts %d %d%n",
        after.get("udp.casts.sent") - before.get("udp.casts.sent"),
        after.get("udp.copies.replaced") - before.get("udp.copies.replaced"));
  }

  /// Each member receives all questions in their order, and replies with what it gets.
  private void receive() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (IpcProcess member : members) {
      threads.add(Thread.startVirtualThread(() -> serve(member)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.println("received " + inOrder.get());
  }

  private void serve(IpcProcess member) {
    int next = 0;
    while (next < MESSAGES) {
      if (member.receive(SOON).join() instanceof Done(IpcProcess.Message message)) {
        if (message.payload().getInt(0) != next) {
          return;
        }
        next++;
        message.reply(message.payload());
      } // else the communication of one of the first messages was over before this looked
    }
    inOrder.incrementAndGet();
  }
}
