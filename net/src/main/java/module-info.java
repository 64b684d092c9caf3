import org.jspecify.annotations.NullMarked;

/// TCP and UDP transports for Tutti, and the discovery of other nodes.
@NullMarked
module org.tutti.net {
  requires java.naming;
  requires jdk.net; // the option of sockets not to fragment
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.net.discovery;
  exports org.tutti.net.tcp;
  exports org.tutti.net.udp;

  provides org.tutti.transport.TransportProvider with
      org.tutti.net.tcp.TcpTransport.Provider,
      org.tutti.net.udp.UdpTransport.Provider;
}
