/// The IIOP transport. Only this module knows an ORB: JacORB, whose archives are automatic modules.
module org.tutti.corba {
  requires transitive org.tutti.middleware;
  requires transitive org.tutti.net;
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
      org.tutti.corba.NamingProvider;
  provides org.tutti.transport.TransportProvider with
      org.tutti.corba.IiopProvider;
}
