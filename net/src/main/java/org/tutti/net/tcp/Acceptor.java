package org.tutti.net.tcp;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.tutti.net.Nio;

/// Accepts the connections of one listening socket, within the limits of the configuration.
final class Acceptor {
  /// How many connections the kernel completes for us in advance.
  static final int BACKLOG = 128;

  private static final int ACCEPTS_PER_TURN_MAX = 64;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final TcpLoop loop;
  private final ServerSocketChannel channel;
  private final SelectionKey key;
  private final boolean unix;
  private boolean paused;
  private long resumeAtNanos;

  Acceptor(TcpLoop loop, ServerSocketChannel channel, boolean unix) throws IOException {
    this.loop = loop;
    this.channel = channel;
    this.unix = unix;
    this.key = channel.register(loop.selector, SelectionKey.OP_ACCEPT, this);
  }

  /// Takes what is waiting.
  void accept() {
    for (int i = 0; i < ACCEPTS_PER_TURN_MAX; i++) {
      try {
        SocketChannel accepted = channel.accept();
        if (accepted == null) {
          return;
        }
        take(accepted);
      } catch (IOException _) {
        // Out of descriptors, mostly: the kernel would report this socket as ready again and again.
        loop.counters.add(TcpCount.ACCEPT_FAILED);
        paused = true;
        resumeAtNanos = loop.nowNanos + PAUSE_NANOS;
        key.interestOps(0);
        return;
      }
    }
  }

  /// Goes on after a pause when it is over.
  ///
  /// @return how long the pause still lasts, if that is sooner than the given time
  long resume(long nowNanos, long waitNanosMax) {
    if (!paused) {
      return waitNanosMax;
    }
    if (nowNanos - resumeAtNanos < 0) {
      return Math.min(waitNanosMax, resumeAtNanos - nowNanos);
    }
    paused = false;
    key.interestOps(SelectionKey.OP_ACCEPT);
    return waitNanosMax;
  }

  /// Ends the listening.
  void close() {
    Nio.close(channel);
  }

  private void take(SocketChannel accepted) {
    if (loop.accepted >= loop.config.acceptedMax()) {
      loop.counters.add(TcpCount.CLOSED_TOO_MANY);
      Nio.close(accepted);
      return;
    }
    try {
      accepted.configureBlocking(false);
      if (!unix) {
        accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      loop.makeRoomForHandshake();
      Connection connection = new Connection(loop, accepted, unix, null);
      connection.register(accepted, SelectionKey.OP_READ);
    } catch (IOException _) {
      // The peer is gone already.
      loop.counters.add(TcpCount.CLOSED_BROKEN);
      Nio.close(accepted);
    }
  }
}
