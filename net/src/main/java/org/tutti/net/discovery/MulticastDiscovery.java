package org.tutti.net.discovery;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.Endpoint;

/// Members of a segment that tell each other of themselves by IP multicast: each time that it is asked, a member
/// multicasts its address, and what was heard of others in the last seconds is the answer.
///
/// ```
/// datagram := magic "TutD"  version (1)  length of cluster (1)  length of address (1)  cluster  address
/// ```
///
/// Multicasts leave through one interface, which is named, and are taken from it only, with a time to live of 1: they
/// stay on the segment. What is not of the form, or of another cluster, is counted ([#ignored]) and dropped. Anybody on
/// the segment can tell addresses: that costs connection attempts, no more.
public final class MulticastDiscovery implements Discovery {
  private static final int MAGIC = 0x54757444;
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 7;
  private static final int NAME_BYTES_MAX = 255;
  private static final int DATAGRAM_BYTES_MAX = HEADER_BYTES + 2 * NAME_BYTES_MAX;
  private static final int TAKEN_MAX = 1024; // datagrams for one answer
  private static final long LISTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long FIRST_LISTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1500); // longer than members pause
  private static final long REMEMBER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final InetSocketAddress group;
  private final String device;
  private final String cluster;
  private final @Nullable Address own;
  private final Map<Address, Long> heard = new LinkedHashMap<>();
  private @Nullable MulticastSocket socket;
  private volatile long ignored;

  private MulticastDiscovery(Address group, String device, String cluster, @Nullable Address own) {
    Endpoint endpoint = Endpoint.ofLiteral(group);
    if (endpoint == null || !endpoint.inet().isMulticastAddress() || endpoint.port() == 0) {
      throw new IllegalArgumentException("not a multicast group with a port: " + group);
    }
    if (cluster.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a cluster's name has at most " + NAME_BYTES_MAX + " bytes here");
    }
    this.group = endpoint.socket();
    this.device = device;
    this.cluster = cluster;
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

  /// How many datagrams were not of the form or of another cluster.
  ///
  /// @return since the start
  public long ignored() {
    return ignored;
  }

  @Override
  public List<Address> find() throws IOException {
    boolean first = socket == null;
    try {
      MulticastSocket open = open();
      if (own != null) {
        byte[] datagram = datagram(own);
        open.send(new DatagramPacket(datagram, datagram.length, group));
      }
      listen(open, first ? FIRST_LISTEN_NANOS : LISTEN_NANOS);
    } catch (IOException e) {
      close(); // the interface may have gone; the next time begins anew
      throw new IOException("multicast on " + device + ": " + e.getMessage(), e);
    }
    long now = System.nanoTime();
    heard.values().removeIf(at -> now - at > REMEMBER_NANOS);
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
    for (int taken = 0; taken < TAKEN_MAX; taken++) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        return;
      }
      open.setSoTimeout((int) left);
      var packet = new DatagramPacket(new byte[DATAGRAM_BYTES_MAX + 1], DATAGRAM_BYTES_MAX + 1);
      try {
        open.receive(packet);
      } catch (SocketTimeoutException _) {
        return;
      }
      Address told = read(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()));
      if (told == null) {
        ignored++;
      } else if (!told.equals(own) && (heard.containsKey(told) || heard.size() < FOUND_MAX)) {
        heard.put(told, System.nanoTime());
      }
    }
  }

  private byte[] datagram(Address address) {
    byte[] name = cluster.getBytes(StandardCharsets.UTF_8);
    byte[] where = address.text().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEADER_BYTES + name.length + where.length)
        .putInt(MAGIC)
        .put(VERSION)
        .put((byte) name.length)
        .put((byte) where.length)
        .put(name)
        .put(where)
        .array();
  }

  private @Nullable Address read(ByteBuffer datagram) {
    try {
      if (datagram.getInt() != MAGIC || datagram.get() != VERSION) {
        return null;
      }
      byte[] name = new byte[Byte.toUnsignedInt(datagram.get())];
      byte[] where = new byte[Byte.toUnsignedInt(datagram.get())];
      datagram.get(name).get(where);
      boolean ours = new String(name, StandardCharsets.UTF_8).equals(cluster) && !datagram.hasRemaining();
      Address told = ours ? new Address(new String(where, StandardCharsets.UTF_8)) : null;
      return told == null || Endpoint.ofLiteral(told) == null ? null : told;
    } catch (BufferUnderflowException | IllegalArgumentException _) {
      return null;
    }
  }

  @Override
  public void close() {
    if (socket != null) {
      socket.close();
      socket = null;
    }
  }
}
