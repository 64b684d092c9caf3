package org.tutti.bench.member;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.tutti.bench.member.BenchTarget.Calls;

/// What calls of many clients could be at best: messages over as many connections, which are sent back, and nothing
/// else. One thread serves all connections, as that of a process with clients does, and writes together what follows of
/// answers that it has read together.
final class RawCalls {
  private final List<SocketChannel> channels = new ArrayList<>();
  private final Histogram times = Times.empty();
  private final int length; // of a message with its prefix
  private final long forNanos;
  private final ByteBuffer out;
  private long end;
  private long last;
  private long open;

  private RawCalls(Calls calls) {
    this.length = RawTarget.PREFIX_BYTES + calls.bytes();
    this.forNanos = calls.nanos();
    this.out = ByteBuffer.allocateDirect(calls.perClient() * length);
    for (int at = 0; at < out.capacity(); at += length) {
      out.putInt(at, calls.bytes());
    }
  }

  /// Runs for a time, and until the last message is back.
  ///
  /// @param addresses of those that send back; each gets as many connections
  static Callers.Result run(List<String> addresses, Calls calls) throws IOException {
    var all = new RawCalls(calls);
    try (Selector selector = Selector.open()) {
      for (int from = 0; from < calls.callers(); from += calls.perClient()) {
        String address = addresses.get(all.channels.size() % addresses.size());
        SocketChannel channel = RawTarget.connect(address, RawReceiver.PING);
        all.channels.add(channel);
        channel.configureBlocking(false);
        int count = Math.min(calls.perClient(), calls.callers() - from);
        channel.register(selector, SelectionKey.OP_READ, all.new Connection(channel, count));
      }
      return all.exchange(selector);
    } finally {
      for (SocketChannel channel : all.channels) {
        channel.close();
      }
    }
  }

  private Callers.Result exchange(Selector selector) throws IOException {
    long start = System.nanoTime();
    end = start + forNanos;
    for (SelectionKey key : selector.keys()) {
      ((Connection) key.attachment()).begin(start);
    }
    while (open > 0) {
      selector.select();
      for (SelectionKey key : selector.selectedKeys()) {
        ((Connection) key.attachment()).answered();
      }
      selector.selectedKeys().clear();
    }
    return new Callers.Result(times, start, last);
  }

  /// One with several messages on the way.
  private final class Connection {
    private final SocketChannel channel;
    private final ByteBuffer in;
    private final long[] sentAt; // of those on the way, in the order of their answers
    private int next;

    Connection(SocketChannel channel, int count) {
      this.channel = channel;
      this.in = ByteBuffer.allocateDirect(count * length);
      this.sentAt = new long[count];
    }

    void begin(long now) throws IOException {
      send(sentAt.length, now);
    }

    /// Sends as many as were answered: the last ones of those on the way.
    private void send(int count, long now) throws IOException {
      out.limit(count * length).position(0);
      while (out.hasRemaining()) {
        channel.write(out); // all that is on the way fits into the socket's buffer
      }
      open += count;
      for (int i = 0; i < count; i++) {
        sentAt[(next + sentAt.length - count + i) % sentAt.length] = now;
      }
    }

    void answered() throws IOException {
      if (channel.read(in) < 0) {
        throw new IOException("the other end is gone");
      }
      int count = in.position() / length;
      in.flip().position(count * length).compact();
      long now = System.nanoTime();
      for (int i = 0; i < count; i++) {
        Times.record(times, now - sentAt[next]);
        next = (next + 1) % sentAt.length;
      }
      open -= count;
      last = now;
      if (count > 0 && now < end) {
        send(count, now);
      }
    }
  }
}
