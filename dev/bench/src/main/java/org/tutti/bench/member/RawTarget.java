package org.tutti.bench.member;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// What the machine can do without any order: a process sends the same bytes to all others, which count the messages in
/// them; or the first one sends one message to the last process, which sends it back, or many messages to all others,
/// over many connections; or it sends at a fixed rate, and the others tell how far they are. Sockets of Java NIO and
/// blocking selectors, as Tutti has them.
final class RawTarget implements BenchTarget {
  static final String NAME = "raw";
  static final int PREFIX_BYTES = Integer.BYTES;

  private static final int BUFFER_BYTES = 1 << 16;

  private final AtomicLong received = new AtomicLong(); // written by one thread
  private final AtomicLong sent = new AtomicLong(); // as far as others can have it; written by one thread
  private final List<SocketChannel> fan = new ArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private List<String> others = List.of();
  private @Nullable SocketChannel ping;
  private @Nullable ServerSocketChannel server;
  private @Nullable Path socket;
  private @Nullable RawReceiver receiver;
  private @Nullable Thread thread;
  private @Nullable Selector selector;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String open(Map<String, String> settings) throws IOException {
    selector = Selector.open();
    if ("unix".equals(settings.get("transport"))) {
      socket = Files.createTempDirectory("tutti-raw").resolve("socket");
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
      return "unix:" + socket;
    }
    String host = settings.getOrDefault(HOST, LOOPBACK);
    server = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
    return host + ":" + ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  /// The first one connects when everybody listens, in [#ready] of the others or before; others do so when they flood.
  @Override
  public void form(int rank, List<String> addresses) throws IOException {
    others = new ArrayList<>(addresses);
    others.remove(rank);
    receiver = new RawReceiver(bound(server), received);
    thread = new Thread(receiver, "receiver");
    thread.start();
    if (rank == 0) {
      connectFan();
      ping = connect(addresses.getLast(), RawReceiver.PING);
      ping.configureBlocking(false);
    }
  }

  private void connectFan() throws IOException {
    for (String address : others) {
      SocketChannel channel = connect(address, RawReceiver.FLOOD);
      fan.add(channel);
      channel.configureBlocking(false);
    }
  }

  static SocketChannel connect(String address, byte purpose) throws IOException {
    int colon = address.indexOf(':');
    String where = address.substring(colon + 1);
    SocketAddress target =
        address.startsWith("unix:")
            ? UnixDomainSocketAddress.of(where)
            : new InetSocketAddress(address.substring(0, colon), Integer.parseInt(where));
    SocketChannel channel = SocketChannel.open(target);
    if (target instanceof InetSocketAddress) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    channel.write(ByteBuffer.allocate(1).put(purpose).flip());
    return channel;
  }

  @Override
  public void ready() {
    // A connection that waits to be accepted can be written to.
  }

  @Override
  public long flood(int bytes, long forNanos) throws IOException {
    if (fan.isEmpty()) {
      connectFan();
    }
    byte[] payload = new byte[bytes];
    long end = System.nanoTime() + forNanos;
    long before = sent.getPlain();
    long given = before;
    List<SelectionKey> keys = register(fan);
    buffer.clear();
    while (System.nanoTime() < end) { // asked once per message, as in the other floods
      if (buffer.remaining() < PREFIX_BYTES) {
        write(keys);
        sent.lazySet(given);
      }
      buffer.putInt(bytes);
      for (int from = 0; from < bytes; ) {
        if (!buffer.hasRemaining()) {
          write(keys);
          sent.lazySet(given);
        }
        int part = Math.min(bytes - from, buffer.remaining());
        buffer.put(payload, from, part);
        from += part;
      }
      given++;
    }
    write(keys);
    sent.lazySet(given);
    keys.forEach(SelectionKey::cancel);
    bound(selector).selectNow();
    return given - before;
  }

  private List<SelectionKey> register(List<SocketChannel> channels) throws IOException {
    var keys = new ArrayList<SelectionKey>();
    for (SocketChannel channel : channels) {
      keys.add(channel.register(bound(selector), 0, buffer.duplicate()));
    }
    return keys;
  }

  /// Writes what is in the buffer to all, and empties it.
  private void write(List<SelectionKey> keys) throws IOException {
    for (SelectionKey key : keys) {
      ((ByteBuffer) key.attachment()).clear().limit(buffer.position());
      key.interestOps(SelectionKey.OP_WRITE);
    }
    for (boolean more = true; more; ) {
      more = false;
      for (SelectionKey key : keys) {
        ByteBuffer left = (ByteBuffer) key.attachment();
        if (left.hasRemaining()) {
          ((SocketChannel) key.channel()).write(left);
          if (!left.hasRemaining()) {
            key.interestOps(0);
          }
        }
        more |= left.hasRemaining();
      }
      if (more) {
        bound(selector).select();
        bound(selector).selectedKeys().clear();
      }
    }
    buffer.clear();
  }

  @Override
  public Histogram closedLoop(int bytes, long forNanos, SendingThread sendingThread) throws IOException {
    SocketChannel channel = bound(ping);
    SelectionKey key = channel.register(bound(selector), SelectionKey.OP_READ);
    ByteBuffer message = ByteBuffer.allocateDirect(PREFIX_BYTES + bytes);
    Histogram times = Times.empty();
    long before = System.nanoTime();
    long end = before + forNanos;
    while (before < end) {
      message.clear().putInt(0, bytes);
      while (message.hasRemaining()) {
        channel.write(message); // it fits into the socket's buffer, unless it is very long
      }
      message.clear();
      while (message.hasRemaining()) {
        bound(selector).select();
        bound(selector).selectedKeys().clear();
        if (channel.read(message) < 0) {
          throw new IOException("the other end is gone");
        }
      }
      long now = System.nanoTime();
      Times.record(times, now - before);
      before = now;
    }
    key.cancel();
    bound(selector).selectNow();
    return times;
  }

  @Override
  public Histogram openLoop(int bytes, int perSecond, long forNanos) throws IOException, InterruptedException {
    var connections = new ArrayList<SocketChannel>();
    try {
      for (String address : others) {
        connections.add(connect(address, RawReceiver.ACKNOWLEDGED));
      }
      return RawOpenLoop.run(connections, bytes, perSecond, forNanos);
    } finally {
      for (SocketChannel connection : connections) {
        connection.close();
      }
    }
  }

  @Override
  public Callers.Result calls(Calls calls) throws IOException {
    return RawCalls.run(others, calls);
  }

  @Override
  public long delivered() {
    if (receiver != null && receiver.failure() != null) {
      throw new IllegalStateException("the receiver has failed", receiver.failure());
    }
    return received.get() + sent.get();
  }

  @Override
  public long engineThread() {
    return thread == null ? -1 : thread.threadId();
  }

  private static <T> T bound(@Nullable T thing) {
    if (thing == null) {
      throw new IllegalStateException("not opened, or not the first one");
    }
    return thing;
  }

  @Override
  public void close() {
    try {
      for (SocketChannel channel : fan) {
        channel.close();
      }
      if (ping != null) {
        ping.close();
      }
      bound(server).close();
      if (socket != null) {
        Files.deleteIfExists(socket);
        Files.deleteIfExists(socket.getParent());
      }
    } catch (IOException ending) {
      // The process ends now anyway.
    }
  }
}
