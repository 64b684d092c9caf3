import org.jspecify.annotations.NullMarked;

/// Carries frames over Java RMI. Reading order: `RmiTransport`, `RemoteReceiver`, `RmiMiddleware`, `ClientSockets`,
/// `ListeningSocket`.
@NullMarked
module org.tutti.rmi {
  requires java.rmi;
  requires transitive org.tutti.middleware;
  requires static org.jspecify;

  exports org.tutti.rmi;

  provides org.tutti.transport.DiscoveryProvider with
      org.tutti.rmi.RmiRegistryDiscovery.Provider;
  provides org.tutti.transport.TransportProvider with
      org.tutti.rmi.RmiTransport.Provider;
}
