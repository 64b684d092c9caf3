package org.tutti.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.net.Nio;
import org.tutti.transport.Counts;

/// One system call for several datagrams to or from one peer, see [TrainSocket]. The channel is there for the selector
/// and to be closed; nobody reads it, as it would not tell where the datagrams end.
final class TrainDatagrams implements Datagrams {
  /// What the kernel takes at once (`UDP_MAX_SEGMENTS` of Linux before 6.13, and the length of an IPv4 packet).
  static final int DATAGRAMS_MAX = 64;

  static final int BYTES_MAX = UdpConfig.DATAGRAM_BYTES_LIMIT;

  private static final int REFUSED_MAX = 1024;
  private static final Set<String> SYSTEMS = Set.of("Linux on amd64", "Linux on aarch64"); // whose layouts are known
  private static final System.Logger LOG = System.getLogger(UdpTransport.class.getName());

  private final DatagramChannel channel;
  private final SelectionKey key;
  private final TrainSocket socket;
  private final Counts<UdpCount> counters;
  private final ByteBuffer in;
  private final ByteBuffer out;
  private final Map<InetSocketAddress, Integer> refused = new HashMap<>(); // datagrams so long did not leave in trains
  private boolean full;
  private boolean tooLong;

  // What is to be sent: out from sent to its position.
  private @Nullable InetSocketAddress to;
  private int sent;
  private int each;
  private int count;
  private boolean ended; // the last datagram is shorter

  // What was read: in up to end, of which the part before at was given.
  private @Nullable InetSocketAddress from;
  private int at;
  private int end;
  private int length;

  /// What a [TrainSocket] was made with.
  ///
  /// @param in  it reads into this one
  /// @param out it sends from this one
  record Buffers(ByteBuffer in, ByteBuffer out) {}

  TrainDatagrams(
      DatagramChannel channel, SelectionKey key, TrainSocket socket, Counts<UdpCount> counters, Buffers buffers) {
    this.channel = channel;
    this.key = key;
    this.socket = socket;
    this.counters = counters;
    this.in = buffers.in;
    this.out = buffers.out;
  }

  /// Does without Java's calls, or logs why it cannot.
  ///
  /// @param channel bound
  /// @param in      what is read gets here
  /// @return null when a channel has to do
  static @Nullable TrainDatagrams open(
      UdpConfig config, DatagramChannel channel, SelectionKey key, Counts<UdpCount> counters, ByteBuffer in)
      throws IOException {
    var local = (InetSocketAddress) channel.getLocalAddress();
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!config.trains() || !SYSTEMS.contains(system)) {
      return without(System.Logger.Level.DEBUG, local, config.trains() ? "this is " + system : "the settings say");
    }
    if (!TrainDatagrams.class.getModule().isNativeAccessEnabled()) { // Java would print a warning
      return without(System.Logger.Level.INFO, local, "native access needs --enable-native-access=org.tutti.net");
    }
    try {
      var buffers = new Buffers(in, ByteBuffer.allocateDirect(1 << 16));
      var trains = new TrainDatagrams(channel, key, new LinuxSocket(local, buffers), counters, buffers);
      LOG.log(System.Logger.Level.DEBUG, "UDP at {0}: trains of datagrams, by UDP_SEGMENT and UDP_GRO", local);
      return trains;
    } catch (IOException | LinkageError e) {
      return without(System.Logger.Level.INFO, local, String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable TrainDatagrams without(System.Logger.Level level, InetSocketAddress local, String reason) {
    LOG.log(level, "UDP at {0}: a system call for each datagram, as {1}", local, reason);
    return null;
  }

  // ---- sending -----------------------------------------------------------------------------------------------------

  @Override
  public boolean send(ByteBuffer datagram, InetSocketAddress to) {
    int bytes = datagram.remaining();
    if (!mayJoin(bytes, to)) {
      flush();
      if (full) {
        return false;
      }
      out.clear();
      this.to = to;
      sent = 0;
      each = bytes;
      ended = false;
    }
    out.put(datagram);
    count++;
    ended = bytes < each;
    tooLong = false; // that is known when it leaves
    return true;
  }

  private boolean mayJoin(int bytes, InetSocketAddress to) {
    return count > 0
        && !ended
        && count < DATAGRAMS_MAX
        && bytes <= each
        && out.position() + bytes <= BYTES_MAX
        && (to == this.to || to.equals(this.to));
  }

  @Override
  public void flush() {
    tooLong = false;
    while (to != null && count > 0 && !full) {
      boolean train = count > 1 && each < refused.getOrDefault(to, Integer.MAX_VALUE);
      int length = train ? out.position() - sent : Math.min(each, out.position() - sent);
      counters.add(UdpCount.SENDS);
      int result = socket.send(to, sent, length, train ? each : length);
      if (result == TrainSocket.AGAIN) {
        counters.add(UdpCount.SOCKET_FULL);
        full = true;
      } else if (train && TrainSocket.isRefusal(result)) {
        counters.add(UdpCount.TRAINS_REFUSED);
        refused(to, result == TrainSocket.NO_CHECKSUMS ? 0 : each);
      } else if (result == TrainSocket.TOO_LONG) {
        tooLong = true;
        counters.add(UdpCount.SEND_TOO_LONG);
        drop(1, length);
      } else if (result != TrainSocket.INTERRUPTED) {
        left(result >= 0, train ? count : 1, length);
      }
    }
  }

  private void refused(InetSocketAddress by, int length) {
    if (refused.size() == REFUSED_MAX) {
      refused.clear(); // to ask again costs one call for each
    }
    refused.put(by, length);
  }

  private void left(boolean taken, int datagrams, int length) {
    drop(datagrams, length);
    if (!taken) {
      counters.add(UdpCount.SEND_FAILED, datagrams); // no route, for example
      return;
    }
    counters.add(UdpCount.BYTES_SENT, length);
    if (datagrams > 1) {
      counters.add(UdpCount.TRAINS_SENT);
      counters.add(UdpCount.SEGMENTS_SENT, datagrams);
    }
  }

  private void drop(int datagrams, int length) {
    sent += length;
    count -= datagrams;
  }

  @Override
  public boolean wasTooLong() {
    return tooLong;
  }

  @Override
  public boolean isFull() {
    return full;
  }

  @Override
  public void retry() {
    full = false;
    flush();
  }

  @Override
  public void interest() {
    ChannelDatagrams.interest(key, full);
  }

  // ---- reading -----------------------------------------------------------------------------------------------------

  @Override
  public @Nullable InetSocketAddress receive() throws IOException {
    if (at == end && !read()) {
      return null;
    }
    int next = Math.min(end, at + length);
    in.limit(next).position(at);
    at = next;
    return from;
  }

  private boolean read() throws IOException {
    counters.add(UdpCount.READS);
    int read = socket.receive();
    if (read == TrainSocket.AGAIN) {
      return false;
    }
    from = socket.from();
    if (read < 0 || from == null) {
      throw new IOException("cannot read: error " + -read);
    }
    int said = socket.each();
    length = said > 0 ? said : read;
    at = 0;
    end = read;
    if (length < read) {
      counters.add(UdpCount.TRAINS_RECEIVED);
    }
    return true;
  }

  @Override
  public boolean hasMore() {
    return at < end;
  }

  @Override
  public void close() {
    socket.close();
    Nio.close(channel);
  }

  /// A socket that sends and reads several datagrams at once: a *train*, whose datagrams are of one length, except the
  /// last one, which may be shorter. The bytes are in two buffers that it was made with.
  interface TrainSocket {
    /// For the result of a call: a signal came.
    int INTERRUPTED = -4;

    /// A train to a device that makes no checksums.
    int NO_CHECKSUMS = -5;

    /// A datagram is too long for the path.
    int TOO_LONG = -90;

    /// There is no room, or there is nothing to read.
    int AGAIN = -11;

    /// The socket is closed.
    int CLOSED = -9;

    /// Sends a part of the buffer for sending.
    ///
    /// @param to     the receiver
    /// @param at     where the part begins
    /// @param length how long it is
    /// @param each   how long each of its datagrams is; the length of the part for a single one
    /// @return 0 or more, or the negative number of an error
    int send(InetSocketAddress to, int at, int length, int each);

    /// Reads into the buffer for reading, from its beginning.
    ///
    /// @return how many bytes, or the negative number of an error
    int receive();

    /// Of what was read last: how long each datagram is, as the kernel said; 0 when it did not.
    int each();

    /// Of what was read last: who sent it; null when that is no address.
    @Nullable InetSocketAddress from();

    /// From now on every call returns [#CLOSED].
    void close();

    /// What the kernel says when it does not take a train, though perhaps its datagrams: [#NO_CHECKSUMS], or
    /// [#TOO_LONG] for which older ones say EINVAL.
    static boolean isRefusal(int error) {
      return error == NO_CHECKSUMS || error == -22 || error == TOO_LONG;
    }
  }
}
