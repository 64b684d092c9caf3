package org.tutti.net.discovery;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Endpoint;

/// What a member multicasts of itself.
///
/// ```
/// datagram := magic "TutD"  version (1)  length of cluster (1)  length of address (1)  cluster  address
/// ```
final class Announcement {
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
