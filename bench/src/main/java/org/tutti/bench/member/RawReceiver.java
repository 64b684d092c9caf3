package org.tutti.bench.member;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The receiving end of plain sockets. The first connection of a process carries floods, whose messages are counted;
/// a second one carries pings, which go back when they are there as a whole.
final class RawReceiver implements Runnable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final ServerSocketChannel server;
  private final AtomicLong count;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private boolean inside; // a message whose prefix was read
  private int left; // how many bytes of it are still to come
  private ByteBuffer pong = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private @Nullable SocketChannel flood;
  private volatile @Nullable Throwable failure;

  /// @param server where the connections come in
  /// @param count  how many messages have come; only this object changes it
  RawReceiver(ServerSocketChannel server, AtomicLong count) {
    this.server = server;
    this.count = count;
  }

  /// What stopped it, or null.
  @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void run() {
    try (var selector = Selector.open()) {
      server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
      boolean open = true;
      while (open) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          if (key.isAcceptable()) {
            accept(selector);
          } else {
            SocketChannel channel = (SocketChannel) key.channel();
            open = channel == flood ? countMessages(channel) : sendBack(channel);
          }
        }
        selector.selectedKeys().clear();
      }
    } catch (ClosedChannelException | ClosedSelectorException end) {
      // The process ends.
    } catch (IOException | RuntimeException broken) {
      failure = broken;
    }
  }

  private void accept(Selector selector) throws IOException {
    SocketChannel channel = server.accept();
    if (channel != null) {
      channel.configureBlocking(false).register(selector, SelectionKey.OP_READ);
      flood = flood == null ? channel : flood;
    }
  }

  private boolean countMessages(SocketChannel channel) throws IOException {
    if (channel.read(buffer) < 0) {
      return false;
    }
    buffer.flip();
    long messages = parse();
    buffer.compact();
    count.lazySet(count.getPlain() + messages);
    return true;
  }

  /// Passes over payloads; only a prefix must be there as a whole.
  private long parse() {
    long messages = 0;
    while (true) {
      if (inside) {
        int skip = Math.min(left, buffer.remaining());
        buffer.position(buffer.position() + skip);
        left -= skip;
        if (left > 0) {
          return messages;
        }
        messages++;
        inside = false;
      }
      if (buffer.remaining() < RawContestant.PREFIX_BYTES) {
        return messages;
      }
      left = buffer.getInt();
      inside = true;
    }
  }

  private boolean sendBack(SocketChannel channel) throws IOException {
    if (channel.read(pong) < 0) {
      return false;
    }
    if (pong.position() < RawContestant.PREFIX_BYTES) {
      return true;
    }
    int whole = RawContestant.PREFIX_BYTES + pong.getInt(0);
    if (whole > pong.capacity()) {
      pong = ByteBuffer.allocateDirect(whole).put(pong.flip());
    }
    if (pong.position() == whole) {
      pong.flip();
      while (pong.hasRemaining()) {
        channel.write(pong); // it fits into the socket's buffer, unless it is very long
      }
      pong.clear();
    }
    return true;
  }
}
