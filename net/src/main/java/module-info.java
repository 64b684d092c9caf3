/// TCP and UDP transports for Tutti, and the discovery of other nodes.
module org.tutti.net {
  requires java.naming;
  requires jdk.net; // the option of sockets not to fragment
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.net;
  exports org.tutti.net.discovery;
  exports org.tutti.net.tls;

  provides org.tutti.transport.TransportProvider with
      org.tutti.net.TcpProvider,
      org.tutti.net.UdpProvider;
}
