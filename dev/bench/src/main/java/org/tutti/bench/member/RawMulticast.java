package org.tutti.bench.member;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// What IP multicast can do without any order and without repairing a loss: processes send full datagrams to a
/// group, and count those of others. Its settings are the group, as `multicast=GROUP:PORT@INTERFACE`. A message
/// counts when its bytes have come, whatever was lost before; own ones count when they are sent.
///
/// `pace N` bounds what one process sends, in bytes per second: several that send as fast as they may only lose.
final class RawMulticast implements BenchTarget {
  static final String NAME = "raw-multicast";

  private static final int DATAGRAM_BYTES = 1472; // one packet of Ethernet
  private static final int RECEIVE_BUFFER_BYTES = 4 << 20;
  private static final long SECOND = 1_000_000_000L;
  private static final long AHEAD_NANOS = 1_000_000; // of its pace; shorter waits are too late anyway

  private final AtomicLong received = new AtomicLong(); // bytes; written by one thread
  private final AtomicLong sent = new AtomicLong(); // bytes; written by one thread
  private volatile int bytes = 1; // how long messages are
  private volatile long pace = Long.MAX_VALUE;
  private @Nullable InetSocketAddress group;
  private @Nullable DatagramChannel out;
  private @Nullable DatagramChannel in;
  private volatile @Nullable Throwable failure;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String open(Map<String, String> settings) throws IOException {
    String where = settings.getOrDefault("multicast", "");
    int colon = where.indexOf(':');
    int at = where.indexOf('@');
    NetworkInterface device = NetworkInterface.getByName(where.substring(at + 1));
    InetAddress address = InetAddress.getByName(where.substring(0, colon));
    group = new InetSocketAddress(address, Integer.parseInt(where.substring(colon + 1, at)));
    out = DatagramChannel.open(StandardProtocolFamily.INET);
    out.setOption(StandardSocketOptions.IP_MULTICAST_IF, device);
    out.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, false);
    in = DatagramChannel.open(StandardProtocolFamily.INET);
    in.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    in.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
    in.bind(group);
    in.join(address, device);
    return where;
  }

  @Override
  public void form(int rank, List<String> addresses) {
    Thread.ofPlatform().name("receiver").daemon().start(this::receive);
  }

  private void receive() {
    ByteBuffer datagram = ByteBuffer.allocateDirect(DATAGRAM_BYTES);
    try {
      while (true) {
        bound(in).receive(datagram.clear());
        bytes = datagram.getInt(0);
        received.lazySet(received.getPlain() + datagram.position());
      }
    } catch (AsynchronousCloseException end) {
      // The process ends.
    } catch (IOException | RuntimeException broken) {
      failure = broken;
    }
  }

  @Override
  public void ready() {
    // Whoever has not joined yet loses what comes before.
  }

  @Override
  public Map<String, ?> perform(String[] command) {
    if (!command[0].equals("pace")) {
      throw new IllegalArgumentException("no command: " + command[0]);
    }
    pace = Long.parseLong(command[1]);
    return Map.of();
  }

  @Override
  public long flood(int length, long forNanos) throws IOException {
    bytes = length;
    ByteBuffer datagram = ByteBuffer.allocateDirect(DATAGRAM_BYTES).putInt(0, length);
    long start = System.nanoTime();
    long before = sent.getPlain();
    long given = 0;
    for (long now = start; now - start < forNanos; now = System.nanoTime()) {
      long due = start + (long) (given * (double) SECOND / pace);
      if (due - now > AHEAD_NANOS) {
        LockSupport.parkNanos(due - now);
      } else {
        given += bound(out).send(datagram.clear(), bound(group));
        sent.lazySet(before + given);
      }
    }
    return given / length;
  }

  @Override
  public Histogram closedLoop(int length, long forNanos, SendingThread sendingThread) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public long delivered() {
    if (failure != null) {
      throw new IllegalStateException("the receiver has failed", failure);
    }
    return (received.get() + sent.get()) / bytes;
  }

  private static <T> T bound(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException("not opened");
    }
    return thing;
  }

  @Override
  public void close() {
    try {
      bound(out).close();
      bound(in).close();
    } catch (IOException ending) {
      // The process ends now anyway.
    }
  }
}
