package org.tutti.verify.transport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.fixture.Told;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpMulticast;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// A process of [UdpMulticastTest] with some members of a group, the sender or receivers. It does what it is told on
/// its input, a line at a time, and says what happened in lines of a word and values.
final class MulticastMembers {
  static final int MESSAGES = 300;
  static final int BYTES = 600;
  static final String NONE = "-";

  private static final Duration SOON = Duration.ofSeconds(60);

  private final List<Node> nodes = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();

  private MulticastMembers() {}

  /// Arguments: host, how many, the contact or none for the sender, the multicast group or none, how many members there
  /// are in all, whether all will hear it, and how many messages may be on the way.
  public static void main(String[] args) throws Exception {
    UdpConfig config = UdpConfig.lan().withKey(UdpKey.of(new byte[UdpKey.BYTES]));
    if (!args[3].equals(NONE)) {
      config = config.withMulticast(UdpMulticast.parse(args[3]));
    }
    boolean sender = args[2].equals(NONE);
    var members = new MulticastMembers();
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      List<Address> contacts = sender ? List.of() : List.of(new Address(args[2]));
      NodeBuilder how =
          Node.named((sender ? "s" : "r" + args[0] + "x") + i)
              .contacts(contacts)
              .times(Duration.ofMillis(500), Duration.ofSeconds(20));
      Node node = how.transport(UdpTransport.open(new Address(args[0] + ":0"), config)).start();
      members.nodes.add(node);
      GroupConfig standard = GroupConfig.standard();
      members.groups.add(sender ? node.create("g", standard) : node.join("g"));
    }
    if (sender) {
      members.begin(Integer.parseInt(args[4]), Boolean.parseBoolean(args[5]));
    }
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      switch (line) {
        case "send" -> members.send(Integer.parseInt(args[6]));
        case "receive" -> members.receive();
        case "counters" -> members.count();
        default -> throw new IllegalArgumentException(line);
      }
    }
    members.nodes.forEach(Node::close);
  }

  /// Waits until all are there and, if they will, hear multicasts.
  private void begin(int members, boolean heard) throws Exception {
    Node node = nodes.getFirst();
    Group group = groups.getFirst();
    System.out.println("address " + node.self().address());
    while (group.view() == null || group.view().size() != members) {
      group.receive(Duration.ofMillis(100));
    }
    for (boolean ready = !heard; !ready; ) {
      long before = Told.of(node.metrics(), "copies.replaced");
      group.multicast(new byte[BYTES]).get(60, TimeUnit.SECONDS);
      ready = Told.of(node.metrics(), "copies.replaced") - before >= members - 1;
    }
    System.out.println("ready now");
  }

  private void send(int atOnce) throws Exception {
    Node node = nodes.getFirst();
    Group group = groups.getFirst();
    Reading before = read(node);
    var room = new Semaphore(atOnce);
    for (int i = 0; i < MESSAGES; i++) {
      byte[] message = new byte[BYTES];
      new SplittableRandom(i).nextBytes(message);
      message[0] = 1;
      room.acquire();
      group.multicast(ByteBuffer.wrap(message).putInt(4, i).array()).whenComplete((_, _) -> room.release());
    }
    if (!room.tryAcquire(atOnce, 60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("not delivered");
    }
    Reading after = read(node);
    System.out.printf(
        "counts %d %d %d %d %d %d%n",
        after.kernel[0] - before.kernel[0],
        after.kernel[1] - before.kernel[1],
        after.kernel[2] - before.kernel[2],
        after.since(before, "udp.casts.sent"),
        after.since(before, "udp.copies.replaced"),
        List.of("udp.asks.sent", "udp.naks.sent", "udp.repairs.sent{of=own}", "udp.repairs.sent{of=others}").stream()
            .mapToLong(name -> after.since(before, name))
            .sum());
  }

  /// What the kernel and the node say at one time.
  private record Reading(long[] kernel, Map<String, Long> counted) {
    long since(Reading before, String name) {
      return counted.get(name) - before.counted.get(name);
    }
  }

  private static Reading read(Node node) throws Exception {
    for (long[] before = kernel(); ; ) {
      Map<String, Long> counted = Metric.byKey(node.metrics());
      long[] now = kernel();
      if (Arrays.equals(now, before)) {
        return new Reading(now, counted);
      }
      before = now; // something was sent between the two readings
    }
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

  /// All members' counters together.
  private void count() throws InterruptedException {
    var sum = new TreeMap<String, Long>();
    for (Node node : nodes) {
      node.metrics().forEach(one -> sum.merge(one.key(), one.value(), Long::sum));
    }
    var line = new StringBuilder("counters");
    sum.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
    System.out.println(line);
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
