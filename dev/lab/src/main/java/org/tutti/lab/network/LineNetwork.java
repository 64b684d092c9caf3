package org.tutti.lab.network;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Hosts on a switch, each with a line of limited rate: a network namespace for each host, whose interface `eth0` leads
/// to a bridge in a namespace of its own. Both ends of each line have a token bucket (`tc ... tbf`), so a host neither
/// sends nor gets more than the line carries, and what does not fit into the queue before a line is lost. The kernel
/// does all of it; no device puts segments together or takes them apart, as that would hide how many packets there are.
///
/// There is no route to anywhere else, so nothing that runs inside reaches the network of the host.
///
/// ```
/// try (LineNetwork network = LineNetwork.open(3, LineNetwork.Line.of(100))) {
///   new ProcessBuilder(join(network.at(0), "ping", network.addressOf(1))) ...
/// }
/// ```
public final class LineNetwork implements AutoCloseable {
  /// How many hosts there can be.
  public static final int HOSTS_MAX = 32;

  private static final String SUBNET = "10.214.0.";
  private static final String SWITCH = "switch";
  private static final String LOSS =
      "add table netdev loss; add chain netdev loss here { type filter hook ingress device eth0 priority 0; }; "
          + "add rule netdev loss here numgen random mod %d < %d drop";
  private static final Pattern SENT = Pattern.compile("\\s*Sent (\\d+) bytes (\\d+) pkt \\(dropped (\\d+),.*");

  private final int hosts;
  private final Line line;
  private final Namespaces namespaces = Namespaces.removedAtEnd(); // of the hosts, then of the switch
  private final List<String> names = new ArrayList<>();

  /// What each line carries, in each direction.
  ///
  /// @param mbit       its rate in Mbit/s, headers of Ethernet included, 1 to 10 000
  /// @param burstBytes what may pass at once after a pause
  /// @param queue      how long what waits before a line may take to pass it; what comes beyond is lost
  /// @param loss       how many of a million packets that come to a host are lost besides, at random (needs nftables)
  public record Line(int mbit, int burstBytes, Duration queue, int loss) {
    private static final int MBIT_MAX = 10_000;
    private static final int BURST_BYTES = 64 << 10;
    private static final Duration QUEUE = Duration.ofMillis(40);
    private static final int MILLION = 1_000_000;
    private static final double BYTES_OF_MBIT = 125_000;

    /// Checks the ranges.
    public Line {
      if (mbit < 1 || mbit > MBIT_MAX) {
        throw new IllegalArgumentException("a line has 1 to " + MBIT_MAX + " Mbit/s, not " + mbit);
      }
      if (burstBytes < 2000 || !queue.isPositive()) {
        throw new IllegalArgumentException("a burst of " + burstBytes + " bytes or a queue of " + queue);
      }
      if (loss < 0 || loss >= MILLION) {
        throw new IllegalArgumentException(
            "a line loses 0 % of its packets to less than 100 %, not " + loss * 100.0 / MILLION + " %");
      }
    }

    /// A line with a burst of 64 KiB and a queue of 40 ms, which loses nothing.
    ///
    /// @param mbit its rate in Mbit/s
    /// @return the line
    public static Line of(int mbit) {
      return new Line(mbit, BURST_BYTES, QUEUE, 0);
    }

    /// The same with another queue.
    ///
    /// @param longest how long what waits may take to pass
    /// @return a changed copy
    public Line withQueue(Duration longest) {
      return new Line(mbit, burstBytes, longest, loss);
    }

    /// The same that loses packets at random.
    ///
    /// @param ofMillion how many of a million
    /// @return a changed copy
    public Line withLoss(int ofMillion) {
      return new Line(mbit, burstBytes, queue, ofMillion);
    }

    /// The rate.
    ///
    /// @return bytes per second
    public double bytesPerSecond() {
      return mbit * BYTES_OF_MBIT;
    }
  }

  /// What passed the lines, and what did not, since the network was made, headers of Ethernet included.
  ///
  /// @param upBytes     what the hosts sent
  /// @param downBytes   what came to the hosts
  /// @param upDropped   packets lost before the lines from the hosts
  /// @param downDropped packets lost before the lines to the hosts
  public record Traffic(long upBytes, long downBytes, long upDropped, long downDropped) {
    /// What happened between an earlier moment and this one.
    ///
    /// @param earlier the same network's, then
    /// @return the differences
    public Traffic since(Traffic earlier) {
      return new Traffic(
          upBytes - earlier.upBytes,
          downBytes - earlier.downBytes,
          upDropped - earlier.upDropped,
          downDropped - earlier.downDropped);
    }
  }

  private LineNetwork(int hosts, Line line) {
    this.hosts = hosts;
    this.line = line;
  }

  /// Makes a network.
  ///
  /// @param hosts how many, 2 to 32
  /// @param line  of each of them
  /// @return the network, ready for processes
  /// @throws Unavailable when it cannot be had here
  public static LineNetwork open(int hosts, Line line) throws Unavailable {
    if (hosts < 2 || hosts > HOSTS_MAX) {
      throw new IllegalArgumentException("2 to " + HOSTS_MAX + " hosts, not " + hosts);
    }
    Namespaces.require();
    var network = new LineNetwork(hosts, line);
    Namespaces.build(network::build, network::close);
    return network;
  }

  private void build() throws IOException {
    for (int host = 0; host < hosts; host++) {
      names.add(namespaces.add("host" + host));
    }
    names.add(namespaces.add(SWITCH));
    Iproute.batch(names.getLast(), List.of("link add bridge type bridge mcast_snooping 0", "link set bridge up"));
    for (int host = 0; host < hosts; host++) {
      String port = "port" + host;
      Iproute.batch(
          names.getLast(),
          List.of(
              "link add " + port + " type veth peer name eth0 netns " + names.get(host),
              "link set " + port + " gso_max_segs 1 addrgenmode none master bridge up"));
      Iproute.batch(names.get(host), setUp(host));
      limit(names.get(host), "eth0");
      limit(names.getLast(), port);
      if (line.loss > 0) {
        Iproute.run("netns", "exec", names.get(host), "nft", LOSS.formatted(Line.MILLION, line.loss));
      }
    }
  }

  private List<String> setUp(int host) {
    var commands = new ArrayList<String>();
    commands.add("link set lo up");
    commands.add("link set eth0 address " + macOf(host) + " mtu 1500 gso_max_segs 1 addrgenmode none up");
    commands.add("addr add " + addressOf(host) + "/24 dev eth0");
    commands.add("route add 224.0.0.0/4 dev eth0");
    for (int other = 0; other < hosts; other++) {
      if (other != host) {
        commands.add("neigh replace " + addressOf(other) + " lladdr " + macOf(other) + " nud permanent dev eth0");
      }
    }
    return commands;
  }

  private void limit(String namespace, String device) throws IOException {
    Iproute.traffic(
        namespace,
        "qdisc",
        "add",
        "dev",
        device,
        "root",
        "tbf",
        "rate",
        line.mbit + "mbit",
        "burst",
        line.burstBytes + "b",
        "latency",
        line.queue.toNanos() / 1000 + "us");
  }

  private static String macOf(int host) {
    return String.format(Locale.ROOT, "02:74:75:74:75:%02x", host);
  }

  /// A host's address.
  ///
  /// @param host its number, from 0
  /// @return IPv4, as text
  public String addressOf(int host) {
    return SUBNET + (host + 1);
  }

  /// The beginning of a command that runs another one at a host; the process keeps its id.
  ///
  /// @param host its number, from 0
  /// @return the words before the other command's
  public List<String> at(int host) {
    return namespaces.at(host);
  }

  /// Reads what passed the lines.
  ///
  /// @return of all hosts together, since the beginning
  /// @throws IOException when the kernel does not tell
  public Traffic traffic() throws IOException {
    long[] up = new long[2];
    for (int host = 0; host < hosts; host++) {
      add(up, names.get(host), "eth0");
    }
    long[] down = new long[2];
    for (int host = 0; host < hosts; host++) {
      add(down, names.getLast(), "port" + host);
    }
    return new Traffic(up[0], down[0], up[1], down[1]);
  }

  private static void add(long[] sums, String namespace, String device) throws IOException {
    for (String text : Iproute.traffic(namespace, "-s", "qdisc", "show", "dev", device)) {
      Matcher sent = SENT.matcher(text);
      if (sent.matches()) {
        sums[0] += Long.parseLong(sent.group(1));
        sums[1] += Long.parseLong(sent.group(3));
        return;
      }
    }
    throw new IOException("tc tells nothing of " + device);
  }

  /// Removes the network. What still runs inside keeps a world of its own without any line.
  @Override
  public void close() {
    namespaces.close();
  }
}
