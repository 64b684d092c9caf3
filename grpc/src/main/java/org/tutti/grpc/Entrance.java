package org.tutti.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The listening port: it keeps a bounded number of connections, and counts those that end before they have spoken
/// gRPC, of which gRPC itself only logs a stack trace.
final class Entrance extends ServerTransportFilter {
  private static final Logger NOISE = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport");

  static {
    // Strangers are counted; unless somebody wants to see them, they do not fill the log.
    if (NOISE.getLevel() == null) {
      NOISE.setLevel(Level.WARNING);
    }
  }

  private final int acceptedMax;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong foreign = new AtomicLong();
  private final AtomicLong tooMany = new AtomicLong();
  private final Map<SocketAddress, Boolean> speaksGrpc = new ConcurrentHashMap<>(); // of open connections

  /// @param acceptedMax how many connections of others are kept; more are closed at once
  Entrance(int acceptedMax) {
    this.acceptedMax = acceptedMax;
  }

  /// Makes the channel that listens.
  ChannelFactory<NioServerSocketChannel> listener() {
    return Listener::new;
  }

  /// Connections that ended before they spoke gRPC.
  long foreign() {
    return foreign.get();
  }

  /// Connections that were closed because there were too many.
  long tooMany() {
    return tooMany.get();
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    SocketAddress peer = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    if (peer != null) {
      speaksGrpc.replace(peer, true);
    }
    return attributes;
  }

  private final class Listener extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int count = super.doReadMessages(accepted);
      if (count > 0 && !welcome((Channel) accepted.getLast())) {
        ((Channel) accepted.removeLast()).unsafe().closeForcibly();
        return 0;
      }
      return count;
    }
  }

  private boolean welcome(Channel visitor) {
    SocketAddress peer = Objects.requireNonNullElse(visitor.remoteAddress(), new SocketAddress() {});
    if (open.incrementAndGet() > acceptedMax) {
      open.decrementAndGet();
      tooMany.incrementAndGet();
      return false;
    }
    speaksGrpc.put(peer, false);
    visitor
        .closeFuture()
        .addListener(_ -> {
          open.decrementAndGet();
          if (Boolean.FALSE.equals(speaksGrpc.remove(peer))) {
            foreign.incrementAndGet();
          }
        });
    return true;
  }
}
