/// Carries frames over Java RMI.
module org.tutti.rmi {
  requires java.rmi;
  requires transitive org.tutti.middleware;
  requires transitive org.tutti.net;
  requires static org.jspecify;

  exports org.tutti.rmi;

  provides org.tutti.transport.DiscoveryProvider with
      org.tutti.rmi.RmiRegistryProvider;
  provides org.tutti.transport.TransportProvider with
      org.tutti.rmi.RmiProvider;
}
