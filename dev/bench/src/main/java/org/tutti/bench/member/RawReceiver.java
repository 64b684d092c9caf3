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

/// The receiving end of [RawTarget]. The first byte of a connection tells what it is for: [#FLOOD], whose messages
/// are counted; [#PING], whose messages go back when they are there as a whole; [#ACKNOWLEDGED], where the number of
/// messages so far goes back after each read.
final class RawReceiver implements Runnable {
  static final byte FLOOD = 'f';
  static final byte PING = 'p';
  static final byte ACKNOWLEDGED = 'a';

  private static final int BUFFER_BYTES = 1 << 16;

  private final ServerSocketChannel server;
  private final AtomicLong count;
  private volatile @Nullable Throwable failure;

  /// @param server where the connections come in
  /// @param count  how many messages of floods have come; only this object changes it
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
            open &= serve(key, (SocketChannel) key.channel());
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
    }
  }

  /// @return whether to go on; a flood's connection ends with the sender's process
  private boolean serve(SelectionKey key, SocketChannel channel) throws IOException {
    if (key.attachment() == null) {
      key.attach(greeted(channel));
    } else if (!((Service) key.attachment()).read(channel)) {
      key.cancel();
      channel.close();
      return !(key.attachment() instanceof Flood);
    }
    return true;
  }

  private @Nullable Service greeted(SocketChannel channel) throws IOException {
    ByteBuffer kind = ByteBuffer.allocate(1);
    if (channel.read(kind) < 0) {
      throw new IOException("a connection without a purpose");
    }
    return switch (kind.get(0)) {
      case 0 -> null; // nothing was there yet
      case FLOOD -> new Flood();
      case PING -> new Pong();
      case ACKNOWLEDGED -> new Acknowledger();
      default -> throw new IOException("a connection for something unknown");
    };
  }

  /// What is done with the bytes of one connection.
  private interface Service {
    /// Reads once.
    ///
    /// @return false at the end of the connection
    boolean read(SocketChannel channel) throws IOException;
  }

  /// Passes over payloads; only a prefix must be there as a whole.
  private static class Messages {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private boolean inside; // a message whose prefix was read
    private int left; // how many bytes of it are still to come

    /// @return how many messages are complete now that were not before, or -1 at the end
    final long next(SocketChannel channel) throws IOException {
      if (channel.read(buffer) < 0) {
        return -1;
      }
      buffer.flip();
      long messages = parse();
      buffer.compact();
      return messages;
    }

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
        if (buffer.remaining() < RawTarget.PREFIX_BYTES) {
          return messages;
        }
        left = buffer.getInt();
        inside = true;
      }
    }
  }

  private final class Flood extends Messages implements Service {
    @Override
    public boolean read(SocketChannel channel) throws IOException {
      long messages = next(channel);
      count.lazySet(count.getPlain() + Math.max(0, messages));
      return messages >= 0;
    }
  }

  private static final class Acknowledger extends Messages implements Service {
    private final ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);
    private long total;

    @Override
    public boolean read(SocketChannel channel) throws IOException {
      long messages = next(channel);
      if (messages > 0) {
        total += messages;
        answer.clear().putLong(total).flip();
        while (answer.hasRemaining()) {
          channel.write(answer); // it fits into the socket's buffer
        }
      }
      return messages >= 0;
    }
  }

  private static final class Pong implements Service {
    private ByteBuffer pong = ByteBuffer.allocateDirect(BUFFER_BYTES);

    @Override
    public boolean read(SocketChannel channel) throws IOException {
      if (channel.read(pong) < 0) {
        return false;
      }
      if (pong.position() < RawTarget.PREFIX_BYTES) {
        return true;
      }
      int whole = RawTarget.PREFIX_BYTES + pong.getInt(0);
      if (whole > pong.capacity()) {
        pong = ByteBuffer.allocateDirect(whole).put(pong.flip());
      }
      int read = pong.position();
      int complete = complete(read);
      if (complete > 0) {
        pong.limit(complete).position(0);
        while (pong.hasRemaining()) {
          channel.write(pong); // it fits into the socket's buffer, unless it is very long
        }
        pong.limit(read).compact();
      }
      return true;
    }

    /// How many bytes the messages have that are there as a whole.
    private int complete(int read) {
      int at = 0;
      while (read - at >= RawTarget.PREFIX_BYTES && read - at - RawTarget.PREFIX_BYTES >= pong.getInt(at)) {
        at += RawTarget.PREFIX_BYTES + pong.getInt(at);
      }
      return at;
    }
  }
}
