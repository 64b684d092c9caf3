import org.jspecify.annotations.NullMarked;

/// The IIOP transport: frames over the protocol of CORBA, by a real ORB. Only this module knows one: JacORB, whose
/// archives are automatic modules. Reading order: `IiopTransport`, `IiopMiddleware`, `PeerServant`, `OrbSettings`; then
/// `gate`, which stands between the sockets and the ORB: nothing reaches the ORB that is not GIOP of a bearable size.
@NullMarked
module org.tutti.corba {
  requires transitive org.tutti.middleware;
  // JacORB cannot say itself what it needs of the JDK.
  requires jacorb;
  requires jacorb.omgapi;
  requires java.logging;
  requires java.rmi;
  requires org.slf4j;
  requires static java.desktop; // only javac: one signature of ORB.init names java.applet.Applet
  requires static org.jspecify;

  exports org.tutti.corba;
  exports org.tutti.corba.gate to
      jacorb; // makes the socket factories by reflection
  exports javax.rmi.CORBA to
      jacorb;

  provides org.tutti.transport.DiscoveryProvider with
      org.tutti.corba.NamingDiscovery.Provider;
  provides org.tutti.transport.TransportProvider with
      org.tutti.corba.IiopTransport.Provider;
}
