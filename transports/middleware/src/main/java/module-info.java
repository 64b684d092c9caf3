import org.jspecify.annotations.NullMarked;

/// Carries frames over middlewares: systems that call operations of remote objects, such as Java RMI, gRPC and CORBA.
/// What such transports share is here: queues, one sender per peer, batches, dialling, and an inbox. Reading order:
/// `Middleware`, `MiddlewareTransport`, `PeerQueue`, `ArrivalQueue`, `FrameBatch`.
@NullMarked
module org.tutti.middleware {
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.middleware;
}
