package org.tutti.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.Closeable;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tutti.spi.Admission;

/// The listening port: it keeps a bounded number of connections, and counts those that end before they have spoken
/// gRPC, of which gRPC itself only logs a stack trace.
final class ConnectionLimit extends ServerTransportFilter {
  private static final Logger NOISE = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport");

  static {
    // Strangers are counted; unless somebody wants to see them, they do not fill the log.
    if (NOISE.getLevel() == null) {
      NOISE.setLevel(Level.WARNING);
    }
  }

  private final AtomicLong foreign = new AtomicLong();
  private final Map<SocketAddress, Client> clients = new ConcurrentHashMap<>(); // open connections
  private final Admission<Client> admission;

  /// @param acceptedMax how many connections of others are kept
  /// @param greetingMax how long each may take until its stream begins
  ConnectionLimit(int acceptedMax, Duration greetingMax) {
    admission = new Admission<>(acceptedMax, greetingMax);
  }

  /// Makes the channel that listens.
  ChannelFactory<NioServerSocketChannel> listener() {
    return Listener::new;
  }

  /// Connections that ended before they spoke gRPC.
  long foreign() {
    return foreign.get();
  }

  /// Knows who yields to whom.
  Admission<?> admission() {
    return admission;
  }

  /// A connection has a stream: it is that of a node.
  void streams(Attributes attributes) {
    SocketAddress peer = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    Client client = peer == null ? null : clients.get(peer);
    if (client != null) {
      admission.greeted(client);
    }
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    SocketAddress peer = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    Client client = peer == null ? null : clients.get(peer);
    if (client != null) {
      client.speaksGrpc = true;
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

  private boolean welcome(Channel channel) {
    SocketAddress peer = Objects.requireNonNullElse(channel.remoteAddress(), new SocketAddress() {});
    Client client = new Client(channel);
    if (!admission.admit(client)) {
      return false;
    }
    clients.put(peer, client);
    channel
        .closeFuture()
        .addListener(_ -> {
          admission.left(client);
          clients.remove(peer, client);
          if (!client.speaksGrpc) {
            foreign.incrementAndGet();
          }
        });
    return true;
  }

  private static final class Client implements Closeable {
    private final Channel channel;
    private volatile boolean speaksGrpc;

    Client(Channel channel) {
      this.channel = channel;
    }

    /// At once: gRPC itself would say goodbye first, and wait half a minute for the answer.
    @Override
    public void close() {
      try {
        if (!channel.isOpen()) {
          return;
        }
        if (channel.isRegistered()) {
          channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
        } else {
          channel.parent().eventLoop().schedule(this::close, 1, TimeUnit.MILLISECONDS); // no thread has it yet
        }
      } catch (RejectedExecutionException _) {
        // The transport has ended, and its threads have closed all connections.
      }
    }
  }
}
