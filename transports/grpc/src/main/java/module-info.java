import org.jspecify.annotations.NullMarked;

/// Carries frames over gRPC. Reading order: `GrpcTransport`, `GrpcMiddleware`, `GrpcCall`, `Stream`.
@NullMarked
module org.tutti.grpc {
  requires com.google.common.util.concurrent.internal;
  requires com.google.gson;
  requires io.grpc;
  requires io.grpc.netty.shaded;
  requires transitive org.tutti.middleware;
  requires java.logging;
  requires static org.jspecify;

  exports org.tutti.grpc;

  provides org.tutti.transport.TransportProvider with
      org.tutti.grpc.GrpcTransport.Provider;
}
