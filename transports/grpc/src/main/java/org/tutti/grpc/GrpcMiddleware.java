package org.tutti.grpc;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolConfig;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.grpc.netty.shaded.io.netty.handler.ssl.JdkSslContext;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.middleware.Middleware;
import org.tutti.tls.Credentials;
import org.tutti.tls.Refusal;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Refused;
import org.tutti.transport.TransportException;

/// gRPC as a [Middleware]: a server with one streaming operation, and a channel per peer.
final class GrpcMiddleware implements Middleware {
  private static final int METADATA_BYTES_MAX = 8 << 10;
  private static final int STREAMS_MAX = 8; // per connection; a node opens one
  private static final int RESETS_MAX = 16; // a node's streams end when a node ends
  private static final int RESETS_SECONDS = 10;
  private static final long END_SECONDS = 2;
  private static final int LEAVE_SECONDS_MAX = 10; // of a thread that has nothing to do but to end
  private static final String UNSAID = "Network closed for unknown reason";
  private static final String NOT_HTTP2 = "First received frame was not SETTINGS";

  static {
    // Netty would load a library for epoll, about which Java 25 warns; NIO serves a stream per peer as well.
    String key = "io.grpc.netty.shaded.io.netty.transport.noNative";
    if (System.getProperty(key) == null) {
      System.setProperty(key, "true");
    }
  }

  private final GrpcConfig config;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  // A listening channel of one's own needs threads of one's own; the default number of workers.
  private final EventLoopGroup acceptors = threads(1);
  private final EventLoopGroup workers = threads(0);
  private final ConnectionLimit connectionLimit;
  private final Server server;
  private @Nullable Address self;
  private volatile Middleware.@Nullable Arrivals arrivals;

  private GrpcMiddleware(Endpoint at, GrpcConfig config) throws IOException {
    this.config = config;
    this.connectionLimit = new ConnectionLimit(config.acceptedMax(), config.connectTimeout());
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(at.socket())
            .channelFactory(connectionLimit.listener())
            .bossEventLoopGroup(acceptors)
            .workerEventLoopGroup(workers)
            .addTransportFilter(connectionLimit)
            // A stream's messages come one at a time, and taking one may wait: that must not hold up a thread of Netty.
            .executor(threads)
            .maxInboundMessageSize(config.common().batchBytesMax())
            .maxInboundMetadataSize(METADATA_BYTES_MAX)
            .maxConcurrentCallsPerConnection(STREAMS_MAX)
            .handshakeTimeout(config.connectTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .maxConnectionIdle(config.silenceMax().toMillis(), TimeUnit.MILLISECONDS)
            .maxRstFramesPerWindow(RESETS_MAX, RESETS_SECONDS)
            .permitKeepAliveTime(config.silenceMax().toMillis() / 4, TimeUnit.MILLISECONDS)
            .addService(ServerServiceDefinition.builder(Stream.SERVICE).addMethod(Stream.CARRY, this::serve).build());
    if (config.tls() != null) {
      builder.sslContext(tls(config.tls(), false));
    }
    try {
      server = builder.build().start();
    } catch (IOException e) {
      endThreads();
      throw e;
    }
  }

  private static EventLoopGroup threads(int count) {
    var daemons = new DefaultThreadFactory("tutti-grpc", true);
    return new MultiThreadIoEventLoopGroup(count, daemons, NioIoHandler.newFactory());
  }

  private void endThreads() {
    var listening = acceptors.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS);
    workers.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS);
    threads.shutdownNow();
    listening.awaitUninterruptibly(LEAVE_SECONDS_MAX, TimeUnit.SECONDS); // until then the port is not free
  }

  static GrpcMiddleware open(Address listen, Endpoint at, @Nullable Endpoint shown, GrpcConfig config) {
    try {
      var opened = new GrpcMiddleware(at, config);
      opened.self = shown == null ? at.at(opened.server.getPort()) : shown.at(shown.port());
      return opened;
    } catch (IOException e) {
      // gRPC's own words name the address once more.
      throw new TransportException("cannot listen on " + listen, e.getCause() instanceof IOException cause ? cause : e);
    }
  }

  @Override
  public String name() {
    return "grpc";
  }

  @Override
  public Address address() {
    return Objects.requireNonNull(self);
  }

  @Override
  public void start(Middleware.Arrivals to) {
    arrivals = to;
  }

  @Override
  public Middleware.Call dial(Address peer) throws IOException {
    Endpoint target = Endpoint.ofLiteral(peer);
    if (target == null || target.port() == 0) {
      throw new Middleware.UnusableAddressException(peer);
    }
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(target.socket())
            .directExecutor() // what a stream tells its caller takes no time
            .maxInboundMessageSize(Byte.MAX_VALUE)
            .maxInboundMetadataSize(METADATA_BYTES_MAX)
            .disableRetry()
            .keepAliveTime(config.silenceMax().toMillis() / 2, TimeUnit.MILLISECONDS)
            .keepAliveTimeout(config.silenceMax().toMillis() / 2, TimeUnit.MILLISECONDS);
    if (config.tls() == null) {
      builder.usePlaintext();
    } else {
      builder.sslContext(tls(config.tls(), true));
    }
    long begun = System.nanoTime();
    try {
      return GrpcCall.open(builder.build(), config);
    } catch (IOException e) {
      Refused refused = refusal(e, peer, System.nanoTime() - begun);
      throw refused == null ? e : new Middleware.RefusedException(refused, e);
    }
  }

  private @Nullable Refused refusal(IOException failure, Address peer, long nanos) {
    Credentials tls = config.tls();
    if (tls != null) {
      return Refusal.told(failure, peer, tls);
    }
    // gRPC says by its texts only what a peer has answered.
    String text = String.valueOf(failure.getMessage());
    // A node, too, closes without an answer when one of the two stood still for so long that its handshake is late.
    if (text.contains(UNSAID) && nanos < config.connectTimeout().toNanos() / 2) {
      return new Refused(
          peer, Refused.Reason.IS_TLS, "it closes without an answer: it seems to speak TLS, this node does not");
    }
    return text.contains(NOT_HTTP2)
        ? new Refused(peer, Refused.Reason.FOREIGN, "its answer is not that of a node")
        : null;
  }

  @Override
  public List<Metric> metrics() {
    var all = new ArrayList<>(connectionLimit.admission().metrics("grpc"));
    all.add(Metric.counter("grpc.calls.accepted", "Streams that peers opened.").with(accepted.get()));
    all.add(
        Metric.counter("grpc.calls.refused", "A stream was opened before this node was started.")
            .tagged("reason", "unready")
            .with(refused.get()));
    all.add(
        Metric.counter("grpc.connections.closed", "Something other than HTTP/2 came.")
            .tagged("reason", "foreign-protocol")
            .with(connectionLimit.foreign()));
    if (config.tls() != null) {
      all.addAll(config.tls().metrics());
    }
    return all;
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
      threads.shutdownNow();
      // They speak to connections, whose threads end after them.
      threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    connectionLimit.admission().close();
    endThreads();
  }

  private ServerCall.Listener<byte[]> serve(ServerCall<byte[], byte[]> call, Metadata headers) {
    Middleware.Arrivals to = arrivals;
    if (to == null) {
      refused.incrementAndGet();
      call.close(Status.UNAVAILABLE, new Metadata());
      return new ServerCall.Listener<>() {};
    }
    accepted.incrementAndGet();
    connectionLimit.streams(call.getAttributes());
    call.sendHeaders(new Metadata());
    call.sendMessage(Stream.GREETING);
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(byte[] batch) {
        to.take(batch);
        // The next one only now: what waits here fills the window of the connection, and the peer has to wait.
        call.request(1);
      }

      @Override
      public void onHalfClose() {
        call.close(Status.OK, new Metadata());
      }
    };
  }

  private static JdkSslContext tls(Credentials own, boolean client) {
    return new JdkSslContext(
        own.context(),
        client,
        null,
        IdentityCipherSuiteFilter.INSTANCE,
        new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            "h2"),
        ClientAuth.REQUIRE,
        own.parameters().getProtocols(),
        false);
  }
}
