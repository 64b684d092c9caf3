package org.tutti.net.discovery;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.net.discovery.MulticastDiscovery.Announcement.Verdict;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Discovery;
import org.tutti.transport.Endpoint;

/// Members of a segment that tell each other of themselves by IP multicast: each time that it is asked, a member
/// multicasts its address ([Announcement]), and what was heard of others in the last seconds is the answer.
///
/// Multicasts leave through one interface, which is named, and are taken from it only, with a time to live of 1: they
/// stay on the segment. What is not of the form, or of another cluster, is dropped and counted by reason
/// ([#metrics]). Anybody on the segment can tell addresses: that costs connection attempts, no more. At most 256 are
/// remembered, and 64 of one sending host, so that one that makes up addresses does not hide others.
public final class MulticastDiscovery implements Discovery {
  private static final System.Logger LOG = System.getLogger(MulticastDiscovery.class.getName());
  private static final long TOLD_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int TAKEN_MAX = 1024; // datagrams for one answer
  private static final int OF_ONE_HOST_MAX = 64;
  private static final long LISTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long FIRST_LISTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1500); // longer than members pause
  private static final long REMEMBER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final InetSocketAddress group;
  private final String device;
  private final Announcement announcement;
  private final @Nullable Address own;
  private final Map<Address, Heard> heard = new LinkedHashMap<>();
  private @Nullable MulticastSocket socket;
  private long otherVersionTold; // when the log was told of another version; 0 for never
  private final Counts<Verdict> counts = new Counts<>(Verdict.class);

  /// @param source who sent it
  /// @param nanos  when, last
  private record Heard(InetAddress source, long nanos) {}

  private MulticastDiscovery(Address group, String device, String cluster, @Nullable Address own) {
    Endpoint endpoint = Endpoint.ofLiteral(group);
    if (endpoint == null || !endpoint.inet().isMulticastAddress() || endpoint.port() == 0) {
      throw new IllegalArgumentException("not a multicast group with a port: " + group);
    }
    this.group = endpoint.socket();
    this.device = device;
    this.announcement = new Announcement(cluster);
    this.own = own;
  }

  /// For a process that is to be found.
  ///
  /// @param group   the group's literal address and port, such as `239.192.0.8:7400`: the same at all, and for nothing
  ///                else on their segment
  /// @param device  the interface, such as `eth0`
  /// @param cluster members of others are not found
  /// @param own     where the member listens
  /// @return tells of the member whenever it is asked
  public static MulticastDiscovery member(Address group, String device, String cluster, Address own) {
    return new MulticastDiscovery(group, device, cluster, own);
  }

  /// For a process that wants to find members but is not to be found.
  ///
  /// @param group   as in [#member]
  /// @param device  as in [#member]
  /// @param cluster as in [#member]
  /// @return only listens
  public static MulticastDiscovery onlooker(Address group, String device, String cluster) {
    return new MulticastDiscovery(group, device, cluster, null);
  }

  /// What became of the datagrams that were heard, own ones included, by reason.
  ///
  /// @return since the start; a copy
  public List<Metric> metrics() {
    return counts.metrics();
  }

  @Override
  public List<Address> find() throws IOException {
    boolean first = socket == null;
    try {
      MulticastSocket open = open();
      if (own != null) {
        byte[] datagram = announcement.of(own);
        open.send(new DatagramPacket(datagram, datagram.length, group));
      }
      listen(open, first ? FIRST_LISTEN_NANOS : LISTEN_NANOS);
    } catch (IOException e) {
      close(); // the interface may have gone; the next time begins anew
      throw new IOException("multicast on " + device + ": " + e.getMessage(), e);
    }
    long now = System.nanoTime();
    heard.values().removeIf(one -> now - one.nanos > REMEMBER_NANOS);
    return new ArrayList<>(heard.keySet());
  }

  private MulticastSocket open() throws IOException {
    MulticastSocket open = socket;
    if (open == null) {
      NetworkInterface through = NetworkInterface.getByName(device);
      if (through == null) {
        throw new IOException("there is no such interface");
      }
      open = new MulticastSocket(group.getPort());
      socket = open; // closed by whoever catches what may be thrown now
      open.setOption(StandardSocketOptions.IP_MULTICAST_IF, through);
      open.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1);
      open.joinGroup(group, through);
    }
    return open;
  }

  private void listen(MulticastSocket open, long nanos) throws IOException {
    long end = System.nanoTime() + nanos;
    byte[] space = new byte[Announcement.BYTES_MAX + 1]; // what is longer is cut, and shows
    for (int taken = 0; taken < TAKEN_MAX; taken++) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        return;
      }
      open.setSoTimeout((int) left);
      var packet = new DatagramPacket(space, space.length);
      try {
        open.receive(packet);
      } catch (SocketTimeoutException _) {
        return;
      }
      take(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()), packet.getAddress());
    }
  }

  /// A datagram came.
  void take(ByteBuffer datagram, InetAddress source) {
    Verdict verdict = announcement.verdict(datagram);
    if (verdict == Verdict.TAKEN) {
      Address told = Announcement.address(datagram);
      if (!heard.containsKey(told) && !told.equals(own) && !hasRoomFor(source)) {
        verdict = Verdict.DROP_TOO_MANY;
      } else if (!told.equals(own)) {
        heard.put(told, new Heard(source, System.nanoTime()));
      }
    }
    counts.addShared(verdict);
    if (verdict == Verdict.DROP_OTHER_VERSION) {
      tellOtherVersion(Announcement.version(datagram), source);
    }
  }

  private void tellOtherVersion(int version, InetAddress source) {
    long now = System.nanoTime();
    if (otherVersionTold == 0 || now - otherVersionTold >= TOLD_EVERY_NANOS) {
      otherVersionTold = now;
      LOG.log(
          System.Logger.Level.WARNING,
          "a member at {0} announces itself in version {1} of multicast discovery, this node reads version {2}",
          source.getHostAddress(),
          version,
          Announcement.VERSION);
    }
  }

  /// One host that makes up addresses must not leave others without room.
  private boolean hasRoomFor(InetAddress source) {
    return heard.size() < FOUND_MAX
        && heard.values().stream().filter(one -> one.source.equals(source)).count() < OF_ONE_HOST_MAX;
  }

  @Override
  public void close() {
    if (socket != null) {
      socket.close();
      socket = null;
    }
  }

  /// What a member multicasts of itself.
  ///
  /// ```
  /// datagram := magic "TutD"  version (1)  length of cluster (1)  length of address (1)  cluster  address
  /// ```
  static final class Announcement {
    /// What becomes of a datagram, and how it is counted.
    enum Verdict implements Counts.Counted {
      TAKEN(Metric.counter("discovery.datagrams.taken", "Members of the cluster announced their addresses.")),
      DROP_FOREIGN_PROTOCOL(dropped("foreign-protocol", "Datagrams of another protocol came.")),
      DROP_OTHER_VERSION(dropped("other-version", "Datagrams of another version came.")),
      DROP_BAD_LENGTH(dropped("bad-length", "Datagrams with a wrong length came.")),
      DROP_OTHER_CLUSTER(dropped("other-cluster", "Members of another cluster announced their addresses.")),
      DROP_BAD_ADDRESS(dropped("bad-address", "An announced address was not a literal address with a port.")),
      DROP_TOO_MANY(dropped("too-many", "More addresses were announced than are kept, of one host or of all."));

      private final Metric metric;

      Verdict(Metric metric) {
        this.metric = metric;
      }

      @Override
      public Metric metric() {
        return metric;
      }

      private static Metric dropped(String reason, String about) {
        return Metric.counter("discovery.datagrams.dropped", about).tagged("reason", reason);
      }
    }

    /// The longest datagram.
    static final int BYTES_MAX = 7 + 255 + Address.BYTES_MAX;

    private static final int MAGIC = 0x54757444;
    private static final byte VERSION = 1;
    private static final int VERSION_AT = 4;
    private static final int HEADER_BYTES = 7;

    private final byte[] cluster;

    /// @param cluster at most 255 bytes
    Announcement(String cluster) {
      this.cluster = cluster.getBytes(StandardCharsets.UTF_8);
      if (this.cluster.length > 255) {
        throw new IllegalArgumentException("a cluster's name has at most 255 bytes here");
      }
    }

    byte[] of(Address address) {
      byte[] where = address.text().getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(HEADER_BYTES + cluster.length + where.length)
          .putInt(MAGIC)
          .put(VERSION)
          .put((byte) cluster.length)
          .put((byte) where.length)
          .put(cluster)
          .put(where)
          .array();
    }

    /// Looks at a datagram; allocates nothing that depends on what it says.
    Verdict verdict(ByteBuffer datagram) {
      if (datagram.remaining() < Integer.BYTES || datagram.getInt(datagram.position()) != MAGIC) {
        return Verdict.DROP_FOREIGN_PROTOCOL;
      }
      int start = datagram.position();
      if (datagram.remaining() > VERSION_AT && datagram.get(start + VERSION_AT) != VERSION) {
        return Verdict.DROP_OTHER_VERSION;
      }
      if (datagram.remaining() < HEADER_BYTES
          || datagram.remaining() != HEADER_BYTES + named(datagram) + told(datagram)) {
        return Verdict.DROP_BAD_LENGTH;
      }
      byte[] name = new byte[named(datagram)];
      datagram.get(start + HEADER_BYTES, name);
      if (!Arrays.equals(name, cluster)) {
        return Verdict.DROP_OTHER_CLUSTER;
      }
      return told(datagram) > 0 && isUsable(Endpoint.ofLiteral(address(datagram)))
          ? Verdict.TAKEN
          : Verdict.DROP_BAD_ADDRESS;
    }

    /// The version of a datagram of another one.
    static int version(ByteBuffer datagram) {
      return Byte.toUnsignedInt(datagram.get(datagram.position() + VERSION_AT));
    }

    /// The address in a datagram of the right length.
    static Address address(ByteBuffer datagram) {
      byte[] where = new byte[told(datagram)];
      datagram.get(datagram.position() + HEADER_BYTES + named(datagram), where);
      // Literals have no other characters.
      String text = new String(where, StandardCharsets.ISO_8859_1);
      return new Address(text.chars().allMatch(one -> one > ' ' && one < 0x7f) ? text : "-");
    }

    private static boolean isUsable(@Nullable Endpoint endpoint) {
      if (endpoint == null || endpoint.port() == 0) {
        return false;
      }
      InetAddress host = endpoint.inet();
      return !host.isMulticastAddress() && !host.isAnyLocalAddress();
    }

    private static int named(ByteBuffer datagram) {
      return Byte.toUnsignedInt(datagram.get(datagram.position() + 5));
    }

    private static int told(ByteBuffer datagram) {
      return Byte.toUnsignedInt(datagram.get(datagram.position() + 6));
    }
  }
}
