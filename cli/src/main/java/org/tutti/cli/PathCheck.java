package org.tutti.cli;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// Finds out how long packets may be on the path to a host, as tracepath(8) does, whatever members are connected by.
///
/// Datagrams that are not to be fragmented go to a port that no program has, so the host answers that it is
/// unreachable (ICMP, RFC 1191 and RFC 8201): then the datagram has arrived. A router that cannot pass it on should say
/// so, and the kernel tells that as an error. If it says nothing, the datagram is lost as if nobody answered at all.
/// Hosts send only about six such answers at once, and then one in a second: hence the search takes the MTUs that there
/// are in practice, and each datagram has a socket of its own, so that a late answer counts for no other one. And a
/// long datagram counts as lost only when a short one right behind it is answered: of two that arrive together, a host
/// with one more answer to give answers the first.
///
/// ```
///   here                       router, 1400                 host
///     | -- 1472 bytes --x           |                         |      nothing, or ICMP: too long
///     | -- 64 bytes --------------------------------------->  |
///     | <----------------------------- ICMP: port unreachable |
///     | -- 1372 bytes ------------------------------------->  |
///     | <----------------------------- ICMP: port unreachable |
/// ```
final class PathCheck {
  private static final String CHECK = "path";
  private static final int DATAGRAMS_MAX = 40;
  private static final int SHORT_BYTES = 64;
  private static final int DATAGRAM_BYTES_MAX = 65_507;
  private static final int HEADERS_IPV4 = 28; // of IP and UDP
  private static final int HEADERS_IPV6 = 48;
  private static final int MTU_UNKNOWN = 1500; // where the interface does not say its own

  /// Those of tunnels and links, from the one that every host takes to that of long Ethernet frames.
  private static final int[] MTUS = {
    576, 1006, 1280, 1300, 1320, 1340, 1360, 1380, 1400, 1420, 1430, 1440, 1450, 1460, 1476, 1480, 1492, 1500, 2002,
    4352, 8166, 9000
  };

  private static final long WAIT_MILLIS_MAX = 1000;
  private static final long WAIT_MILLIS_MIN = 100;
  private static final int WAIT_ROUND_TRIPS = 4;

  /// What became of a datagram.
  private enum Fate {
    ARRIVED,
    /// A router or this host has said that it is too long.
    TOO_LONG,
    SILENT
  }

  private final InetSocketAddress to;
  private final String of;
  private final long deadlineNanos;
  private final int headers;
  private long waitMillis = WAIT_MILLIS_MAX;
  private int sent;
  private boolean told; // some datagram was said to be too long

  /// @param to            the host, and a port that no program has open for datagrams
  /// @param deadlineNanos when to end at the latest
  PathCheck(InetSocketAddress to, long deadlineNanos) {
    this.to = to;
    this.of = to.getAddress().getHostAddress();
    this.deadlineNanos = deadlineNanos;
    this.headers = to.getAddress() instanceof Inet6Address ? HEADERS_IPV6 : HEADERS_IPV4;
  }

  /// What a transport over UDP has found out by itself.
  static Finding known(String of, long bytes) {
    return Finding.ok(CHECK, of, "datagrams of " + bytes + " bytes pass");
  }

  /// What did not come to an end.
  static Finding late(String of) {
    return Finding.ok(CHECK, of, "not known: there was no time for it");
  }

  /// Looks; takes about a second where nothing answers, and less where something does.
  Finding find() {
    try (DatagramChannel route = open()) {
      NetworkInterface device = device(route);
      if (to.getAddress().isLoopbackAddress()) {
        return Finding.ok(CHECK, of, "loopback" + (device == null ? "" : ", MTU " + device.getMTU()));
      }
      if (!route.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
        return Finding.ok(CHECK, of, "not known: this system fragments all that is too long");
      }
      int mtu = device == null ? MTU_UNKNOWN : Math.min(device.getMTU(), DATAGRAM_BYTES_MAX + headers);
      return find(mtu, device == null ? "Ethernet" : "interface " + device.getName());
    } catch (IOException e) {
      return Finding.ok(CHECK, of, "not known: " + e.getMessage());
    }
  }

  private static @Nullable NetworkInterface device(DatagramChannel route) throws IOException {
    return route.getLocalAddress() instanceof InetSocketAddress local
        ? NetworkInterface.getByInetAddress(local.getAddress())
        : null;
  }

  private Finding find(int mtu, String device) throws IOException {
    Fate whole = first(mtu);
    if (whole == null) {
      return Finding.ok(CHECK, of, "not known: nothing answers datagrams (a firewall between)");
    }
    if (whole == Fate.ARRIVED || (whole == Fate.SILENT && settled(mtu) == Fate.ARRIVED)) { // the first one was lost
      return Finding.ok(CHECK, of, "datagrams of %d bytes pass, MTU %d".formatted(mtu - headers, mtu));
    }
    int[] mtus = Arrays.stream(MTUS).filter(one -> one < mtu).toArray();
    int least = -1; // passes
    int most = mtus.length; // does not
    while (most - least > 1) {
      int middle = (least + most) / 2;
      Fate fate = settled(mtus[middle]);
      if (fate == null) {
        break;
      }
      if (fate == Fate.ARRIVED) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return narrow(least < 0 ? SHORT_BYTES + headers : mtus[least], most < mtus.length ? mtus[most] : mtu, mtu, device);
  }

  /// The first two; they find out how long an answer takes, too.
  private @Nullable Fate first(int mtu) throws IOException {
    Fate fate = pair(mtu);
    waitMillis = fate == null ? WAIT_MILLIS_MAX / 2 : waitMillis; // once more, as either may have been lost
    return fate == null && !isOver() ? pair(mtu) : fate;
  }

  /// Sends a datagram together with a short one.
  ///
  /// @return what became of the long one; null when nothing has answered either of them
  private @Nullable Fate pair(int mtu) throws IOException {
    try (DatagramChannel longer = open();
        DatagramChannel shorter = open()) {
      boolean fits = put(longer, mtu - headers);
      long begin = System.nanoTime();
      put(shorter, SHORT_BYTES);
      boolean answers = await(shorter, SHORT_BYTES) == Fate.ARRIVED;
      if (answers) {
        long trip = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        waitMillis = Math.clamp(WAIT_ROUND_TRIPS * trip, WAIT_MILLIS_MIN, WAIT_MILLIS_MAX);
      }
      Fate fate = fits ? await(longer, mtu - headers) : tooLong();
      return answers || fate == Fate.ARRIVED ? fate : null;
    }
  }

  /// Sends a datagram, if need be many times, until it has arrived or surely has not.
  ///
  /// @return null when there was no time to find out
  private @Nullable Fate settled(int mtu) throws IOException {
    while (!isOver()) {
      Fate fate = send(mtu - headers);
      if (fate == Fate.SILENT) {
        fate = pair(mtu);
      }
      if (fate != null) {
        return fate;
      }
      waitMillis = Math.min(2 * waitMillis, WAIT_MILLIS_MAX); // for a host that has said enough for now
    }
    return null;
  }

  private Fate send(int bytes) throws IOException {
    try (DatagramChannel channel = open()) {
      return put(channel, bytes) ? await(channel, bytes) : tooLong();
    }
  }

  /// @param passes the MTU that was seen to pass
  /// @param fails  the least one that was not
  private Finding narrow(int passes, int fails, int mtu, String device) {
    String words =
        "datagrams of %d bytes pass, none of %d: the MTU of the path is %d or more, below %d; that of %s is %d"
            .formatted(passes - headers, fails - headers, passes, fails, device, mtu);
    return told
        ? Finding.warn(CHECK, of, words, "right if a tunnel is between: routers say so, and connections adapt")
        : Finding.warn(
            CHECK,
            of,
            words,
            "nobody says so, thus connections stop at large messages only (a black hole): let ICMP pass (\"too big\","
                + " \"fragmentation needed\"), or lower the MTU of the interface");
  }

  // ---- sockets ---------------------------------------------------------------------------------------------------

  private boolean isOver() {
    return sent >= DATAGRAMS_MAX || System.nanoTime() - deadlineNanos >= 0;
  }

  private DatagramChannel open() throws IOException {
    boolean six = to.getAddress() instanceof Inet6Address;
    DatagramChannel channel = DatagramChannel.open(six ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
    try {
      if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
        channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
      }
      channel.connect(to);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /// Whether the kernel takes a datagram, as the path is not known to be too narrow for it.
  private boolean put(DatagramChannel channel, int bytes) throws IOException {
    try {
      channel.write(ByteBuffer.allocate(bytes));
      sent++;
      return true;
    } catch (IOException e) {
      if (bytes <= SHORT_BYTES) {
        throw e; // no route
      }
      return false;
    }
  }

  private Fate tooLong() {
    told = true;
    return Fate.TOO_LONG;
  }

  private Fate await(DatagramChannel channel, int bytes) {
    long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    DatagramSocket socket = channel.socket();
    try {
      socket.setSoTimeout((int) Math.clamp(left, 1, waitMillis));
      socket.receive(new DatagramPacket(new byte[1], 1));
      return Fate.ARRIVED; // a program has that port all the same, and answers
    } catch (PortUnreachableException arrived) {
      return Fate.ARRIVED;
    } catch (SocketTimeoutException e) {
      return Fate.SILENT;
    } catch (IOException e) {
      return bytes <= SHORT_BYTES ? Fate.SILENT : tooLong(); // a short one finds no route
    }
  }
}
